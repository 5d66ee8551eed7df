"""An array written in place: heat in a rod."""

import numpy as np

from srcgrad import grad


def heat(u0, kappa, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def arguments():
    return np.array([0.0, 1.0, 3.0, 2.0, 1.0, 0.5]), 0.2, 4


derivative = grad(heat, wrt=("u0", "kappa"))


# ------------------------------------------------------------------------------------------

def heat_grad(u0, kappa, steps):
    """Gradient of heat (local_array.py:8) with respect to (u0, kappa)."""
    u = u0.copy()
    saved = []
    for _ in range(steps):
        sum_ = u[2:] - 2 * u[1:-1] + u[:-2]
        saved.append(sum_)
        u[1:-1] += kappa * sum_

    # local_array.py:12  return np.sum(u ** 2)
    u_bar = 2 * u
    kappa_bar = 0.0
    for sum_ in saved[::-1]:
        # local_array.py:11  u[1:-1] += kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
        prod_bar = u_bar[1:-1]
        sum_bar = kappa * prod_bar
        kappa_bar += np.dot(prod_bar, sum_)
        u_bar[:-2] += sum_bar
        u_bar[1:-1] -= 2 * sum_bar
        u_bar[2:] += sum_bar
    return u_bar, kappa_bar
