"""Parameters under names that a class lists, gone through in the order of the alphabet."""

import numpy as np

from srcgrad import grad


class Spring:
    names = ("stiffness", "drag")


def energy(theta, x):
    p = {name: value for name, value in zip(Spring.names, theta)}
    size = sum(p[name] ** 2 for name in sorted(p.keys()))
    return size + p["stiffness"] * x**2


def arguments():
    return np.array([1.5, 0.2]), 0.7


derivative = grad(energy)


# ------------------------------------------------------------------------------------------

def energy_grad(theta, x):
    """Gradient of energy (named_parameters.py:12) with respect to theta."""
    # named_parameters.py:13  p = {name: value for name, value in zip(Spring.names, theta)}
    theta_bar = np.zeros(theta.shape)
    theta_bar[1] = 2 * theta[1]
    theta_bar[0] = x ** 2 + 2 * theta[0]
    return theta_bar
