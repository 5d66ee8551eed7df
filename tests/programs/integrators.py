"""Differential equations stepped through time, and simulations."""

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.1, 0.4])), wrt=(0, 1)
)
def runge_kutta_of_lotka_volterra(state, rates):
    def rhs(s):
        prey, predator = s
        a, b, c, d = rates
        return np.array(
            [a * prey - b * prey * predator, c * prey * predator - d * predator]
        )

    dt = 0.1
    for _ in range(3):
        k1 = rhs(state)
        k2 = rhs(state + dt / 2 * k1)
        k3 = rhs(state + dt / 2 * k2)
        k4 = rhs(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(state**2)

@program(
    args=lambda rng: (rng.normal(size=(3, 2)), np.array([1.0, 2.0, 0.5])), wrt=(0, 1)
)
def gravity_between_bodies(x, mass):
    energy = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            d = x[i] - x[j]
            energy = energy - mass[i] * mass[j] / np.sqrt(d @ d + 0.1)
    return energy
