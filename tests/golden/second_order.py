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
    """Gradient of potential_grad (potential_grad_aeb7663f1748.py:1) with respect to r."""
    exp_ = math.exp(-width * (r - 1.0))
    # Morse potential
    bond = 1 - exp_

    # second_order.py:11  return depth * bond ** 2
    bond_bar = 2 * depth * bond

    # potential_grad_aeb7663f1748.py:5  bond = 1 - exp_
    exp__bar = -width * exp_ * (2 * depth) - -width * bond_bar
    # potential_grad_aeb7663f1748.py:3  exp_ = math.exp(-width * (r - 1.0))
    diff_bar = exp__bar * exp_ * -width
    return diff_bar
