"""Objects whose calls run compiled code, as those of Numba's functions do."""

import types

import numpy as np
import pytest

from srcgrad import formula, grad
from srcgrad.program.namespaces import held_by


class Made:
    """Makes up each attribute it is asked for, as functions of loaded libraries do."""

    __slots__ = ()

    def __getattr__(self, name):
        return Made()


def test_a_made_up_dict_is_no_dict():
    """What an object calls ``__dict__`` counts where it is one."""
    assert held_by(types.SimpleNamespace(a=1)) == {"a": 1}
    assert held_by(3) == {}
    assert held_by(Made()) == {}


def test_functions_that_hold_what_makes_up_attributes():
    """Such an object in reach of a program is no reason to give up on its text."""
    tool = types.SimpleNamespace(library=Made(), factor=3.0)

    def scaled(x):
        return x * tool.factor

    assert grad(scaled, recorded="refuse")(2.0) == 3.0


def test_numba():
    """A compiled function with a formula is called by it; others have a Python source."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def jitted(x):
        total = 0.0
        for v in x:
            total += v * v * v
        return total

    def doubled(x):
        return jitted(x) * 2

    @numba.njit
    def fill(out, n):
        for i in range(n):
            out[i] = i + 1.0

    def weighted(x):
        w = np.zeros(3)
        before = np.sum(w * x)
        fill(w, 3)
        return before + np.sum(w * x)

    x = np.arange(3.0)
    np.testing.assert_array_equal(grad(weighted, recorded="refuse")(x), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(doubled)(x), 6 * x**2)

    @formula(jitted)
    def jitted_formula(x):
        return jitted(x), lambda z_bar: 5 * z_bar * x**2

    np.testing.assert_allclose(grad(doubled)(x), 10 * x**2)
