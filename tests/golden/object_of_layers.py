"""A method of an object, which calls a method of others that it holds."""

import numpy as np

from srcgrad import value_and_grad


class Dense:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


def loss(layer, x):
    h = layer(x)
    return np.sum((layer(h) - x) ** 2)


def arguments():
    return Dense(np.array([[0.5, 0.1], [-0.3, 0.8]]), np.array([0.1, -0.2])), np.array([0.3, 0.6])


derivative = value_and_grad(loss, wrt="x")


# ------------------------------------------------------------------------------------------

def loss_value_and_grad(layer, x):
    """Value and gradient of loss (object_of_layers.py:17) with respect to x."""
    h, dense_call_residuals = dense_call_forward(layer, x)
    dense_call_value, dense_call_residuals2 = dense_call_forward(layer, h)
    diff = dense_call_value - x
    value = np.sum(diff ** 2)

    # object_of_layers.py:19  return np.sum((layer(h) - x) ** 2)
    diff_bar = 2 * diff
    h_bar = dense_call_backward(dense_call_residuals2, diff_bar)
    # object_of_layers.py:18  h = layer(x)
    x_bar = dense_call_backward(dense_call_residuals, h_bar) - diff_bar
    return value, x_bar


def dense_call_forward(self, x):
    """dense_call (object_of_layers.py:13), with what its backward function needs."""
    value = np.tanh(self.w @ x + self.b)
    return value, (self.w, value)


def dense_call_backward(residuals, value_bar):
    """Backward function of dense_call (object_of_layers.py:13)."""
    w, value = residuals
    # object_of_layers.py:14  return np.tanh(self.w @ x + self.b)
    x_bar = w.T @ (value_bar * (1 - value ** 2))
    return x_bar
