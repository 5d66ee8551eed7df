"""Statements that change something, written as calls of methods inside of expressions."""

import numpy as np
import pytest

from srcgrad import differentiate


def item_of_dict(x):
    """As above, of a dict."""
    d = {"k": 1.0}
    return np.sum(x) * d["k"] + (d.__setitem__("k", 4.0) or np.sum(x**2)) * d["k"]


def differentiated(x):
    """As above, of an array that is differentiated."""
    y = x * 2.0
    return np.sum(y) + (y.__imul__(3.0)).sum() * y[0]


@pytest.mark.parametrize("f", [item_of_dict, differentiated])
def test_operands_are_read_in_their_order(f):
    """Values and derivatives are those of the function."""
    x, step = np.array([1.3, 0.7, 1.1]), 1e-5
    expected = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(3)]
    made = differentiate(f, recorded="allow")
    value, gradient = made.value_and_grad(x.copy())
    again, dot = made.jvp((x.copy(),), (x,))
    np.testing.assert_allclose([value, again], f(x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    np.testing.assert_allclose(dot, expected @ x, rtol=1e-6)
