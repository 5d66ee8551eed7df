"""The formulas of SciPy's spheroidal wave functions and Legendre functions of order 2."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import check
from srcgrad.registry import find_formula
from tests.formulas.checking import (
    apply,
    between,
    case,
    check_cotangents,
    check_value,
    formula_test,
)
from tests.rotation import highest

load("scipy.special")

INSIDE, BEYOND = between(-0.6, 0.6, 2, 3), between(1.3, 2.0, 3)
LEVEL, OBLATE = special.pro_cv(1, 2, 0.7), special.obl_cv(1, 2, 0.7)

SPHEROIDAL = [
    case(special.pro_ang1, 1, 2, 0.7, INSIDE),
    case(special.pro_ang1_cv, 1, 2, 0.7, LEVEL, INSIDE),
    case(special.pro_rad1, 1, 2, 0.7, BEYOND),
    case(special.pro_rad1_cv, 1, 2, 0.7, LEVEL, BEYOND),
    case(special.pro_rad2, 0, 1, 1.3, BEYOND),
    case(special.pro_rad2_cv, 0, 1, 1.3, special.pro_cv(0, 1, 1.3), BEYOND),
    case(special.obl_ang1, 1, 2, 0.7, INSIDE),
    case(special.obl_ang1_cv, 1, 2, 0.7, OBLATE, INSIDE),
    case(special.obl_rad1, 1, 2, 0.7, BEYOND),
    case(special.obl_rad1_cv, 1, 2, 0.7, OBLATE, BEYOND),
]
CASES = [
    case(special.lqn, 3, 0.4),
    case(special.lqn, 2, BEYOND),
    case(special.lqmn, 2, 3, 0.4),
    case(special.lqmn, 1, 2, BEYOND),
]


@pytest.mark.parametrize("c", SPHEROIDAL, ids=str)
def test_spheroidal(c):
    """The formula agrees with differences; in single precision, SciPy does not come to an end."""
    fn, (*fixed, x) = c.target, c.args
    z, backward = apply(find_formula(fn), c)
    check_value(c, z)
    check_cotangents(c, z, backward)

    def both(x):
        y, slope = fn(*fixed, x)
        return np.sum(y**2) + np.sum(slope**3)

    check(both, x, order=highest())


test_formula = formula_test(CASES)
