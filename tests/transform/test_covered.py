"""What is read of an array in parts, all of it or not."""

import numpy as np
import pytest

from srcgrad import grad, source


def halves(x):
    """Two slices that are all of an array."""
    y = np.sqrt(x)
    return np.sum(y[:2] ** 2) + np.sum(y[2:])


def each(x):
    """Every entry, in a loop over all of them."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i] * (i + 1)
    return total


def pairs(x):
    """Each entry with those behind it: nothing, where there is only one."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += y[i] * np.sum(y[i + 1 :])
    return total


@pytest.mark.parametrize("function", [halves, each, pairs])
def test_nothing_is_chosen_where_all_is_read(function):
    """The text has no masks, and the numbers are those of the formula."""
    gradient = grad(function)
    x = np.array([1.0, 4.0, 9.0, 16.0])
    found = gradient(x)
    step = 1e-6 * np.eye(4)
    wanted = [(function(x + d) - function(x - d)) / 2e-6 for d in step]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert "where" not in source(gradient)


def test_a_call_in_which_nothing_is_read_has_zeros():
    """What is assumed of lengths is tested at each call."""
    gradient = grad(pairs)
    gradient(np.ones(4))
    np.testing.assert_array_equal(gradient(np.zeros(1)), [0.0])


def left(x, most):
    """A loop that is left before it has read all."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i]
        if i == most:
            break
    return total


def some(x, most):
    """A loop over some entries."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(most):
        total += y[i]
    return total


def if_positive(x, most):
    """A loop that reads some entries only under a condition."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(x.shape[0]):
        if i <= most:
            total += y[i]
    return total


def from_behind(x, most):
    """A slice whose beginning is counted from the end in the first iteration."""
    y = np.sqrt(x)
    total = 0.0
    for i in range(most):
        total += np.sum(y[i - 1 :][:1])
    return total


@pytest.mark.parametrize("function", [left, some, if_positive, from_behind])
def test_what_is_not_read_has_no_slope(function):
    """A square root at 0 that nothing reads gives no nan."""
    x = np.array([1.0, 4.0, 9.0, 16.0])
    gradient = grad(function)
    found = gradient(x, 2)
    unread = found == 0
    assert unread.any()
    x[unread] = 0.0
    np.testing.assert_array_equal(gradient(x, 2), found)
