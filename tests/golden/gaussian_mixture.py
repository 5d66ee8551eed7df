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
    """Value and gradient of log_likelihood (gaussian_mixture.py:8) with respect to (logits,
    means, log_scales).
    """
    diff = x[:, None, :] - means
    exp = np.exp(-log_scales)
    z = diff * exp
    log_density = -0.5 * np.sum(z ** 2, axis=2) - np.sum(log_scales, axis=1)
    exp_logits = np.exp(logits)
    total = np.sum(exp_logits)
    log_weights = logits - np.log(total)
    joint = log_weights + log_density
    # log of the sum over the components
    top = np.max(joint, axis=1)
    exp2 = np.exp(joint - top[:, None])
    total2 = np.sum(exp2, axis=1)
    value = np.sum(top + np.log(total2))

    # gaussian_mixture.py:15  return np.sum(top + np.log(np.sum(np.exp(joint - top[:, None]) ...
    joint_bar = exp2 / total2[:, None]
    # gaussian_mixture.py:12  joint = log_weights + log_density
    log_weights_bar = joint_bar.sum(axis=0)
    # gaussian_mixture.py:11  log_weights = logits - np.log(np.sum(np.exp(logits)))
    logits_bar = log_weights_bar - log_weights_bar.sum() / total * exp_logits
    # gaussian_mixture.py:10  log_density = -0.5 * np.sum(z ** 2, axis=2) - np.sum(log_scale ...
    z_bar = -joint_bar[..., None] * z
    # gaussian_mixture.py:9  z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_scales_bar = -log_weights_bar[:, None] - (z_bar * diff).sum(axis=0) * exp
    means_bar = -z_bar.sum(axis=0) * exp
    return value, (logits_bar, means_bar, log_scales_bar)
