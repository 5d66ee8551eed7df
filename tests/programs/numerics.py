"""Scalar and vector algorithms: roots, series, recurrences, linear systems, option prices."""

import math

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (0.02, 0.1, 0.8, rng.normal(size=6) * 0.2), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta, returns):
    variance = 0.04
    likelihood = 0.0
    for r in returns:
        likelihood = likelihood - 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood

@program(args=(np.array([[1.0, 1.2, 0.9], [1.1, 0.8, 1.3]]),))
def sweeps_over_ranges_that_are_held(cost):
    ny, nx = cost.shape
    t = np.full((ny + 2, nx + 2), 1e3)
    t[1, 1] = 0.0
    orders = [(range(1, ny + 1), range(1, nx + 1)), (range(ny, 0, -1), range(nx, 0, -1))]
    for rows, columns in orders * 2:
        for i in rows:
            for j in columns:
                if i == 1 and j == 1:
                    continue
                near = min(t[i - 1, j], t[i + 1, j], t[i, j - 1], t[i, j + 1])
                t[i, j] = min(t[i, j], near + cost[i - 1, j - 1])
    steps = range(1, 4)
    return t[-2, -2] + sum(k * t[1, 2] for k in steps)
