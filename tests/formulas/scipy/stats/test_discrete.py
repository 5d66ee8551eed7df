"""The formulas of SciPy's discrete distributions."""

import numpy as np
from scipy import stats
from srcgrad.formulas import load

from tests.formulas.checking import between, case, formula_test, positive

load("scipy.stats")
load("scipy.special")

METHODS = ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf")
PMF = METHODS[:2]

CASES = [
    *(case(getattr(stats.poisson, m), np.array([0, 2, 3]), positive(3)) for m in METHODS),
    *(case(getattr(stats.binom, m), np.array([1, 2, 3]), 5, between(0.2, 0.8, 3)) for m in METHODS),
    *(case(getattr(stats.bernoulli, m), np.array([0, 1, 1]), between(0.2, 0.8, 3)) for m in PMF),
    *(case(getattr(stats.bernoulli, m), 0, between(0.2, 0.8, 3)) for m in METHODS[2:]),
    case(stats.poisson.logpmf, 2, 1.3),
]

test_formula = formula_test(CASES, turns=2)
