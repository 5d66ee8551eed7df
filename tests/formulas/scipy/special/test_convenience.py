"""The formulas of SciPy's other special functions."""

from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("scipy.special")

POSITIVE = [
    special.exp1, special.expi, special.shichi, special.sici, special.spence, special.log1p,
    special.cbrt,
]  # fmt: skip
EVERYWHERE = [
    special.wrightomega, special.exprel, special.exp10, special.exp2, special.expm1,
    special.cosm1, special.sindg, special.cosdg, special.tandg, special.cotdg,
]  # fmt: skip

CASES = [
    *(case(fn, positive(2, 3)) for fn in POSITIVE),
    *(case(fn, normal(2, 3)) for fn in EVERYWHERE),
    case(special.exprel, 0.0),
    case(special.expn, 2, positive(3)),
    case(special.expn, 0, positive(3)),
    case(special.zeta, 2.5, positive(3)),
    case(special.powm1, positive(2, 3), normal(3)),
    case(special.xlogy, normal(2, 3), positive(3)),
    case(special.xlog1py, normal(2, 3), positive(3)),
    case(special.radian, normal(2, 3), normal(3), 0.7),
    case(special.diric, normal(2, 3), 3),
    case(special.binom, positive(2, 3) + 4, positive(3)),
    case(special.comb, positive(2, 3) + 4, positive(3)),
    case(special.perm, positive(2, 3) + 4, positive(3)),
    case(special.factorial, positive(3)),
    case(special.factorial2, positive(4), extend="complex"),
    case(special.factorialk, positive(4), 3, extend="complex"),
]

test_formula = formula_test(CASES, turns=2)
