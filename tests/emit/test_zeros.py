"""Zeros that are made of a shape."""

import numpy as np
import pytest

from srcgrad import grad, vjp


def perhaps(x):
    """An array that is None where no iteration assigns it."""
    best = None
    for k in range(3):
        if x[0] > 5:
            best = x * k
    return np.sum(x) ** 2 if best is None else np.sum(best)


@pytest.mark.parametrize("optimize", ["readable", "speed"])
def test_none_has_no_shape(optimize):
    """What may be None has zeros as before."""
    gradient = grad(perhaps, optimize=optimize)
    np.testing.assert_array_equal(gradient(np.array([1.0, 2.0])), [6.0, 6.0])
    np.testing.assert_array_equal(gradient(np.array([6.0, 2.0])), [2.0, 2.0])


def perhaps_a_part(x):
    """A part of an array that only a branch which is not taken reads."""
    y = x[:1]
    if x[0] > 5.0:
        for _ in range(2):
            y = x
        y = y * x
    return np.sum(y)


def test_zeros_of_what_was_not_assigned():
    """A name without a value holds a number, which has no shape."""
    _, backward = vjp(grad(perhaps_a_part), np.array([0.5, 0.9]))
    np.testing.assert_array_equal(backward(np.array([0.3, 0.4])), [0.0, 0.0])
