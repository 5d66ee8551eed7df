"""Blocks of a network in a list of dicts, each handed to functions of its own."""

import numpy as np

from srcgrad import grad


def normalised(x, p):
    centred = x - x.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    return p["gain"] * centred / scale + p["shift"]


def dense(x, p):
    return np.tanh(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]


def block(x, p):
    return x + dense(normalised(x, p["norm"]), p["dense"])


def loss(params, x, y):
    h = x @ params["embed"]
    for p in params["blocks"]:
        h = block(h, p)
    return np.mean((h @ params["head"] - y) ** 2)


def arguments():
    rng = np.random.default_rng(0)

    def parameters():
        return {
            "norm": {"gain": rng.normal(size=4), "shift": rng.normal(size=4)},
            "dense": {
                "W1": rng.normal(size=(4, 6)),
                "b1": rng.normal(size=6),
                "W2": rng.normal(size=(6, 4)),
                "b2": rng.normal(size=4),
            },
        }

    params = {
        "embed": rng.normal(size=(3, 4)),
        "blocks": [parameters() for _ in range(3)],
        "head": rng.normal(size=(4, 2)),
    }
    return params, rng.normal(size=(5, 3)), rng.normal(size=(5, 2))


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(params, x, y):
    """Gradient of loss (residual_blocks.py:22) with respect to params."""
    h = x @ params["embed"]
    saved = []
    for p in params["blocks"]:
        h, block_residuals = block_forward(h, p)
        saved.append(block_residuals)
    diff = h @ params["head"] - y
    power = diff ** 2

    # residual_blocks.py:26  return np.mean((h @ params["head"] - y) ** 2)
    diff_bar = 2 * diff / power.size
    h_bar = diff_bar @ params["head"].T
    head_bar = h.T @ diff_bar
    # residual_blocks.py:24  for p in params["blocks"]:
    params_bar = []
    for block_residuals in saved[::-1]:
        # residual_blocks.py:25  h = block(h, p)
        h_bar, p_bar = block_backward(block_residuals, h_bar)
        params_bar.append(p_bar)
    # residual_blocks.py:23  h = x @ params["embed"]
    embed_bar = x.T @ h_bar
    return {"embed": embed_bar, "blocks": params_bar[::-1], "head": head_bar}


def block_forward(x, p):
    """block (residual_blocks.py:18), with what its backward function needs."""
    normalised_value, normalised_residuals = normalised_forward(x, p["norm"])
    dense_value, dense_residuals = dense_forward(normalised_value, p["dense"])
    return x + dense_value, (normalised_residuals, dense_residuals)


def normalised_forward(x, p):
    """normalised (residual_blocks.py:8), with what its backward function needs."""
    centred = x - x.mean(axis=1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    ratio = p["gain"] * centred / scale
    return ratio + p["shift"], (x, p["gain"], centred, scale, ratio)


def normalised_backward(residuals, value_bar):
    """Backward function of normalised (residual_blocks.py:8)."""
    x, gain, centred, scale, ratio = residuals
    # residual_blocks.py:11  return p["gain"] * centred / scale + p["shift"]
    shift_bar = value_bar.sum(axis=0)
    num_bar = value_bar / scale
    centred_bar = num_bar * gain
    gain_bar = (num_bar * centred).sum(axis=0)
    # residual_blocks.py:10  scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    centred_term = (
        -2
        * ((num_bar * ratio).sum(axis=1, keepdims=True) / (2 * scale) / centred.shape[1])
        * centred
    )
    centred_bar += centred_term
    # residual_blocks.py:9  centred = x - x.mean(axis=1, keepdims=True)
    x_bar = centred_bar - centred_bar.sum(axis=1, keepdims=True) / x.shape[1]
    return x_bar, {"gain": gain_bar, "shift": shift_bar}


def dense_forward(x, p):
    """dense (residual_blocks.py:14), with what its backward function needs."""
    tanh = np.tanh(x @ p["W1"] + p["b1"])
    return tanh @ p["W2"] + p["b2"], (x, p["W1"], p["W2"], tanh)


def dense_backward(residuals, value_bar):
    """Backward function of dense (residual_blocks.py:14)."""
    x, W1, W2, tanh = residuals
    # residual_blocks.py:15  return np.tanh(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"]
    b2_bar = value_bar.sum(axis=0)
    W2_bar = tanh.T @ value_bar
    pre_bar = value_bar @ W2.T * (1 - tanh ** 2)
    b1_bar = pre_bar.sum(axis=0)
    x_bar = pre_bar @ W1.T
    W1_bar = x.T @ pre_bar
    return x_bar, {"W1": W1_bar, "b1": b1_bar, "W2": W2_bar, "b2": b2_bar}


def block_backward(residuals, value_bar):
    """Backward function of block (residual_blocks.py:18)."""
    normalised_residuals, dense_residuals = residuals
    # residual_blocks.py:19  return x + dense(normalised(x, p["norm"]), p["dense"])
    normalised_value_bar, dense_bar = dense_backward(dense_residuals, value_bar)
    x_term, norm_bar = normalised_backward(normalised_residuals, normalised_value_bar)
    x_bar = value_bar + x_term
    return x_bar, {"norm": norm_bar, "dense": dense_bar}
