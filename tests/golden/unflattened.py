"""A vector of parameters, taken apart as a tree of the module says."""

import numpy as np

from srcgrad import grad

LIKE = {"hidden": {"w": np.zeros((2, 3)), "b": np.zeros(3)}, "out": np.zeros(3)}


def unflatten(theta, tree, at=0):
    made = {}
    for name, part in tree.items():
        if isinstance(part, dict):
            made[name], at = unflatten(theta, part, at)
        else:
            made[name] = theta[at : at + part.size].reshape(part.shape)
            at += part.size
    return made, at


def loss(theta, x):
    p, _ = unflatten(theta, LIKE)
    h = np.tanh(x @ p["hidden"]["w"] + p["hidden"]["b"])
    return np.sum(h * p["out"])


def arguments():
    return np.linspace(-1.0, 1.0, 12), np.array([0.5, -1.5])


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import unbroadcast


def loss_grad(theta, x):
    """Gradient of loss (unflattened.py:21) with respect to theta."""
    (p, _), unflatten_residuals = unflatten_forward(theta, LIKE)
    h = np.tanh(x @ p["hidden"]["w"] + p["hidden"]["b"])
    prod = h * p["out"]

    # unflattened.py:24  return np.sum(h * p["out"])
    h_bar = np.ones_like(prod) * p["out"]
    # unflattened.py:23  h = np.tanh(x @ p["hidden"]["w"] + p["hidden"]["b"])
    pre_bar = h_bar * (1 - h ** 2)
    # unflattened.py:22  p, _ = unflatten(theta, LIKE)
    theta_bar = unflatten_backward(
        unflatten_residuals,
        np.outer(x, pre_bar),
        unbroadcast(pre_bar, p["hidden"]["b"]),
        unbroadcast(h, p["out"]),
    )
    return theta_bar


def unflatten_forward(theta, tree, at=0):
    """unflatten (unflattened.py:10), with what its backward function needs."""
    made = {}
    name, part = "hidden", tree["hidden"]
    if isinstance(part, dict):
        (made[name], at), unflatten_residuals = unflatten_forward_2(theta, part, at)
        at_0 = at
    else:
        made[name] = theta[at : at + part.size].reshape(part.shape)
        at += part.size
    name, part = "out", tree["out"]
    if isinstance(part, dict):
        made[name], at = unflatten(theta, part, at)
    else:
        made[name] = theta[at : at + part.size].reshape(part.shape)
        at += part.size
    return (made, at), (theta, unflatten_residuals, at_0, part)


def unflatten_forward_2(theta, tree, at=0):
    """unflatten (unflattened.py:10), with what its backward function needs."""
    at_0 = at
    made = {}
    name, part = "w", tree["w"]
    if isinstance(part, dict):
        made[name], at = unflatten(theta, part, at)
    else:
        sum_ = at + part.size
        made[name] = theta[at : sum_].reshape(part.shape)
        at += part.size
        at_0_2 = at
    name, part = "b", tree["b"]
    if isinstance(part, dict):
        made[name], at = unflatten(theta, part, at)
    else:
        made[name] = theta[at : at + part.size].reshape(part.shape)
        at += part.size
    return (made, at), (theta, at_0, sum_, at_0_2, part)


def unflatten_backward_2(residuals, w_bar, b_bar):
    """Backward function of unflatten (unflattened.py:10)."""
    theta, at_0, sum_, at_0_2, part = residuals
    # unflattened.py:16  made[name] = theta[at : at + part.size].reshape(part.shape)
    theta_bar = np.zeros(theta.shape)
    theta_bar[at_0_2:at_0_2 + part.size] = b_bar.reshape(theta[at_0_2:at_0_2 + part.size].shape)
    theta_bar[at_0:sum_] += w_bar.reshape(theta[at_0:sum_].shape)
    return theta_bar


def unflatten_backward(residuals, w_bar, b_bar, out_bar):
    """Backward function of unflatten (unflattened.py:10)."""
    theta, unflatten_residuals, at_0, part = residuals
    # unflattened.py:16  made[name] = theta[at : at + part.size].reshape(part.shape)
    theta_bar = np.zeros(theta.shape)
    theta_bar[at_0:at_0 + part.size] = out_bar.reshape(theta[at_0:at_0 + part.size].shape)
    # unflattened.py:14  made[name], at = unflatten(theta, part, at)
    theta_bar += unflatten_backward_2(unflatten_residuals, w_bar, b_bar)
    return theta_bar
