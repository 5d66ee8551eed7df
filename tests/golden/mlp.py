"""A network with one hidden layer."""

import numpy as np

from srcgrad import grad


def loss(W1, b1, W2, b2, x, y):
    # hidden layer
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y          # residual
    return np.mean(r ** 2)


def arguments():
    rng = np.random.default_rng(1)
    shapes = (4, 5), (5,), (5, 3), (3,), (6, 4), (6, 3)
    return tuple(rng.normal(size=shape) for shape in shapes)


derivative = grad(loss, wrt=("W1", "b1", "W2", "b2"))


# ------------------------------------------------------------------------------------------

def loss_grad(W1, b1, W2, b2, x, y):
    """Gradient of loss (mlp.py:8) with respect to (W1, b1, W2, b2)."""
    # hidden layer
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y          # residual

    # mlp.py:12  return np.mean(r ** 2)
    r_bar = 2 * r / r.size
    # mlp.py:11  r = h @ W2 + b2 - y
    b2_bar = r_bar.sum(axis=0)
    h_bar = r_bar @ W2.T
    W2_bar = h.T @ r_bar
    # mlp.py:10  h = np.tanh(x @ W1 + b1)
    pre_bar = h_bar * (1 - h ** 2)
    b1_bar = pre_bar.sum(axis=0)
    W1_bar = x.T @ pre_bar
    return W1_bar, b1_bar, W2_bar, b2_bar
