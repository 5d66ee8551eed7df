"""The formulas of SciPy's elliptic functions and integrals."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import grad
from srcgrad.runtime.scipy.stats.densities import elliptic_d
from srcgrad.testing import check_orders
from tests.formulas.checking import between, case, formula_test, normal, positive

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

test_formula = formula_test(CASES, turns=2)


@pytest.mark.parametrize("fn", [special.ellipk, special.ellipe, special.agm])
def test_no_gaps(fn):
    """Third derivatives exist where the parameter is 0, or both arguments are equal."""
    if fn is special.agm:
        assert check_orders(fn, np.array([1.0, 2.0, 0.3]), np.array([1.0, 2.5, 0.3])) == 3
    else:
        assert check_orders(fn, np.array([0.0, -3.0, 0.5])) == 3


def test_close_to_the_pole():
    """The slope of K(1 - p) has all its digits for a small p, where it is about -1 / (2 p)."""
    p = 1e-13
    slope = -1 / (2 * p) + np.log(16 / p) / 8 - 3 / 8  # of DLMF 19.12.1
    np.testing.assert_allclose(grad(special.ellipkm1)(p), slope, rtol=1e-12)


def test_close_to_a_quarter_turn():
    """The slopes in the angle have all their digits where m sin(phi)**2 is close to 1."""
    p = 2.0**-40
    phi = np.pi / 2 - 1e-6
    angle = np.pi / 2 - phi + 6.123233995736766e-17  # of pi / 2 without rounding
    root = np.hypot(np.sin(angle), np.sqrt(p) * np.cos(angle))
    first, second = special.ellipkinc, special.ellipeinc
    np.testing.assert_allclose(grad(lambda phi: first(phi, 1 - p))(phi), 1 / root, rtol=1e-14)
    np.testing.assert_allclose(grad(lambda phi: second(phi, 1 - p))(phi), root, rtol=1e-14)
