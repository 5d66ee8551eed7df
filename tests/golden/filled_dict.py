"""Parameters under names: a dict made of a list of names, gone through in the order of its keys."""

import numpy as np

from srcgrad import grad

NAMES = ["rate", "scale", "offset"]


def curve(theta, t):
    p = dict(zip(NAMES, theta))
    return p["scale"] * np.exp(-p["rate"] * t) + p["offset"]


def objective(theta, t, seen):
    p = {name: value for name, value in zip(NAMES, theta) if name != "offset"}
    penalty = 0.0
    for name in sorted(p):
        penalty = penalty + 0.1 * p[name] ** 2
    return np.mean((curve(theta, t) - seen) ** 2) + penalty


def arguments():
    t = np.linspace(0.0, 1.0, 5)
    return np.array([0.8, 1.2, 0.1]), t, np.exp(-t)


derivative = grad(objective)


# ------------------------------------------------------------------------------------------

def objective_grad(theta, t, seen):
    """Gradient of objective (filled_dict.py:15) with respect to theta."""
    curve_value, curve_residuals = curve_forward(theta, t)
    diff = curve_value - seen
    power = diff ** 2

    # filled_dict.py:20  return np.mean((curve(theta, t) - seen) ** 2) + penalty
    theta_bar = curve_backward(curve_residuals, 2 * diff / power.size)
    # filled_dict.py:16  p = {name: value for name, value in zip(NAMES, theta) if name != "o ...
    theta_bar[1] += 0.2 * theta[1]
    theta_bar[0] += 0.2 * theta[0]
    return theta_bar


def curve_forward(theta, t):
    """curve (filled_dict.py:10), with what its backward function needs."""
    p = dict(zip(NAMES, theta))
    exp = np.exp(-p["rate"] * t)
    return p["scale"] * exp + p["offset"], (theta, t, exp)


def curve_backward(residuals, value_bar):
    """Backward function of curve (filled_dict.py:10)."""
    theta, t, exp = residuals
    # filled_dict.py:11  p = dict(zip(NAMES, theta))
    theta_bar = np.zeros(theta.shape)
    theta_bar[2] = value_bar.sum()
    theta_bar[1] = np.dot(value_bar, exp)
    theta_bar[0] = -theta[1] * np.dot(value_bar * exp, t)
    return theta_bar
