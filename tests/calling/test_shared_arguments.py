"""Arguments that share memory with each other, or with what a program changes from outside."""

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import ArgumentError
from tests import finite_differences as fd

TABLE = np.array([0.1, 0.2, 0.3])


class Holder:
    """Holds an array from outside."""

    buffer = TABLE


HOLDER = Holder()


def of_a_global(x):
    """Write to a global array."""
    TABLE[0] = 7.0
    return np.sum(x * x)


def of_an_object(x):
    """Write to an array that an object holds."""
    HOLDER.buffer[0] = 7.0
    return np.sum(x * x)


def helper():
    """Write to a global array elsewhere."""
    TABLE[1] = 3.0


def of_a_helper(x):
    """Call what writes to a global array."""
    helper()
    return np.sum(x * x)


@pytest.mark.parametrize("f", [of_a_global, of_an_object, of_a_helper])
def test_written_from_outside(f):
    """An argument that changes under another name is an error; others are not touched."""
    x = np.array([0.4, 0.5, 0.6])
    slope = grad(f, recorded="refuse")
    np.testing.assert_allclose(slope(x), 2 * x)
    TABLE[:] = 0.5
    with pytest.raises(ArgumentError, match="written through another name"):
        slope(TABLE)


def product(x, y):
    """Write to the first argument."""
    x += y
    return np.sum(x * y)


def test_constants_that_share_memory():
    """An argument that is written, and is a constant as well, is recorded; others are not."""
    x = np.array([0.4, 0.5, 0.6])
    slope = grad(product, recorded="allow")
    found = slope(x, x)
    np.testing.assert_allclose(found, 2 * x)  # x is twice what it was, and the factor of both
    np.testing.assert_allclose(slope(x.copy(), x * 2), fd.gradient(product, (x, x * 2), 0), 1e-6)
    with pytest.raises(ArgumentError, match="x is written in place and shares memory with y"):
        grad(product, (0, 1), recorded="allow")(x, x)
