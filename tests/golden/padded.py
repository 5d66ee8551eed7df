"""A helper that is told how many elements to add."""

import numpy as np

from srcgrad import grad


def padded(x, n):
    return np.concatenate((np.full(2 * n, 0.5), x))


def roughness(x):
    y = padded(x, 2)
    return np.sum((y[1:] - y[:-1]) ** 2)


def arguments():
    return (np.array([0.3, 0.6, -1.0]),)


derivative = grad(roughness)


# ------------------------------------------------------------------------------------------

def roughness_grad(x):
    """Gradient of roughness (padded.py:12) with respect to x."""
    y = padded(x, 2)
    diff = y[1:] - y[:-1]

    # padded.py:14  return np.sum((y[1:] - y[:-1]) ** 2)
    diff_bar = 2 * diff
    y_bar = np.zeros(y.shape)
    y_bar[:-1] = -diff_bar
    y_bar[1:] += diff_bar
    # padded.py:13  y = padded(x, 2)
    x_bar = y_bar[4:]
    return x_bar
