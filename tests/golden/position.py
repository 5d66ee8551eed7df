"""A vector of parameters that a local function takes from, a piece at a time."""

import numpy as np

from srcgrad import grad


def loss(theta, x, y):
    at = 0

    def take(*shape):
        nonlocal at
        size = int(np.prod(shape))
        piece = theta[at : at + size].reshape(shape)
        at += size
        return piece

    h = np.tanh(x @ take(2, 3) + take(3))
    return np.mean((h @ take(3) - y) ** 2)


def arguments():
    x = np.array([[0.5, -1.5], [1.0, 0.2], [-0.3, 0.4]])
    return np.linspace(-1.0, 1.0, 12), x, np.array([0.1, 0.5, -0.2])


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import unbroadcast


def loss_grad(theta, x, y):
    """Gradient of loss (position.py:8) with respect to theta."""
    at = [0]

    take_, take_residuals = take_forward(2, 3, at=at, theta=theta)
    take_value, take_residuals2 = take_forward(3, at=at, theta=theta)
    h = np.tanh(x @ take_ + take_value)
    take_value2, take_residuals3 = take_forward(3, at=at, theta=theta)
    diff = h @ take_value2 - y
    power = diff ** 2

    # position.py:19  return np.mean((h @ take(3) - y) ** 2)
    diff_bar = 2 * diff / power.size
    h_bar = np.outer(diff_bar, take_value2)
    theta_bar = take_backward(take_residuals3, h.T @ diff_bar)
    # position.py:18  h = np.tanh(x @ take(2, 3) + take(3))
    pre_bar = h_bar * (1 - h ** 2)
    theta_bar += take_backward(take_residuals2, unbroadcast(pre_bar, take_value))
    theta_bar += take_backward(take_residuals, x.T @ pre_bar)
    return theta_bar


def take_forward(*shape, at, theta):
    """take (position.py:11), with what its backward function needs."""
    at_0 = at[0]
    size = int(np.prod(shape))
    piece = theta[at[0] : at[0] + size].reshape(shape)
    at[0] += size
    return piece, (at_0, theta, size)


def take_backward(residuals, piece_bar):
    """Backward function of take (position.py:11)."""
    at_0, theta, size = residuals
    # position.py:14  piece = theta[at : at + size].reshape(shape)
    theta_bar = np.zeros(theta.shape)
    theta_bar[at_0:at_0 + size] = piece_bar.reshape(theta[at_0:at_0 + size].shape)
    return theta_bar
