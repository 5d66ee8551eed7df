"""A product with truth values is a number, with or without a minus sign."""

import numpy as np
import pytest

from srcgrad import grad


def masked(x, k):
    """A plain mask."""
    return np.sum(x * (k == 0))


def minus_one_times(x, k):
    """A factor of minus one."""
    return np.sum(-1.0 * x * (np.floor(k) == 0))


def minus(x, k):
    """A minus sign."""
    return np.sum(-(x * (k > 1)))


@pytest.mark.parametrize(
    ("f", "bar"), [(masked, [1, 0, 0]), (minus_one_times, [-1, 0, 0]), (minus, [0, 0, -1])]
)
def test_mask(f, bar):
    """The gradient has the dtype of the argument."""
    found = grad(f)(np.ones(3), np.arange(3.0))
    np.testing.assert_array_equal(found, bar)
    assert found.dtype == np.float64
