"""The formulas of SciPy's continuous distributions."""

import pytest
from scipy import stats
from srcgrad.formulas import load

from tests.formulas.checking import between, case, check_case, normal, positive

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
    case(stats.gamma.logpdf, positive(3), positive(2, 3)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
