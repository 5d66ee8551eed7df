"""The formulas of SciPy's Bessel functions."""

import numpy as np
from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("scipy.special")

REAL_ORDER = [
    special.jv, special.jve, special.yv, special.yve, special.kv, special.kve,
    special.iv, special.ive,
]  # fmt: skip
FIXED_ORDER = [
    special.j0, special.j1, special.y0, special.y1, special.i0, special.i0e, special.i1,
    special.i1e, special.k0, special.k0e, special.k1, special.k1e, special.itj0y0,
    special.it2j0y0, special.iti0k0, special.it2i0k0,
]  # fmt: skip

CASES = [
    *(case(fn, v, positive(2, 3)) for fn in REAL_ORDER for v in (2, 1.5)),
    *(case(fn, 2, positive(2, 3)) for fn in (special.yn, special.kn)),
    case(special.jv, np.array([0.5, 1.5, 3.0]), 0.7),
    *(case(fn, positive(2, 3)) for fn in FIXED_ORDER),
    case(special.j1, 0.0),
    case(special.i1e, -normal(3)),
    case(special.wright_bessel, 0.7, 1.2, positive(3)),
    case(special.log_wright_bessel, 0.7, 1.2, positive(3)),
    *(case(fn, 1.5, positive(3), 2) for fn in (special.jvp, special.yvp, special.kvp, special.ivp)),
    case(special.jvp, 1.5, positive(3)),
]

test_formula = formula_test(CASES, turns=2)
