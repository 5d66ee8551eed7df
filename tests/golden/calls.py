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

from srcgrad.runtime import require_scalar
from srcgrad.runtime import unbroadcast


def loss_grad(U, V, x, y):
    """Gradient of loss (calls.py:17) with respect to (U, V)."""
    h, layer_residuals_ = layer_forward_2(x, U)
    out, layer_residuals = layer_forward(h, V)
    diff = out - y
    pre = diff ** 2
    value = np.sum(pre)
    require_scalar(value)

    # calls.py:20  return np.sum((out - y) ** 2)
    out_bar = unbroadcast(unbroadcast(np.broadcast_to(2.0, shape=pre.shape) * diff, diff), out)
    # calls.py:19  out = layer(h, V)
    h_bar, V_bar = layer_backward(layer_residuals, out_bar)
    # calls.py:18  h = layer(x, U)
    U_bar = layer_backward_2(layer_residuals_, h_bar)
    U_bar = np.copy(U_bar)
    V_bar = np.copy(V_bar)
    return U_bar, V_bar


def layer_forward(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    normalise_value, normalise_residuals = normalise_forward(h)
    value = np.tanh(normalise_value @ W)
    return value, (value, normalise_value, W, normalise_residuals)


def normalise_forward(h):
    """normalise (calls.py:8), with what its backward function needs."""
    mean_h = np.mean(h, axis=1, keepdims=True)
    centred = h - mean_h
    den = np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    value = centred / den
    return value, (den, value, centred, h, mean_h)


def normalise_backward(residuals, value_bar):
    """Backward function of normalise (calls.py:8)."""
    den, value, centred, h, mean_h = residuals
    # calls.py:10  return centred / np.sqrt(np.mean(centred ** 2, axis=1, keepdims=True) + 1e-5)
    pre_bar = unbroadcast(-(value_bar * value / den), den) / (2 * den)
    term = np.shape(centred)
    term = np.broadcast_to(2 * (pre_bar / term[1]), shape=term) * centred
    centred_bar = unbroadcast(value_bar / den, centred) + unbroadcast(term, centred)
    # calls.py:9  centred = h - np.mean(h, axis=1, keepdims=True)
    term = np.shape(h)
    term = np.broadcast_to(unbroadcast(-centred_bar, mean_h) / term[1], shape=term)
    h_bar = unbroadcast(centred_bar, h) + term
    return h_bar


def layer_backward(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    value, normalise_value, W, normalise_residuals = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    normalise_value_bar, W_bar = matmul_backward(normalise_value, W, value_bar *
        (1 - value ** 2))
    h_bar = normalise_backward(normalise_residuals, normalise_value_bar)
    return h_bar, W_bar


def matmul_backward(x, y, z_bar):
    if x.ndim == 2 and y.ndim == 2:
        x_bar = z_bar @ y.T
        y_bar = x.T @ z_bar
    elif x.ndim == 1 and y.ndim == 1:
        x_bar = z_bar * y
        y_bar = z_bar * x
    elif x.ndim == 2 and y.ndim == 1:
        x_bar = np.outer(z_bar, y)
        y_bar = x.T @ z_bar
    elif x.ndim == 1 and y.ndim == 2:
        x_bar = y @ z_bar
        y_bar = np.outer(x, z_bar)
    elif y.ndim == 1:
        x_bar = z_bar[..., None] * y
        y_bar = unbroadcast(z_bar[..., None] * x, y)
    elif x.ndim == 1:
        x_bar = unbroadcast(np.sum(z_bar[..., None, :] * y, axis=-1), x)
        y_bar = x[:, None] * z_bar[..., None, :]
    else:
        x_bar = unbroadcast(z_bar @ np.swapaxes(y, -1, -2), x)
        y_bar = unbroadcast(np.swapaxes(x, -1, -2) @ z_bar, y)
    return x_bar, y_bar


def layer_forward_2(h, W):
    """layer (calls.py:13), with what its backward function needs."""
    value_h = normalise(h)
    value = np.tanh(value_h @ W)
    return value, (value, value_h, W)


def layer_backward_2(residuals, value_bar):
    """Backward function of layer (calls.py:13)."""
    value, value_h, W = residuals
    # calls.py:14  return np.tanh(normalise(h) @ W)
    _, W_bar = matmul_backward(value_h, W, value_bar * (1 - value ** 2))
    return W_bar
