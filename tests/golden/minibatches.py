"""Pieces of the rows and of the targets of a data set, cut at the same places."""

import numpy as np

from srcgrad import grad


def loss(w, rows, targets, size):
    total = 0.0
    for i in range(0, len(rows), size):
        X, y = rows[i:i + size], targets[i:i + size]
        total += np.sum((X @ w - y) ** 2)
    return total


def arguments():
    rows = np.array([[0.5, 1.0], [-0.3, 0.2], [0.1, -0.7]])
    return np.array([0.3, -0.4]), rows, np.array([1.0, 0.0, 0.5]), 2


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(w, rows, targets, size):
    """Gradient of loss (minibatches.py:8) with respect to w."""
    saved = []
    for i in range(0, len(rows), size):
        X, y = rows[i:i + size], targets[i:i + size]
        diff = X @ w - y
        saved.append((X, diff))

    # minibatches.py:10  for i in range(0, len(rows), size):
    w_bar = np.zeros(w.shape)
    for X, diff in saved[::-1]:
        # minibatches.py:12  total += np.sum((X @ w - y) ** 2)
        w_bar += X.T @ (2 * diff)
    return w_bar
