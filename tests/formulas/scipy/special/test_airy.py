"""The formulas of SciPy's Airy functions."""

from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("scipy.special")

CASES = [
    case(special.airy, normal(2, 3)),
    case(special.airye, positive(2, 3)),
    case(special.airye, 1.3),
    case(special.itairy, normal(3)),
]

test_formula = formula_test(CASES)
