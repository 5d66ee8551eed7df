"""The formulas of SciPy's elliptic functions and integrals."""

import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad.runtime.densities import elliptic_d
from tests.formulas.checking import between, case, check_case, normal, positive

load("scipy.special")

CASES = [
    case(special.ellipj, normal(2, 3), between(0.1, 0.9, 3)),
    case(special.ellipk, between(-2.0, 0.9, 2, 3)),
    case(special.ellipkm1, between(0.1, 1.9, 3)),
    case(special.ellipe, between(-2.0, 0.9, 2, 3)),
    case(special.ellipkinc, 2 * normal(2, 3), between(0.1, 0.9, 3)),
    case(special.ellipeinc, 2 * normal(2, 3), between(0.1, 0.9, 3)),
    case(elliptic_d, 2 * normal(2, 3), between(0.1, 0.9, 3)),
    case(special.elliprc, positive(2, 3), 2.5),
    case(special.elliprd, positive(2, 3), positive(3), 2.5),
    case(special.elliprf, positive(2, 3), positive(3) + 2, 5.0),
    case(special.elliprg, positive(2, 3), positive(3) + 2, 5.0),
    case(special.elliprj, positive(2, 3), positive(3) + 2, 5.0, 6.0),
    case(special.agm, positive(2, 3), 2.5),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
