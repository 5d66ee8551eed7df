"""Products with einsum: attention of one layer."""

import numpy as np

from srcgrad import grad


def attention(Q, K, V, target):
    scores = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    out = np.einsum("hij,hjd->ihd", weights, V)
    return np.sum((out - target) ** 2)


def arguments():
    rng = np.random.default_rng(5)
    shapes = (2, 3, 4), (2, 5, 4), (2, 5, 4), (3, 2, 4)
    return tuple(rng.normal(size=shape) for shape in shapes)


derivative = grad(attention, wrt=("Q", "K", "V"))


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import unbroadcast


def attention_grad(Q, K, V, target):
    """Gradient of attention (einsum.py:8) with respect to (Q, K, V)."""
    num = np.einsum("hid,hjd->hij", Q, K)
    den_ = np.sqrt(Q.shape[-1])
    scores = num / den_
    max_scores = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - max_scores)
    weights_0 = weights
    den = weights.sum(axis=-1, keepdims=True)
    weights = weights / den
    out = np.einsum("hij,hjd->ihd", weights, V)
    diff = out - target
    pre = diff ** 2

    # einsum.py:13  return np.sum((out - target) ** 2)
    out_bar = unbroadcast(unbroadcast(np.broadcast_to(2.0, shape=pre.shape) * diff, diff), out)
    # einsum.py:12  out = np.einsum("hij,hjd->ihd", weights, V)
    weights_bar = unbroadcast(np.einsum('ihd,hjd->hij', out_bar, V, optimize=False), weights)
    V_bar = unbroadcast(np.einsum('hij,ihd->hjd', weights, out_bar, optimize=False), V)
    # einsum.py:11  weights = weights / weights.sum(axis=-1, keepdims=True)
    den_bar = unbroadcast(-(weights_bar * weights / den), den)
    weights_bar = unbroadcast(weights_bar / den, weights_0) + np.broadcast_to(
        den_bar, shape=weights_0.shape)
    # einsum.py:10  weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    exponent_bar = weights_bar * weights_0
    term = scores == max_scores
    term2 = unbroadcast(-exponent_bar, max_scores) / np.sum(term, axis=-1,
        keepdims=True, dtype=scores.dtype)
    scores_bar = unbroadcast(exponent_bar, scores) + term2 * term
    # einsum.py:9  scores = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(Q.shape[-1])
    num_bar = unbroadcast(scores_bar / den_, num)
    Q_bar = unbroadcast(np.einsum('hij,hjd->hid', num_bar, K, optimize=False), Q)
    K_bar = unbroadcast(np.einsum('hid,hij->hjd', Q, num_bar, optimize=False), K)
    Q_bar = np.copy(Q_bar)
    K_bar = np.copy(K_bar)
    V_bar = np.copy(V_bar)
    return Q_bar, K_bar, V_bar
