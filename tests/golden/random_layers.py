"""Layers whose weights are drawn, and stay as they are."""

import numpy as np

from srcgrad import grad


def echo(x, depth):
    rng = np.random.default_rng(3)
    layers = [rng.standard_normal((2, 2)) for _ in range(depth)]
    for weight in layers:
        x = np.tanh(weight @ x)
    return np.sum(x ** 2)


def arguments():
    return np.array([0.3, -0.4]), 2


derivative = grad(echo)


# ------------------------------------------------------------------------------------------

def echo_grad(x, depth):
    """Gradient of echo (random_layers.py:8) with respect to x."""
    rng = np.random.default_rng(3)
    layers = [rng.standard_normal((2, 2)) for _ in range(depth)]
    saved = []
    for weight in layers:
        x = np.tanh(weight @ x)
        saved.append((weight, x))

    # random_layers.py:13  return np.sum(x ** 2)
    x_bar = 2 * x
    for weight, x in saved[::-1]:
        # random_layers.py:12  x = np.tanh(weight @ x)
        x_bar = weight.T @ (x_bar * (1 - x ** 2))
    return x_bar
