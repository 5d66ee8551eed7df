"""A recurrent network, trained through time."""

import numpy as np

from srcgrad import grad


def loss(W, U, b, V, inputs, targets):
    h = np.zeros(W.shape[0])
    total = 0.0
    for x, y in zip(inputs, targets):
        h = np.tanh(W @ h + U @ x + b)
        error = V @ h - y
        total += error @ error
    return total / len(inputs)


def arguments():
    rng = np.random.default_rng(6)
    shapes = (4, 4), (4, 3), (4,), (2, 4), (5, 3), (5, 2)
    return tuple(0.5 * rng.normal(size=shape) for shape in shapes)


derivative = grad(loss, wrt=("W", "U", "b", "V"))


# ------------------------------------------------------------------------------------------

def loss_grad(W, U, b, V, inputs, targets):
    """Gradient of loss (rnn.py:8) with respect to (W, U, b, V)."""
    h = np.zeros(W.shape[0])
    saved = []
    for x, y in zip(inputs, targets):
        h_0 = h
        h = np.tanh(W @ h + U @ x + b)
        error = V @ h - y
        saved.append((h_0, x, h, error))
    den = len(inputs)

    # rnn.py:11  for x, y in zip(inputs, targets):
    h_bar = np.zeros(h.shape)
    V_bar = np.zeros(V.shape)
    b_bar = np.zeros(b.shape)
    U_bar = np.zeros(U.shape)
    W_bar = np.zeros(W.shape)
    for h_0, x, h, error in saved[::-1]:
        # rnn.py:14  total += error @ error
        error_bar = 2 * error / den
        # rnn.py:13  error = V @ h - y
        V_bar += np.outer(error_bar, h)
        h_bar += V.T @ error_bar
        # rnn.py:12  h = np.tanh(W @ h + U @ x + b)
        pre_bar = h_bar * (1 - h ** 2)
        b_bar += pre_bar
        U_bar += np.outer(pre_bar, x)
        h_bar = W.T @ pre_bar
        W_bar += np.outer(pre_bar, h_0)
    return W_bar, U_bar, b_bar, V_bar
