"""Preallocated arrays that a loop fills: a particle in a field, by the leapfrog method."""

import numpy as np

from srcgrad import grad


def orbit(x0, v0, strength, dt, steps):
    x = np.zeros((steps + 1, 2))
    v = np.zeros((steps + 1, 2))
    x[0] = x0
    v[0] = v0
    for k in range(steps):
        half = v[k] - 0.5 * dt * strength * x[k]  # kick
        x[k + 1] = x[k] + dt * half               # drift
        v[k + 1] = half - 0.5 * dt * strength * x[k + 1]
    return np.sum(x[-1] ** 2) + np.sum(v[:, 0])


def arguments():
    return np.array([1.0, 0.0]), np.array([0.2, 0.8]), 1.3, 0.1, 5


derivative = grad(orbit, wrt=("x0", "v0", "strength"))


# ------------------------------------------------------------------------------------------

def orbit_grad(x0, v0, strength, dt, steps):
    """Gradient of orbit (leapfrog.py:8) with respect to (x0, v0, strength)."""
    x = np.zeros((steps + 1, 2))
    v = np.zeros((steps + 1, 2))
    x[0] = x0
    v[0] = v0
    for k in range(steps):
        half = v[k] - 0.5 * dt * strength * x[k]  # kick
        x[k + 1] = x[k] + dt * half               # drift
        v[k + 1] = half - 0.5 * dt * strength * x[k + 1]

    # leapfrog.py:17  return np.sum(x[-1] ** 2) + np.sum(v[:, 0])
    v_bar = np.zeros(v.shape)
    v_bar[:, 0] = 1.0
    x_bar = np.zeros(x.shape)
    x_bar[-1] = 2 * x[-1]
    strength_bar = 0.0
    for k in range(steps - 1, -1, -1):
        # leapfrog.py:16  v[k + 1] = half - 0.5 * dt * strength * x[k + 1]
        half_bar = v_bar[k + 1]
        x_bar[k + 1] -= 0.5 * dt * strength * half_bar
        strength_bar -= 0.5 * np.dot(half_bar, x[k + 1]) * dt
        # leapfrog.py:15  x[k + 1] = x[k] + dt * half
        sum_bar = x_bar[k + 1]
        half_bar = half_bar + dt * sum_bar
        # leapfrog.py:14  half = v[k] - 0.5 * dt * strength * x[k]
        x_bar[k] += sum_bar - 0.5 * dt * strength * half_bar
        strength_bar -= 0.5 * np.dot(half_bar, x[k]) * dt
        v_bar[k] += half_bar
    # leapfrog.py:12  v[0] = v0
    v0_bar = v_bar[0].copy()
    # leapfrog.py:11  x[0] = x0
    x0_bar = x_bar[0].copy()
    return x0_bar, v0_bar, strength_bar
