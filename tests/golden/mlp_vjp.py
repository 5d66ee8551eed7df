"""The layers of a network, whose result is an array: a pair of forward and backward."""

import numpy as np

from srcgrad import vjp


def network(W1, b1, W2, b2, x):
    h = np.maximum(x @ W1 + b1, 0)
    scores = h @ W2 + b2
    # softmax
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def arguments():
    rng = np.random.default_rng(1)
    shapes = (4, 5), (5,), (5, 3), (3,), (6, 4)
    return tuple(rng.normal(size=shape) for shape in shapes)


derivative = vjp, network, ("W1", "b1", "W2", "b2")


# ------------------------------------------------------------------------------------------

def network_forward(W1, b1, W2, b2, x):
    """network (mlp_vjp.py:8), with what its backward function needs."""
    sum_ = x @ W1 + b1
    h = np.maximum(sum_, 0)
    scores = h @ W2 + b2
    # softmax
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    den = np.sum(e, axis=1, keepdims=True)
    value = e / den
    return value, (W2, x, sum_, h, e, den, value)


def network_backward(residuals, value_bar):
    """Cotangents of (W1, b1, W2, b2) from the cotangent of the result of network
    (mlp_vjp.py:8).
    """
    W2, x, sum_, h, e, den, value = residuals
    # mlp_vjp.py:13  return e / np.sum(e, axis=1, keepdims=True)
    e_bar = value_bar / den
    e_bar -= (e_bar * value).sum(axis=1, keepdims=True)
    # mlp_vjp.py:12  e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    scores_bar = e_bar * e
    # mlp_vjp.py:10  scores = h @ W2 + b2
    b2_bar = scores_bar.sum(axis=0)
    h_bar = scores_bar @ W2.T
    W2_bar = h.T @ scores_bar
    # mlp_vjp.py:9  h = np.maximum(x @ W1 + b1, 0)
    sum_bar = h_bar * ((sum_ > 0) + 0.5 * (sum_ == 0))
    b1_bar = sum_bar.sum(axis=0)
    W1_bar = x.T @ sum_bar
    return W1_bar, b1_bar, W2_bar, b2_bar
