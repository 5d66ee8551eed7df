"""A branch: the force on a spring that goes slack, and hardens when stretched far."""

import numpy as np

from srcgrad import grad


def energy(x, k, hardening):
    stretch = np.linalg.norm(x) - 1.0
    if stretch < 0:
        # slack
        e = 0.1 * k * stretch ** 2
    elif stretch < 0.5:
        e = 0.5 * k * stretch ** 2
    else:
        e = 0.5 * k * stretch ** 2 + hardening * (stretch - 0.5) ** 3
    return e


def arguments():
    return np.array([1.0, 1.2, -0.4]), 3.0, 0.7


derivative = grad(energy, wrt=("x", "k", "hardening"))


# ------------------------------------------------------------------------------------------

def energy_grad(x, k, hardening):
    """Gradient of energy (branch.py:8) with respect to (x, k, hardening)."""
    norm_x = np.linalg.norm(x)
    stretch = norm_x - 1.0

    if stretch < 0:
        # branch.py:12  e = 0.1 * k * stretch ** 2
        stretch_bar = 0.2 * k * stretch
        k_bar = 0.1 * stretch ** 2
        hardening_bar = 0.0
    elif stretch < 0.5:
        # branch.py:14  e = 0.5 * k * stretch ** 2
        stretch_bar = k * stretch
        k_bar = 0.5 * stretch ** 2
        hardening_bar = 0.0
    else:
        # branch.py:16  e = 0.5 * k * stretch ** 2 + hardening * (stretch - 0.5) ** 3
        stretch_bar = 3 * hardening * (stretch - 0.5) ** 2 + k * stretch
        k_bar = 0.5 * stretch ** 2
        hardening_bar = (stretch - 0.5) ** 3
    # branch.py:9  stretch = np.linalg.norm(x) - 1.0
    x_bar = stretch_bar * (x / (norm_x + (norm_x == 0)))
    return x_bar, k_bar, hardening_bar
