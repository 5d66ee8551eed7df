"""Writes through views of an array, and through a second name."""

import numpy as np

from srcgrad import grad


def smoothed(u, rate):
    u = u.copy()
    inner = u[1:-1]
    for _ in range(2):
        inner += rate * (u[2:] - 2 * inner + u[:-2])
    edge = u[0]
    u[::2] *= 0.5
    return np.sum(u**2) + edge


def arguments():
    return np.array([0.5, -1.5, 2.0, 0.3, 1.1]), 0.1


derivative = grad(smoothed, wrt=("u", "rate"))


# ------------------------------------------------------------------------------------------

def smoothed_grad(u, rate):
    """Gradient of smoothed (views_written.py:8) with respect to (u, rate)."""
    u = u.copy()
    inner = u[1:-1]
    saved = []
    for _ in range(2):
        sum_ = u[2:] - 2 * inner + u[:-2]
        saved.append(sum_)
        inner += rate * sum_
    u[::2] *= 0.5

    # views_written.py:15  return np.sum(u**2) + edge
    u_bar = 2 * u
    # views_written.py:14  u[::2] *= 0.5
    u_bar[::2] = 0.5 * u_bar[::2]
    # views_written.py:13  edge = u[0]
    u_bar[0] += 1.0
    rate_bar = 0.0
    for sum_ in saved[::-1]:
        # views_written.py:12  inner += rate * (u[2:] - 2 * inner + u[:-2])
        inner_bar = u_bar[1:-1].copy()
        u_bar[1:-1] = 0.0
        sum_bar = rate * inner_bar
        rate_bar += np.dot(inner_bar, sum_)
        u_bar[:-2] += sum_bar
        inner_bar -= 2 * sum_bar
        u_bar[2:] += sum_bar
        # views_written.py:11  for _ in range(2):
        u_bar[1:-1] += inner_bar
    return u_bar, rate_bar
