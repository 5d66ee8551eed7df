"""A recurrent network whose gradient is looked at, and kept small, on its way back."""

import numpy as np

from srcgrad import backward_of, grad


def loss(W, U, inputs, targets, most):
    h = np.zeros(W.shape[0])
    total = 0.0
    for x, y in zip(inputs, targets):
        h = np.tanh(W @ h + U @ x)
        with backward_of(h) as h_bar:
            # no step back may be longer than this
            norm = np.linalg.norm(h_bar)
            if norm > most:
                h_bar = h_bar * (most / norm)
        total += np.sum((h - y) ** 2)
    return total


def arguments():
    rng = np.random.default_rng(6)
    shapes = (3, 3), (3, 2), (4, 2), (4, 3)
    return *(0.1 * rng.normal(size=shape) for shape in shapes), 100.0


derivative = grad(loss, wrt=("W", "U"))


# ------------------------------------------------------------------------------------------

def loss_grad(W, U, inputs, targets, most):
    """Gradient of loss (clipped_through_time.py:8) with respect to (W, U)."""
    h = np.zeros(W.shape[0])
    saved = []
    for x, y in zip(inputs, targets):
        h_0 = h
        h = np.tanh(W @ h + U @ x)
        diff = h - y
        saved.append((h_0, x, h, diff))

    # clipped_through_time.py:11  for x, y in zip(inputs, targets):
    h_bar = np.zeros(h.shape)
    U_bar = np.zeros(U.shape)
    W_bar = np.zeros(W.shape)
    for h_0, x, h, diff in saved[::-1]:
        # clipped_through_time.py:18  total += np.sum((h - y) ** 2)
        h_bar += 2 * diff
        # clipped_through_time.py:13  with backward_of(h) as h_bar:
        # no step back may be longer than this
        norm = np.linalg.norm(h_bar)
        if norm > most:
            h_bar = h_bar * (most / norm)
        # clipped_through_time.py:12  h = np.tanh(W @ h + U @ x)
        pre_bar = h_bar * (1 - h ** 2)
        U_bar += np.outer(pre_bar, x)
        h_bar = W.T @ pre_bar
        W_bar += np.outer(pre_bar, h_0)
    return W_bar, U_bar
