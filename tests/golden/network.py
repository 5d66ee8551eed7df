"""A network whose weights are a list of pairs, and its cross entropy."""

import numpy as np

from srcgrad import grad


def predict(params, x):
    for W, b in params[:-1]:
        x = np.tanh(x @ W + b)
    W, b = params[-1]
    return x @ W + b


def loss(params, x, labels):
    logits = predict(params, x)
    logits = logits - logits.max(axis=1, keepdims=True)
    logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.mean(logp[np.arange(len(labels)), labels])


def arguments():
    rng = np.random.default_rng(0)
    sizes = [(3, 5), (5, 4), (4, 2)]
    params = [(0.5 * rng.normal(size=size), 0.1 * rng.normal(size=size[1])) for size in sizes]
    return params, rng.normal(size=(6, 3)), rng.integers(0, 2, 6)


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(params, x, labels):
    """Gradient of loss (network.py:15) with respect to params."""
    logits, predict_residuals = predict_forward(params, x)
    logits = logits - logits.max(axis=1, keepdims=True)
    exp_logits = np.exp(logits)
    total = exp_logits.sum(axis=1, keepdims=True)
    logp = logits - np.log(total)
    arange = np.arange(len(labels))

    # network.py:19  return -np.mean(logp[np.arange(len(labels)), labels])
    logp_bar = np.zeros(logp.shape)
    logp_bar[arange, labels] = -1.0 / max(labels.size, 1)
    # network.py:18  logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    logits_bar = logp_bar - logp_bar.sum(axis=1, keepdims=True) / total * exp_logits
    # network.py:16  logits = predict(params, x)
    params_bar = predict_backward(predict_residuals, logits_bar)
    return params_bar


def predict_forward(params, x):
    """predict (network.py:8), with what its backward function needs."""
    saved = []
    for W, b in params[:-1]:
        x_0 = x
        x = np.tanh(x @ W + b)
        saved.append((x_0, W, x))
    W, b = params[-1]
    return x @ W + b, (W, x, saved)


def predict_backward(residuals, value_bar):
    """Backward function of predict (network.py:8)."""
    W, x, saved = residuals
    # network.py:12  return x @ W + b
    params_2_1_bar = value_bar.sum(axis=0)
    x_bar = value_bar @ W.T
    params_2_0_bar = x.T @ value_bar
    # network.py:9  for W, b in params[:-1]:
    params_bar = []
    for x_0, W, x in saved[::-1]:
        # network.py:10  x = np.tanh(x @ W + b)
        pre_bar = x_bar * (1 - x ** 2)
        b_bar = pre_bar.sum(axis=0)
        x_bar = pre_bar @ W.T
        W_bar = x_0.T @ pre_bar
        params_bar.append((W_bar, b_bar))
    return [*params_bar[::-1], (params_2_0_bar, params_2_1_bar)]
