"""The formulas of NumPy's hyperbolic functions."""

import numpy as np
from srcgrad.formulas import load

from tests.formulas.checking import between, case, formula_test, normal

load("numpy")

CASES = [
    *(case(fn, x) for fn in (np.sinh, np.cosh, np.tanh, np.arcsinh) for x in (0.7, normal(2, 3))),
    *(case(np.arccosh, x) for x in (1.7, between(1.2, 3.0, 4))),
    *(case(np.arctanh, x) for x in (0.7, between(-0.9, 0.9, 4))),
]

test_formula = formula_test(CASES)
