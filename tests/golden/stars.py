"""Stars before the shape of an array, the parameters of a model, and an entry of a table."""

import numpy as np

from srcgrad import grad

PRIORS = {"weak": (0.5, 0.1), "strong": (2.0, 0.3)}


class Decay:
    def __init__(self, amplitude, rate, offset=0.0):
        self.amplitude, self.rate, self.offset = amplitude, rate, offset

    def at(self, t):
        return self.amplitude * np.exp(-self.rate * t) + self.offset


def penalty(theta, weight, centre):
    return weight * np.sum((theta - centre) ** 2)


def misfit(theta, t, seen):
    model = Decay(*theta)
    mask = np.ones((*seen.shape, 1))  # one column of weights
    r = model.at(t) * mask[:, 0] - seen
    return np.sum(r**2) + penalty(theta, *PRIORS["weak"])


def arguments():
    t = np.linspace(0.0, 1.0, 5)
    return np.array([1.2, 0.8, 0.1]), t, np.exp(-t)


derivative = grad(misfit)


# ------------------------------------------------------------------------------------------

def misfit_grad(theta, t, seen):
    """Gradient of misfit (stars.py:22) with respect to theta."""
    model = Decay(*theta)
    mask = np.ones((*seen.shape, 1))  # one column of weights
    at_value, at_residuals = at_forward(model, t)
    r = at_value * mask[:, 0] - seen
    penalty_value, penalty_residuals = penalty_forward(theta, *PRIORS["weak"])

    # stars.py:26  return np.sum(r**2) + penalty(theta, *PRIORS["weak"])
    theta_bar = penalty_backward(penalty_residuals, 1.0)
    r_bar = 2 * r
    # stars.py:25  r = model.at(t) * mask[:, 0] - seen
    amplitude_bar, rate_bar, offset_bar = at_backward(at_residuals, r_bar * mask[:, 0])
    # stars.py:23  model = Decay(*theta)
    theta_bar[2] += offset_bar
    theta_bar[1] += rate_bar
    theta_bar[0] += amplitude_bar
    return theta_bar


def penalty_forward(theta, weight, centre):
    """penalty (stars.py:18), with what its backward function needs."""
    diff = theta - centre
    return weight * np.sum(diff ** 2), (weight, diff)


def penalty_backward(residuals, value_bar):
    """Backward function of penalty (stars.py:18)."""
    weight, diff = residuals
    # stars.py:19  return weight * np.sum((theta - centre) ** 2)
    theta_bar = 2 * value_bar * weight * diff
    return theta_bar


def at_forward(self, t):
    """at (stars.py:14), with what its backward function needs."""
    exp = np.exp(-self.rate * t)
    return self.amplitude * exp + self.offset, (self.amplitude, t, exp)


def at_backward(residuals, value_bar):
    """Backward function of at (stars.py:14)."""
    amplitude, t, exp = residuals
    # stars.py:15  return self.amplitude * np.exp(-self.rate * t) + self.offset
    offset_bar = value_bar.sum()
    amplitude_bar = np.dot(value_bar, exp)
    rate_bar = -amplitude * np.dot(value_bar * exp, t)
    return amplitude_bar, rate_bar, offset_bar
