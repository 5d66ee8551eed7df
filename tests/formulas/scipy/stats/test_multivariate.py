"""The formulas of SciPy's multivariate densities."""

import numpy as np
import pytest
from scipy import stats
from srcgrad.formulas import load

from srcgrad import check
from tests.formulas.checking import case, check_case, definite, normal, positive

load("scipy.stats")
load("scipy.special")

METHODS = ("pdf", "logpdf")


def symmetric(a):
    """Return the symmetric part of a matrix."""
    return (a + a.T) / 2


CASES = [
    *(case(getattr(stats.dirichlet, m), np.array([0.2, 0.3]), positive(3)) for m in METHODS),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def log_density(x, mean, cov):
    """Depends on a symmetric covariance."""
    return np.sum(stats.multivariate_normal.logpdf(x, mean, symmetric(cov)) ** 2)


def density(x, mean, cov):
    """Depends on a symmetric covariance."""
    return np.sum(stats.multivariate_normal.pdf(x, mean, symmetric(cov)) ** 2)


@pytest.mark.parametrize("f", [log_density, density])
@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_normal(f, shape):
    """The derivative is that of a function of symmetric matrices."""
    for wrt in range(3):
        check(f, normal(*shape), normal(3), definite(3, 3), wrt=wrt)
