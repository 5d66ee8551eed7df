"""Rows and targets that a generator function hands out one after the other."""

import numpy as np

from srcgrad import grad


def samples(rows, targets):
    for i in range(len(rows)):
        yield rows[i], targets[i]


def loss(w, rows, targets):
    total = 0.0
    for x, y in samples(rows, targets):
        total += (x @ w - y) ** 2
    return total


def arguments():
    rows = np.array([[0.5, 1.0], [-0.3, 0.2], [0.1, -0.7]])
    return np.array([0.3, -0.4]), rows, np.array([1.0, 0.0, 0.5])


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(w, rows, targets):
    """Gradient of loss (samples.py:13) with respect to w."""
    saved = []
    for x, y in list(samples(rows, targets)):
        diff = x @ w - y
        saved.append((x, diff))

    # samples.py:15  for x, y in samples(rows, targets):
    w_bar = np.zeros(w.shape)
    for x, diff in saved[::-1]:
        # samples.py:16  total += (x @ w - y) ** 2
        w_bar += 2 * diff * x
    return w_bar
