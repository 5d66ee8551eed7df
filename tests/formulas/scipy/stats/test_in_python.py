"""SciPy's distributions that are differentiated by their text in Python."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import check, grad
from srcgrad.runtime.scipy.stats import extremes, priors, quantiles
from tests.rotation import highest

X = np.array([0.4, 1.1, 1.9])
K = np.array([1, 2, 4])
SHAPES = {
    "truncnorm": (-1.3, 2.2), "triang": (0.3,), "loguniform": (0.1, 3.0), "pareto": (1.7,),
    "genextreme": (0.2,), "genpareto": (0.3,), "nbinom": (2.5, 0.4), "geom": (0.3,),
    "betabinom": (5, 1.3, 0.8), "gengamma": (1.3, 0.8), "johnsonsu": (0.5, 1.2),
    "truncexpon": (2.5,), "f": (3.2, 4.1), "betaprime": (1.4, 2.2), "exponweib": (1.4, 0.8),
    "burr12": (1.4, 0.8),
}  # fmt: skip
OWN = {
    name: own
    for module in (extremes, priors, quantiles)
    for name, own in vars(module).items()
    if getattr(own, "__module__", "") == module.__name__ and name[0] != "_"
}
SCALES = {"pareto": (0.1, 0.2), "triang": (0.1, 2.5), "powerlaw": (0.1, 2.5)}


def case(name):
    """Return SciPy's function and its arguments."""
    distribution, _, method = name.rpartition("_")
    f = getattr(getattr(stats, distribution), method)
    count = f.__self__.numargs
    shapes = SHAPES.get(distribution, (1.3,) * count)
    if method in ("ppf", "isf"):
        return f, (np.array([0.01, 0.3, 0.8]), *shapes, 0.1, 1.2)
    if "pmf" in method:
        return f, (K, *shapes)
    return f, (X, *shapes, *SCALES.get(distribution, (0.1, 1.2)))


@pytest.mark.one_of(16)
@pytest.mark.parametrize("name", sorted(OWN))
def test_distribution(name):
    """The numbers are SciPy's, inside of the support and outside; slopes agree with differences."""
    f, args = case(name)
    places = np.array([-7.0, -1.0, 0.0, 1e-9, 0.5, 1.0, 3.0, 5.0, np.nan])
    with np.errstate(all="ignore"):
        for x in (args[0], places, 0.7, [0.7, 0.9]):
            own, wanted = OWN[name](x, *args[1:]), f(x, *args[1:])
            np.testing.assert_allclose(own, wanted, rtol=1e-9, atol=1e-300)
            assert np.shape(own) == np.shape(wanted)
    held = tuple(a for a in args if np.asarray(a).dtype.kind == "i")
    moved = args[len(held) :]
    wrt = tuple(range(len(moved)))
    check(lambda *moved: np.sum(f(*held, *moved)), *moved, wrt=wrt, order=highest(), rtol=1e-4)


def test_shapes_where_they_vanish():
    """The slope in a shape that is 0 is that of its limit."""
    for f in (stats.genextreme.logpdf, stats.genpareto.logpdf, stats.genpareto.logsf):
        near = [f(1.3, c) for c in (1e-3, -1e-3)]
        slope = grad(lambda c, f=f: f(1.3, c))(0.0)
        np.testing.assert_allclose(slope, (near[0] - near[1]) / 2e-3, rtol=1e-5)


def test_one_end_far_away():
    """A normal variable that is cut at one end has finite slopes."""
    low = grad(lambda m: stats.truncnorm.logpdf(0.7, -m, np.inf, m, 1.0))(0.3)
    step = [stats.truncnorm.logpdf(0.7, -m, np.inf, m, 1.0) for m in (0.3 + 1e-6, 0.3 - 1e-6)]
    np.testing.assert_allclose(low, (step[0] - step[1]) / 2e-6, rtol=1e-6)
