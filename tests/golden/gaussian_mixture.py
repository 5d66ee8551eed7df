"""The log-likelihood of a Gaussian mixture with one variance per axis."""

import numpy as np

from srcgrad import value_and_grad


def log_likelihood(logits, means, log_scales, x):
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_density = -0.5 * np.sum(z ** 2, axis=2) - np.sum(log_scales, axis=1)
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    joint = log_weights + log_density
    # log of the sum over the components
    top = np.max(joint, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(joint - top[:, None]), axis=1)))


def arguments():
    rng = np.random.default_rng(8)
    shapes = (3,), (3, 2), (3, 2), (7, 2)
    return tuple(rng.normal(size=shape) for shape in shapes)


derivative = value_and_grad(log_likelihood, wrt=("logits", "means", "log_scales"))


# ------------------------------------------------------------------------------------------

def log_likelihood_value_and_grad(logits, means, log_scales, x):
    """Value and gradient of log_likelihood (gaussian_mixture.py:8) with respect to (logits, means, log_scales)."""
    diff = x[:, None, :] - means
    exp_ = np.exp(-log_scales)
    z = diff * exp_
    log_density = -0.5 * np.sum(z ** 2, axis=2) - np.sum(log_scales, axis=1)
    pre_4 = np.exp(logits)
    pre_3 = np.sum(pre_4)
    log_weights = logits - np.log(pre_3)
    joint = log_weights + log_density
    # log of the sum over the components
    top = np.max(joint, axis=1)
    pre_ = np.exp(joint - top[:, None])
    pre = np.sum(pre_, axis=1)
    value = np.sum(top + np.log(pre))

    # gaussian_mixture.py:15  return np.sum(top + np.log(np.sum(np.exp(joint - top[:, None]) ...
    term = np.expand_dims(1 / pre, axis=1) * pre_
    top_bar = np.copy(np.broadcast_to(1.0, shape=top.shape))
    top_bar[:, None] += (-term).sum(axis=1, keepdims=True)
    # gaussian_mixture.py:14  top = np.max(joint, axis=1)
    term2 = joint == np.expand_dims(top, axis=1)
    joint_bar = term + np.expand_dims(top_bar / np.sum(term2, axis=1, dtype=
        joint.dtype), axis=1) * term2
    # gaussian_mixture.py:12  joint = log_weights + log_density
    log_weights_bar = joint_bar.sum(axis=0)
    # gaussian_mixture.py:11  log_weights = logits - np.log(np.sum(np.exp(logits)))
    term = np.sum(-log_weights_bar) / pre_3 * pre_4
    logits_bar = log_weights_bar + term
    # gaussian_mixture.py:10  log_density = -0.5 * np.sum(z ** 2, axis=2) - np.sum(log_scale ...
    z_bar = 2 * np.expand_dims(-0.5 * joint_bar, axis=2) * z
    # gaussian_mixture.py:9  z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_scales_bar = np.expand_dims((-joint_bar).sum(axis=0), axis=1) - (z_bar *
        diff).sum(axis=0) * exp_
    means_bar = (-(z_bar * exp_)).sum(axis=0)
    return value, (logits_bar, means_bar, log_scales_bar)
