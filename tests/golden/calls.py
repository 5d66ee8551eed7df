"""Helper functions: a normalised layer that is used twice."""

import numpy as np

from srcgrad import grad


def normalise(h):
    centred = h - np.mean(h, axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)


def layer(h, W):
    return np.tanh(normalise(h) @ W)


def loss(U, V, x, y):
    h = layer(x, U)
    out = layer(h, V)
    return np.sum((out - y) ** 2)


def arguments():
    rng = np.random.default_rng(3)
    shapes = (3, 4), (4, 2), (5, 3), (5, 2)
    return tuple(rng.normal(size=shape) for shape in shapes)


derivative = grad(loss, wrt=("U", "V"))


# ------------------------------------------------------------------------------------------

def loss_grad(U, V, x, y):
    """Gradient of loss (calls.py:17) with respect to (U, V)."""
    h, layer_residuals_ = layer_forward_2(x, U)
    out, layer_residuals = layer_forward(h, V)
    diff = out - y

    # calls.py:19  out = layer(h, V)
    h_bar, V_bar = layer_backward(layer_residuals, 2 * diff)
    # calls.py:18  h = layer(x, U)
    U_bar = layer_backward_2(layer_residuals_, h_bar)
    U_bar = np.copy(U_bar)
    V_bar = np.copy(V_bar)
    return U_bar, V_bar


def layer_forward(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    normalise_value, normalise_residuals = normalise_forward(h)
    value = np.tanh(normalise_value @ W)
    return value, (value, W, normalise_value, normalise_residuals)


def normalise_forward(h):
    """normalise (calls.py:8), with what its backward function needs."""
    centred = h - np.mean(h, axis=1, keepdims=True)
    den = np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    value = centred / den
    return value, (den, value, centred, h)


def normalise_backward(residuals, value_bar):
    """Backward function of normalise (calls.py:8)."""
    den, value, centred, h = residuals
    # calls.py:10  return centred / np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    pre_bar = (-(value_bar * value / den)).sum(axis=1, keepdims=True) / (2 * den)
    term = 2 * (pre_bar / centred.shape[1]) * centred
    centred_bar = value_bar / den + term
    # calls.py:9  centred = h - np.mean(h, axis=1, keepdims=True)
    h_bar = centred_bar + (-centred_bar).sum(axis=1, keepdims=True) / h.shape[1]
    return h_bar


def layer_backward(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    value, W, normalise_value, normalise_residuals = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    pre_bar = value_bar * (1 - value ** 2)
    W_bar = normalise_value.T @ pre_bar
    h_bar = normalise_backward(normalise_residuals, pre_bar @ W.T)
    return h_bar, W_bar


def layer_forward_2(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    value_h = normalise(h)
    value = np.tanh(value_h @ W)
    return value, (value, value_h)


def layer_backward_2(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    value, value_h = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    W_bar = value_h.T @ (value_bar * (1 - value ** 2))
    return W_bar
