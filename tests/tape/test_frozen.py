"""SciPy's distributions with parameters, made outside of a function and inside of it."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import check

PRIOR = stats.norm(0.0, 0.3)
NORMAL = stats.multivariate_normal([0.1, 0.2], [[1.0, 0.2], [0.2, 2.0]])
LIFE = stats.weibull_min(1.3, scale=2.0)
SHARES = stats.dirichlet([1.0, 2.0, 3.0])
X = np.array([0.6, 0.9])
PROGRAMS = {
    "constants": lambda x: PRIOR.logpdf(x[0]) + np.sum(LIFE.logpdf(x) + LIFE.sf(x)),
    "vectors": lambda x: NORMAL.logpdf(x) + NORMAL.pdf(x) + SHARES.logpdf(x / 2.5),
    "parameters": lambda x: stats.invgamma(a=x[0], scale=x[1]).logpdf(1.2),
    "moved": lambda x: stats.multivariate_normal(x, np.eye(2) * x[0]).logpdf(np.ones(2)),
    "counts": lambda x: stats.poisson(x[0]).logpmf(3) + stats.nbinom(x[0], 0.3).logpmf(3),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_distributions_with_parameters(name):
    """They are called as their families are."""
    check(PROGRAMS[name], X, order=2, recorded="allow", rtol=1e-4)
