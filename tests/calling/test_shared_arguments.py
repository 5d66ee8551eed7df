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


def of_add_at(x):
    """Add to entries of a global array."""
    np.add.at(TABLE, [0, 2], 1.0)
    return np.sum(x * x)


def of_another_name(x):
    """Add to entries of a global array, under a name of the function's own."""
    table = np.zeros(3)
    table = TABLE
    np.add.at(table, [0, 2], 1.0)
    return np.sum(x * x)


@pytest.mark.parametrize("f", [of_a_global, of_an_object, of_a_helper, of_add_at, of_another_name])
def test_written_from_outside(f):
    """An argument that changes under another name is an error; others are not touched."""
    x = np.array([0.4, 0.5, 0.6])
    slope = grad(f, recorded="refuse")
    np.testing.assert_allclose(slope(x), 2 * x)
    TABLE[:] = 0.5
    with pytest.raises(ArgumentError, match="written through another name"):
        slope(TABLE)


def test_arguments_are_not_looked_at_where_own_arrays_are_written():
    """What adds to entries of an array that it made changes nothing that was there."""

    def f(x, at):
        y = np.zeros(3)
        np.add.at(y, at, x * x)
        return np.sum(y**2)

    slope = grad(f)
    x, at = np.array([0.4, 0.5, 0.6]), np.array([0, 2, 2])
    found = slope(x, at)
    np.testing.assert_allclose(found, fd.gradient(f, (x, at), 0), 1e-6)
    (made,) = slope.__srcgrad__.specialisations
    assert not hasattr(made.run, "__wrapped__")


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
