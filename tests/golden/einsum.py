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

def attention_grad(Q, K, V, target):
    """Gradient of attention (einsum.py:8) with respect to (Q, K, V)."""
    den_ = np.sqrt(Q.shape[-1])
    scores = np.einsum("hid,hjd->hij", Q, K) / den_
    max_scores = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - max_scores)
    weights_0 = weights
    den = weights.sum(axis=-1, keepdims=True)
    weights = weights / den
    out = np.einsum("hij,hjd->ihd", weights, V)
    diff = out - target

    # einsum.py:13  return np.sum((out - target) ** 2)
    term = 2 * diff
    # einsum.py:12  out = np.einsum("hij,hjd->ihd", weights, V)
    weights_bar = np.einsum('ihd,hjd->hij', term, V, optimize=False)
    V_bar = np.einsum('hij,ihd->hjd', weights, term, optimize=False)
    # einsum.py:11  weights = weights / weights.sum(axis=-1, keepdims=True)
    den_bar = (-(weights_bar * weights / den)).sum(axis=2, keepdims=True)
    weights_bar = weights_bar / den + den_bar
    # einsum.py:10  weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    exponent_bar = weights_bar * weights_0
    term = scores == max_scores
    term = (-exponent_bar).sum(axis=2, keepdims=True) / np.sum(term, axis=-1,
        keepdims=True, dtype=scores.dtype) * term
    scores_bar = exponent_bar + term
    # einsum.py:9  scores = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(Q.shape[-1])
    num_bar = scores_bar / den_
    Q_bar = np.einsum('hij,hjd->hid', num_bar, K, optimize=False)
    K_bar = np.einsum('hid,hij->hjd', Q, num_bar, optimize=False)
    Q_bar = np.copy(Q_bar)
    K_bar = np.copy(K_bar)
    V_bar = np.copy(V_bar)
    return Q_bar, K_bar, V_bar
