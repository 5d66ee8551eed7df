"""The formulas of SciPy's integrals of samples."""

import pytest
from scipy import integrate
from srcgrad.formulas import load

from tests.formulas.checking import case, check_case, normal

load("scipy.integrate")

CASES = [
    case(integrate.trapezoid, normal(2, 5)),
    case(integrate.trapezoid, normal(5), normal(5)),
    case(integrate.trapezoid, normal(5, 2), normal(5), axis=0),
    *(case(integrate.simpson, normal(2, n)) for n in (1, 2, 3, 4, 5, 6)),
    case(integrate.simpson, normal(5, 2), dx=0.7, axis=0),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
