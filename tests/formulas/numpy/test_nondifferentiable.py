"""NumPy's functions without a derivative to have."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula, is_nondifferentiable

load("numpy")


@pytest.mark.parametrize(
    "fn", [np.shape, np.zeros_like, np.argmax, np.argsort, np.sign, np.floor, np.isnan, np.round]
)
def test_constant_between_jumps(fn):
    """Shapes, places, rounding and truth values are declared."""
    assert is_nondifferentiable(fn)


@pytest.mark.parametrize("fn", [np.random.normal, np.histogramdd, np.polyfit, np.union1d])
def test_smooth_functions_are_not_declared(fn):
    """A function that depends on an argument smoothly is refused, not taken for constant."""
    assert not is_nondifferentiable(fn)
    assert find_formula(fn) is None
