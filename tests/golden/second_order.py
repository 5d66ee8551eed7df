"""The derivative of a derivative: the curvature of a pair potential."""

import math

from srcgrad import grad


def potential(r, depth, width):
    # Morse potential
    bond = 1 - math.exp(-width * (r - 1.0))
    return depth * bond ** 2


def arguments():
    return 1.3, 4.7, 1.9


derivative = grad(grad(potential))


# ------------------------------------------------------------------------------------------

def potential_grad_grad(r, depth, width):
    """Gradient of potential_grad (potential_grad_5f4dca05e050.py:1) with respect to r."""
    # Morse potential
    exp = math.exp(-width * (r - 1.0))
    bond = 1 - exp

    # second_order.py:11  return depth * bond ** 2
    bond_bar = 2 * depth * bond

    # potential_grad_5f4dca05e050.py:10  r_bar = bond_bar * exp * width
    bond_bar_bar = width * exp
    exp_bar = width * bond_bar
    # potential_grad_5f4dca05e050.py:8  bond_bar = 2 * depth * bond
    bond_bar_ = 2 * bond_bar_bar * depth
    # potential_grad_5f4dca05e050.py:5  bond = 1 - exp
    exp_bar -= bond_bar_
    # potential_grad_5f4dca05e050.py:4  exp = math.exp(-width * (r - 1.0))
    r_bar_ = -exp_bar * exp * width
    return r_bar_
