"""The formulas of SciPy's spherical Bessel, Struve and Kelvin functions."""

from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, positive

load("scipy.special")

SPHERICAL = [
    special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn,
]  # fmt: skip
INTEGRALS = [special.itstruve0, special.it2struve0, special.itmodstruve0]
KELVIN = [
    special.ber, special.bei, special.ker, special.kei,
    special.berp, special.beip, special.kerp, special.keip,
]  # fmt: skip

CASES = [
    *(case(fn, 2, positive(2, 3), derivative=d) for fn in SPHERICAL for d in (False, True)),
    case(special.riccati_jn, 3, 1.3),
    case(special.riccati_yn, 3, 1.3),
    case(special.struve, 1.5, positive(3)),
    case(special.modstruve, 1.5, positive(3)),
    *(case(fn, positive(2, 3)) for fn in INTEGRALS + KELVIN),
]

test_formula = formula_test(CASES, turns=2)
