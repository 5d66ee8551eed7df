"""The formulas of SciPy's Airy functions."""

import pytest
from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import case, check_case, normal, positive

load("scipy.special")

CASES = [
    case(special.airy, normal(2, 3)),
    case(special.airye, positive(2, 3)),
    case(special.airye, 1.3),
    case(special.itairy, normal(3)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
