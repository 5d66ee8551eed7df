"""A vector of parameters that is unpacked with a star."""

import numpy as np

from srcgrad import grad


def misfit(theta, t, y):
    scale, offset, *powers = theta
    curve = offset + scale * sum(c * t**k for k, c in enumerate(powers))
    return np.sum((curve - y) ** 2)


def arguments():
    return np.array([0.5, 0.1, 1.0, -0.5]), np.array([0.0, 1.0, 2.0]), np.array([0.4, 0.2, 0.3])


derivative = grad(misfit)


# ------------------------------------------------------------------------------------------

def misfit_grad(theta, t, y):
    """Gradient of misfit (named_rest.py:8) with respect to theta."""
    scale, offset, *powers = theta
    power = t**0
    power2 = t**1
    sum_ = sum([powers[0] * power, powers[1] * power2])
    curve = offset + scale * sum_
    diff = curve - y

    # named_rest.py:11  return np.sum((curve - y) ** 2)
    curve_bar = 2 * diff
    # named_rest.py:10  curve = offset + scale * sum(c * t**k for k, c in enumerate(powers))
    offset_bar = curve_bar.sum()
    sum_bar = scale * curve_bar
    scale_bar = np.dot(curve_bar, sum_)
    # named_rest.py:9  scale, offset, *powers = theta
    theta_bar = np.zeros(theta.shape)
    theta_bar[3] = np.dot(sum_bar, power2)
    theta_bar[2] = np.dot(sum_bar, power)
    theta_bar[1] = offset_bar
    theta_bar[0] = scale_bar
    return theta_bar
