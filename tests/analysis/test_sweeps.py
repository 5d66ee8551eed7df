"""Entries of arrays that later iterations do not overwrite are read at the end, not kept."""

import numpy as np
import pytest

from srcgrad import check, grad, source, vjp

X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


def recurrence(x, a):
    """Each entry is made of the one before it."""
    y = np.zeros(6)
    y[0] = x[0]
    for i in range(1, 6):
        y[i] = a * np.sin(y[i - 1]) + x[i] * y[i - 1]
    return np.sum(y**2)


def backwards(x, a):
    """The same, from the end."""
    y = x.copy()
    for i in range(4, -1, -1):
        y[i] = a * y[i + 1] * y[i + 1] + x[i]
    return np.sum(y**2)


def columns(x, a):
    """Each column is made of all those before it."""
    m, q = np.outer(x, x), np.zeros((6, 5))
    for k in range(5):
        q[:, k] = a * m[:, k] - q[:, :k] @ (q[:, :k].T @ x)
    return np.sum(q**3)


@pytest.mark.parametrize("f", [recurrence, backwards, columns])
def test_what_a_sweep_leaves_behind_is_not_copied(f):
    """The forward part keeps no entry that is found in the array at the end."""
    check(f, X, 0.5, wrt=(0, 1))
    gradient = grad(f, wrt=(0, 1))
    gradient(X, 0.5)
    text = source(gradient)
    assert "_0" not in text
    assert "y_item" not in text
    assert "q_item" not in text


def test_a_stored_value_is_read_where_it_was_stored():
    """Of ``y[i] = sin(...) * a`` the product is read as ``y[i]``."""

    def f(x, a):
        y = np.zeros(6)
        for i in range(6):
            y[i] = np.exp(a * x[i])
        return np.sum(y**2)

    check(f, X, 0.5, wrt=(0, 1))
    gradient = grad(f)
    gradient(X, 0.5)
    assert "saved" not in source(gradient)
    assert "y[i]" in source(gradient).split("#", 1)[1]


def test_a_stored_value_of_lower_precision_is_kept():
    """What an array in single precision holds is not what was stored."""

    def f(x, a):
        y = np.zeros(6, dtype=np.float32)
        for i in range(6):
            y[i] = np.exp(a * x[i])
        return np.sum(y**2)

    found = grad(f)(X, 0.5)
    assert np.allclose(found, 2 * 0.5 * np.exp(X), rtol=1e-6)


def test_the_array_of_a_sweep_is_handed_to_the_backward_function():
    """Where the two parts are functions of their own, the array is among the residuals."""

    def f(x, a):
        y = np.zeros(6)
        y[0] = x[0]
        for i in range(1, 6):
            y[i] = a * y[i - 1] * y[i - 1] + x[i]
        return y

    check(f, X, 0.5, wrt=(0, 1))
    value, backward = vjp(f, X, 0.5)
    assert backward(np.ones_like(value)).shape == X.shape


def wrapping(x, a):
    """The entry before the first one is the last one, which is overwritten."""
    y = x.copy()
    for i in range(6):
        y[i] = a * np.sin(y[i - 1]) * y[i]
    return np.sum(y**2)


def again(x, a):
    """A second sweep overwrites what the first one has left."""
    y = x.copy()
    for _ in range(3):
        for i in range(1, 6):
            y[i] = a * y[i] * y[i - 1]
    return np.sum(y**2)


def behind(x, a):
    """An entry is overwritten after the loop."""
    y = x.copy()
    for i in range(1, 6):
        y[i] = a * y[i - 1] * y[i - 1]
    y[2] = 3.0
    return np.sum(y**2)


def rebound(x, a):
    """The name stands for another array at the end."""
    y = x.copy()
    for i in range(1, 6):
        y[i] = a * y[i - 1] * y[i - 1]
    y = y * y
    return np.sum(y**2)


def through_a_view(x, a):
    """A view in the opposite order is written."""
    y = x.copy()
    z = y[::-1]
    for i in range(1, 6):
        z[i] = a * y[i - 1] * y[i - 1]
    return np.sum(y**2)


def exchanged(x, a):
    """Two names take turns with two arrays."""
    y, z = x.copy(), 2 * x
    for i in range(1, 6):
        y[i] = a * y[i - 1] * y[i - 1] + z[i - 1]
        y, z = z, y
    return np.sum(y**2) + np.sum(z**3)


def in_either_arm(x, a):
    """One arm writes ahead, the other one where it has read."""
    y = x.copy()
    for i in range(1, 6):
        if x[i] > 0:
            y[i] = a * y[i - 1] * y[i - 1]
        else:
            y[i - 1] = a * y[i - 1] * y[i]
    return np.sum(y**2)


def left_early(x, a):
    """A loop that is left before its end."""
    y = x.copy()
    for i in range(1, 6):
        y[i] = a * y[i - 1] * y[i - 1] * y[i]
        if y[i] < -0.01:
            break
    return np.sum(y**2)


def in_steps(x, a):
    """A loop that goes on by two, and reads what comes next."""
    y = x.copy()
    for i in range(1, 5, 2):
        y[i] = a * y[i - 1] * y[i + 1]
    return np.sum(y**2)


def summed_up(x, a):
    """Entries are added to behind the place of the loop."""
    y = x.copy()
    for i in range(2, 6):
        y[i - 1] += a * y[i] * y[i - 2]
    return np.sum(y**2)


def cumulative(x, a):
    """Slices that end at the place of the loop, and begin there."""
    y = x.copy()
    for i in range(1, 6):
        y[i:] = a * y[i:] * np.sum(y[:i] ** 2)
    return np.sum(y**2)


OTHERS = [wrapping, again, behind, rebound, through_a_view, exchanged, in_either_arm]
OTHERS += [left_early, in_steps, summed_up, cumulative]


@pytest.mark.parametrize("f", OTHERS)
@pytest.mark.one_of(2)
def test_what_is_overwritten_is_kept(f):
    """The derivative is right in every mode, whatever is overwritten later."""
    check(f, X, 0.5, wrt=(0, 1))
