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
    den = np.sqrt(Q.shape[-1])
    scores = np.einsum("hid,hjd->hij", Q, K) / den
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights_0 = weights
    den2 = weights.sum(axis=-1, keepdims=True)
    weights = weights / den2
    out = np.einsum("hij,hjd->ihd", weights, V)
    diff = out - target

    # einsum.py:13  return np.sum((out - target) ** 2)
    out_bar = 2 * diff
    # einsum.py:12  out = np.einsum("hij,hjd->ihd", weights, V)
    weights_bar = np.einsum("ihd,hjd->hij", out_bar, V)
    V_bar = np.einsum("hij,ihd->hjd", weights, out_bar)
    # einsum.py:11  weights = weights / weights.sum(axis=-1, keepdims=True)
    weights_bar /= den2
    weights_bar -= (weights_bar * weights).sum(axis=2, keepdims=True)
    # einsum.py:10  weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores_bar = weights_bar * weights_0
    # einsum.py:9  scores = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(Q.shape[-1])
    num_bar = scores_bar / den
    Q_bar = np.einsum("hij,hjd->hid", num_bar, K)
    K_bar = np.einsum("hid,hij->hjd", Q, num_bar)
    return Q_bar, K_bar, V_bar
