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
    h, layer_residuals = layer_forward(x, U)
    out, layer_residuals2 = layer_forward_2(h, V)
    diff = out - y

    # calls.py:20  return np.sum((out - y) ** 2)
    out_bar = 2 * diff
    # calls.py:19  out = layer(h, V)
    h_bar, V_bar = layer_backward_2(layer_residuals2, out_bar)
    # calls.py:18  h = layer(x, U)
    U_bar = layer_backward(layer_residuals, h_bar)
    return U_bar, V_bar


def layer_forward_2(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    normalise_value, normalise_residuals = normalise_forward(h)
    value = np.tanh(normalise_value @ W)
    return value, (W, normalise_value, normalise_residuals, value)


def normalise_forward(h):
    """normalise (calls.py:8), with what its backward function needs."""
    centred = h - np.mean(h, axis=1, keepdims=True)
    den = np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    value = centred / den
    return value, (h, centred, den, value)


def normalise_backward(residuals, value_bar):
    """Backward function of normalise (calls.py:8)."""
    h, centred, den, value = residuals
    # calls.py:10  return centred / np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    centred_bar = value_bar / den
    term = -2 * (centred_bar * value).sum(axis=1, keepdims=True) / (2 * den) / centred.shape[1]
    centred_bar += term * centred
    # calls.py:9  centred = h - np.mean(h, axis=1, keepdims=True)
    h_bar = centred_bar - centred_bar.sum(axis=1, keepdims=True) / h.shape[1]
    return h_bar


def layer_backward_2(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    W, normalise_value, normalise_residuals, value = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    pre_bar = value_bar * (1 - value ** 2)
    W_bar = normalise_value.T @ pre_bar
    h_bar = normalise_backward(normalise_residuals, pre_bar @ W.T)
    return h_bar, W_bar


def layer_forward(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    value_h = normalise(h)
    value = np.tanh(value_h @ W)
    return value, (value_h, value)


def layer_backward(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    value_h, value = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    W_bar = value_h.T @ (value_bar * (1 - value ** 2))
    return W_bar
