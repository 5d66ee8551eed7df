"""The formulas of ``numpy.emath``, on numbers of which some have complex results."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check
from tests.rotation import highest

load("numpy")

X = np.array([0.5, -0.7, 2.3, -1.8])
FUNCTIONS = {
    "sqrt": np.emath.sqrt,
    "log": np.emath.log,
    "log2": np.emath.log2,
    "log10": np.emath.log10,
    "logarithm to a base": lambda x: np.emath.logn(3.0, x),
    "logarithm to this base": lambda x: np.emath.logn(x, 2.5),
    "power": lambda x: np.emath.power(x, 1.7),
    "exponent": lambda x: np.emath.power(-1.3, x),
    "broadcast powers": lambda x: np.sum(np.emath.power(x[:, None], [1.7, -0.4]), axis=1),
    "broadcast exponents": lambda x: np.sum(np.emath.power([[1.7], [-0.4]], x), axis=0),
    "broadcast bases": lambda x: np.sum(np.emath.logn(x[:, None], [1.7, 0.4]), axis=1),
    "arccos": np.emath.arccos,
    "arcsin": np.emath.arcsin,
    "arctanh": np.emath.arctanh,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_complex_results_of_real_numbers(name):
    """The slope is that along the real axis, also where the result is complex."""
    weights = np.array([1 + 2j, 0.3 - 1j, 2.0, 1j - 1])
    fn = FUNCTIONS[name]
    check(lambda x: np.sum((fn(x) * weights).real), X, order=highest(), recorded="refuse")
