"""Views that a helper and a method give, and rows that change places."""

import numpy as np

from srcgrad import grad


class Plate:
    def __init__(self, u):
        self.u = u.copy()

    def edge(self, k):
        return self.u[:, k]


def inner(u):
    return u[1:-1, 1:-1]


def heat(u, rate):
    plate = Plate(u)
    centre = inner(plate.u)
    centre += rate * (plate.u[2:, 1:-1] - 2 * centre + plate.u[:-2, 1:-1])
    plate.edge(0)[:] = 3 * rate
    plate.u[0], plate.u[1] = plate.u[1], plate.u[0]
    return np.sum(plate.u**2)


def arguments():
    return np.array([[0.5, -1.5, 2.0], [0.3, 1.1, 0.2], [1.0, 0.4, -0.6], [0.1, 0.9, 0.7]]), 0.1


derivative = grad(heat, wrt=("u", "rate"))


# ------------------------------------------------------------------------------------------

def heat_grad(u, rate):
    """Gradient of heat (helper_views.py:20) with respect to (u, rate)."""
    plate = Plate(u)
    centre = inner(plate.u)
    sum_ = plate.u[2:, 1:-1] - 2 * centre + plate.u[:-2, 1:-1]
    centre += rate * sum_
    plate.edge(0)[:] = 3 * rate
    right_0 = plate.u[1]
    right_1 = plate.u[0]
    plate.u[0] = right_0
    plate.u[1] = right_1

    # helper_views.py:26  return np.sum(plate.u**2)
    u_bar = 2 * plate.u
    # helper_views.py:25  plate.u[0], plate.u[1] = plate.u[1], plate.u[0]
    right_1_bar = u_bar[1].copy()
    u_bar[1] = 0.0
    u_bar[0] += right_1_bar
    right_0_bar = u_bar[0].copy()
    u_bar[0] = 0.0
    u_bar[1] = right_0_bar
    # helper_views.py:24  plate.edge(0)[:] = 3 * rate
    prod_bar = u_bar[:, 0].sum()
    u_bar[:, 0] = 0.0
    rate_bar = 3 * prod_bar
    # helper_views.py:23  centre += rate * (plate.u[2:, 1:-1] - 2 * centre + plate.u[:-2, 1:-1])
    centre_bar = u_bar[1:-1, 1:-1].copy()
    u_bar[1:-1, 1:-1] = 0.0
    sum_bar = rate * centre_bar
    rate_bar += (centre_bar * sum_).sum()
    u_bar[:-2, 1:-1] += sum_bar
    centre_bar -= 2 * sum_bar
    u_bar[2:, 1:-1] += sum_bar
    # helper_views.py:22  centre = inner(plate.u)
    u_bar[1:-1, 1:-1] += centre_bar
    return u_bar, rate_bar
