"""The formulas of SciPy's continuous distributions."""

import numpy as np
import pytest
from scipy import stats
from srcgrad.formulas import load

from srcgrad import grad, jvp, vjp
from srcgrad.runtime.scipy.stats.densities import inside, standardised
from tests.formulas.checking import between, case, formula_test, normal, positive

load("scipy.stats")
load("scipy.special")

METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
EVERYWHERE = [
    (stats.norm, ()),
    (stats.t, (2.5,)),
    (stats.laplace, ()),
    (stats.logistic, ()),
    (stats.cauchy, ()),
]
POSITIVE = [
    (stats.chi2, (3.5,)),
    (stats.gamma, (2.5,)),
    (stats.expon, ()),
    (stats.lognorm, (0.7,)),
    (stats.halfcauchy, ()),
]
INSIDE = [(stats.beta, (2.5, 1.5)), (stats.uniform, ())]

CASES = [
    *(
        case(getattr(d, m), normal(2, 3), *shapes, normal(3), positive(3))
        for d, shapes in EVERYWHERE
        for m in METHODS
    ),
    *(
        case(getattr(d, m), positive(2, 3), *shapes, -0.3, positive(3))
        for d, shapes in POSITIVE
        for m in METHODS
    ),
    *(
        case(getattr(d, m), between(0.2, 0.8, 2, 3), *shapes, -0.1, between(1.1, 1.3, 3))
        for d, shapes in INSIDE
        for m in METHODS
    ),
    case(stats.norm.logpdf, 0.3),
    case(standardised, normal(2, 3), normal(3), positive(3)),
    case(inside, normal(2, 3), np.inf, normal(3), positive(3)),
    case(inside, 0.3, np.inf, normal(3), positive(3)),
    case(stats.gamma.logpdf, positive(3), positive(2, 3)),
]

test_formula = formula_test(CASES, turns=4)


def densities(x, loc, scale):
    """All densities that are 0 at x."""
    first = stats.expon.pdf(x, loc, scale) + stats.gamma.pdf(x, 1.7, loc, scale)
    second = stats.chi2.pdf(x, 3.0, loc, scale) + stats.beta.pdf(x, 1.5, 2.5, loc, scale)
    return first + second + stats.lognorm.pdf(x, 0.8, loc, scale)


def log_densities(x, loc, scale):
    """Logarithms of densities that are 0 at x."""
    first = stats.expon.logpdf(x, loc, scale) + stats.gamma.logpdf(x, 1.7, loc, scale)
    second = stats.chi2.logpdf(x, 3.0, loc, scale) + stats.uniform.logpdf(x, loc, scale)
    return first + second + stats.beta.logpdf(x, 1.5, 2.5, loc, scale)


def log_densities_above(x, loc, scale):
    """Logarithms of densities that are 0 above the interval between loc and loc + scale."""
    return stats.uniform.logpdf(x, loc, scale) + stats.beta.logpdf(x, 1.5, 2.5, loc, scale)


@pytest.mark.parametrize(
    ("f", "x"), [(densities, -0.7), (log_densities, -0.7), (log_densities_above, 1.4)]
)
def test_no_density(f, x):
    """Where the density is 0 it has the slope 0, and so has its logarithm."""
    np.testing.assert_array_equal(grad(f, (0, 1, 2))(x, 0.1, 1.2), 0.0)


@pytest.mark.filterwarnings("ignore:invalid value")  # SciPy's density of gamma variables
@pytest.mark.parametrize("far", [np.inf, -np.inf])
@pytest.mark.parametrize("what", ["pdf", "cdf", "sf"])
@pytest.mark.parametrize(("d", "shapes"), [*EVERYWHERE, *POSITIVE, *INSIDE])
@pytest.mark.one_of(3)
def test_infinite(d, shapes, what, far):
    """At infinity, densities and probabilities have slope 0, in all orders."""
    method = getattr(d, what)
    of_gamma = d in (stats.gamma, stats.chi2) and far > 0
    if of_gamma and what == "pdf":
        return  # the density itself is nan there

    first, second = (*shapes, 0.0, 0.0)[:2]

    if len(shapes) == 0:

        def total(x, loc, scale):
            return np.sum(method(x, loc, scale))
    elif len(shapes) == 1:

        def total(x, loc, scale):
            return np.sum(method(x, first, loc, scale))
    else:

        def total(x, loc, scale):
            return np.sum(method(x, first, second, loc, scale))

    x = np.array([far, far])
    args, dots = (x, 0.3, 1.2), (np.ones(2), 1.0, 1.0)
    assert not np.any(jvp(total, args, dots)[1])
    slopes, again = vjp(grad(total, (0, 1, 2)), *args, wrt=(0, 1, 2))
    for slope, second_slope in zip(slopes, again(dots), strict=True):
        assert not np.any(slope)
        assert not np.any(second_slope) or of_gamma


@pytest.mark.filterwarnings("ignore:invalid value")  # SciPy's density of gamma variables
@pytest.mark.parametrize(("what", "far"), [("logcdf", np.inf), ("logsf", -np.inf)])
@pytest.mark.parametrize(("d", "shapes"), [*EVERYWHERE, *POSITIVE, *INSIDE])
def test_certain(d, shapes, what, far):
    """What is certain stays so: the logarithm of its probability has the slopes 0."""
    method = getattr(d, what)

    def f(x, loc, scale):
        return method(x, *shapes, loc, scale)

    args, dots = (far, 0.3, 1.2), (1.0, 1.0, 1.0)
    slopes, again = vjp(grad(f, (0, 1, 2)), *args, wrt=(0, 1, 2))
    assert f(*args) == jvp(f, args, dots)[1] == 0.0
    assert not np.any(slopes)
    assert not np.any(again(dots))


def test_ranks_are_constants():
    """A rank stays as it is while the numbers move a little."""
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(stats.rankdata(x) * x))(np.array([3.0, 1.0])), [2.0, 1.0]
    )
