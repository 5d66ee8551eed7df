"""The formulas of SciPy's hypergeometric functions and their kin."""

from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import between, case, formula_test, normal, positive

load("scipy.special")

MODIFIED_MATHIEU = [
    special.mathieu_modcem1, special.mathieu_modcem2,
    special.mathieu_modsem1, special.mathieu_modsem2,
]  # fmt: skip

CASES = [
    case(special.hyp2f1, 0.7, 1.2, 2.5, between(-0.9, 0.9, 2, 3)),
    case(special.hyp1f1, 0.7, 2.5, normal(3)),
    case(special.hyperu, 0.7, 1.5, positive(3)),
    case(special.hyp0f1, 1.5, normal(3)),
    case(special.pbdv, 1.5, normal(2, 3)),
    case(special.pbvv, 1.5, normal(3)),
    case(special.pbwa, 0.7, positive(3)),
    *(case(fn, 2, 1.5, 20 * normal(3)) for fn in (special.mathieu_cem, special.mathieu_sem)),
    *(case(fn, 2, 1.5, positive(3)) for fn in MODIFIED_MATHIEU),
]

test_formula = formula_test(CASES)
