"""Arrays of one column, as they are read, widened and divided."""

import numpy as np

from srcgrad import check, grad, source


def turned(axis, points):
    """Points that are turned about an axis whose length is the angle."""
    theta = np.sqrt(np.sum(axis**2, axis=1))[:, None]
    w = axis / theta
    along = np.sum(w * points, axis=1)[:, None]
    moved = points * np.cos(theta) + np.cross(w, points) * np.sin(theta) + w * along
    return np.sum(moved**2 * points)


def log_ratio(s, k):
    """The logarithm of a ratio."""
    return np.sum(np.log(s / k) ** 2)


RNG = np.random.default_rng(0)
AXES, POINTS = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))


def test_gradients():
    """They agree with differences to second order."""
    check(turned, AXES, POINTS, wrt=(0, 1), order=2)
    check(log_ratio, np.array([0.5, 2.0]), 3.0, wrt=(0, 1), order=2)
    check(log_ratio, np.array([0.5, 2.0]), np.array([3.0, 0.2]), wrt=(0, 1), order=2)


def test_a_column_is_a_column():
    """It is not taken apart and put together again; vectors have NumPy's own product."""
    gradient = grad(turned, wrt=(0, 1))
    gradient(AXES, POINTS)
    text = source(gradient)
    assert "[:, 0][:, None]" not in text
    assert "cross_like" not in text
    assert "2 * root" not in text


def test_a_ratio_is_divided_out():
    """``x / (s / k) / k`` is ``x / s``."""
    gradient = grad(log_ratio)
    gradient(np.array([0.5, 2.0]), 3.0)
    assert source(gradient).rstrip().endswith("/ s\n    return s_bar")
