"""Zeros that are made of a shape."""

import numpy as np
import pytest

from srcgrad import grad


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
