"""The formulas of SciPy's multivariate densities."""

import numpy as np
import pytest
from scipy import stats
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.errors import MissingFormulaError
from tests.formulas.checking import case, definite, formula_test, normal, positive
from tests.rotation import highest, some_of

load("scipy.stats")
load("scipy.special")

METHODS = ("pdf", "logpdf")
POINTS = np.array([[0.2, 0.1, 0.3, 0.5], [0.3, 0.6, 0.1, 0.2]])


def symmetric(a):
    """Return the symmetric part of a matrix."""
    return (a + a.T) / 2


CASES = [
    *(case(getattr(stats.dirichlet, m), np.array([0.2, 0.3]), positive(3)) for m in METHODS),
    *(case(getattr(stats.dirichlet, m), POINTS, positive(3)) for m in METHODS),
    case(stats.dirichlet.logpdf, POINTS[:, :1], positive(3)),
    case(stats.multivariate_normal.logpdf, normal(4), normal(1), 0.7),
    case(stats.multivariate_normal.pdf, normal(4), normal(1), positive(1)),
    case(stats.multivariate_normal.logpdf, normal(4), normal(1), positive(1, 1)),
    *(
        case(getattr(stats.multivariate_normal, m), normal(*shape), normal(3), cov)
        for m in METHODS
        for shape in ((3,), (4, 3), (1, 3), (2, 1, 3))
        for cov in (0.7, positive(3))
    ),
    *(case(getattr(stats.multivariate_normal, m), normal(3), normal(3)) for m in METHODS),
]

test_formula = formula_test(CASES)


def log_density(x, mean, cov):
    """Depends on a symmetric covariance."""
    return np.sum(stats.multivariate_normal.logpdf(x, mean, symmetric(cov)) ** 2)


def density(x, mean, cov):
    """Depends on a symmetric covariance."""
    return np.sum(stats.multivariate_normal.pdf(x, mean, symmetric(cov)) ** 2)


def of_factor(x, factor):
    """Depends on a covariance of lower rank."""
    along = factor @ (x @ factor)
    cov = factor @ factor.T
    return stats.multivariate_normal.logpdf(along, np.zeros(3), cov, allow_singular=True)


def test_singular():
    """Covariances that may be singular, and are or are not."""
    check(of_factor, normal(3), normal(3, 2), wrt=(0, 1), order=highest())
    check(of_factor, normal(3), normal(3, 3), wrt=(0, 1), order=highest())


@pytest.mark.parametrize("f", [log_density, density])
@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_normal(f, shape):
    """The derivative is that of a function of symmetric matrices."""
    for wrt in some_of(0, 1, 2):
        check(f, normal(*shape), normal(3), definite(3, 3), wrt=wrt, order=highest())


@pytest.mark.parametrize("method", METHODS)
def test_whole_points(method):
    """Points with all of their entries, whose sum stays 1."""
    density = getattr(stats.dirichlet, method)

    def at_points(u, alpha):
        x = np.exp(u) / np.sum(np.exp(u), axis=0)
        return np.sum(density(x, alpha) ** 2)

    for shape in ((3,), (3, 4)):
        for wrt in some_of(0, 1):
            check(at_points, normal(*shape), positive(3), wrt=wrt, order=highest())


@pytest.mark.parametrize("method", METHODS)
def test_without_mean(method):
    """The mean may be left out, be made in the call, and be passed by name."""
    density = getattr(stats.multivariate_normal, method)

    def at_points(x, cov):
        a = density(x, cov=symmetric(cov)) + density(x, np.zeros(3), symmetric(cov))
        b = density(x, None, symmetric(cov)) * density(x, mean=np.ones(3))
        return np.sum(a * b)

    for shape in ((3,), (4, 3)):
        for wrt in some_of(0, 1):
            check(at_points, normal(*shape), definite(3, 3), wrt=wrt, order=highest())


def test_numbers():
    """What does not tell how many entries a point has is refused."""
    with pytest.raises(MissingFormulaError, match=r"scipy\.stats\.norm"):
        grad(lambda x: np.sum(stats.multivariate_normal.logpdf(x)))(normal(3))
    with pytest.raises(MissingFormulaError, match=r"scipy\.stats\.norm"):
        grad(lambda m: np.sum(stats.multivariate_normal.logpdf(1.0, m, 2.0)))(0.3)


@pytest.mark.parametrize("f", [log_density, density])
def test_second_order(f):
    """Second derivatives agree with differences, in all modes."""
    check(f, normal(3), normal(3), definite(3, 3), wrt=(0, 1), order=highest())
    check(f, normal(4), normal(1), positive(1, 1), wrt=(0, 1), order=highest())
