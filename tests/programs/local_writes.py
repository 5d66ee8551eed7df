"""Writes to arrays that the same function has just made and nothing else sees."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=4),))
def table_filled_in_a_loop(x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = x[i] ** 2 * (i + 1)
    return np.sum(np.sin(out))


@program(args=lambda rng: (rng.normal(size=4), 0.5), wrt=(0, 1))
def recurrence_in_an_array(x, a):
    y = np.empty(4)
    y[0] = x[0]
    for i in range(1, 4):
        y[i] = a * y[i - 1] + x[i]
    return np.sum(y**2)


@program(args=lambda rng: (rng.normal(size=4), 0.5), wrt=(0, 1), vector=True)
def trajectory(start, rate):
    path = np.zeros((3, 4))
    state = start
    for k in range(3):
        state = state - rate * np.sin(state)
        path[k] = state
    return path


@program(args=lambda rng: (rng.normal(size=5),))
def augmented_elements(x):
    bins = np.zeros(3)
    for i in range(5):
        bins[i % 3] += x[i] ** 2
    return np.sum(bins**2)


@program(args=lambda rng: (rng.normal(size=5),))
def augmented_slices(x):
    y = x * 1.0
    y[1:-1] += 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
    y[0] = 0.0
    return np.sum(y**3)


@program(args=lambda rng: (rng.normal(size=(2, 2)), 0.3), wrt=(0, 1))
def blocks_of_a_matrix(a, s):
    m = np.zeros((3, 3))
    m[:2, :2] = a @ a
    m[2, 2] = s**2
    m[0, 2] = s
    return np.sum(m @ m)


@program(args=lambda rng: (rng.normal(size=3),))
def element_written_twice(x):
    y = np.zeros(3)
    y[0] = x[0] ** 2
    a = y[0] * x[1]
    y[0] = a * x[2]
    y[1] = y[0] ** 2
    return np.sum(y * x) + a


@program(args=lambda rng: (rng.normal(size=(3, 3)),))
def cholesky_by_columns(a):
    s = a @ a.T + 3 * np.eye(3)
    lower = np.zeros((3, 3))
    for j in range(3):
        lower[j, j] = np.sqrt(s[j, j] - np.sum(lower[j, :j] ** 2))
        for i in range(j + 1, 3):
            lower[i, j] = (s[i, j] - np.sum(lower[i, :j] * lower[j, :j])) / lower[j, j]
    return np.sum(lower**3)


@program(args=lambda rng: (rng.normal(size=4),))
def prefix_products(x):
    out = np.ones(5)
    for i in range(4):
        out[i + 1] = out[i] * x[i]
    return np.sum(out[1:])


@program(args=lambda rng: (0.7, rng.normal(size=(3, 3)) ** 2), wrt=(0, 1))
def jitter_on_the_diagonal(s, distances):
    K = np.exp(-distances * s)
    K[np.diag_indices_from(K)] += s**2
    return np.linalg.slogdet(K)[1]


@program(args=lambda rng: (rng.normal(size=(3, 3)), 0.8), wrt=(0, 1))
def positions_that_calls_give(x, a):
    K = x * a; K[np.argsort(x[:, 0])[:2]] *= 1.5
    K[np.arange(len(K)), np.arange(3)[::-1]] -= a
    K[np.triu_indices_from(K, 1)] = 0.0
    return np.sum(K**2 * x)
