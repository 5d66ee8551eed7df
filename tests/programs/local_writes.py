"""Writes to arrays that the same function has just made and nothing else sees."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(3, 3)),))
def cholesky_by_columns(a):
    s = a @ a.T + 3 * np.eye(3)
    lower = np.zeros((3, 3))
    for j in range(3):
        lower[j, j] = np.sqrt(s[j, j] - np.sum(lower[j, :j] ** 2))
        for i in range(j + 1, 3):
            lower[i, j] = (s[i, j] - np.sum(lower[i, :j] * lower[j, :j])) / lower[j, j]
    return np.sum(lower**3)

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

FOUR = np.array([0.3, -1.2, 1.7, 0.7])

@program(args=(FOUR,))
def differences_of_angles_wrapped(phi):
    d = np.diff(3 * phi)
    d[d > np.pi] -= 2 * np.pi
    d[d < -np.pi] += 2 * np.pi
    return np.sum(d**3)


@program(args=(FOUR,))
def swapped_entries(x):
    y = np.sort(x)
    y[[0, 1]] = y[[1, 0]]
    return np.sum(y * np.arange(4.0) ** 2)


@program(args=(FOUR,))
def written_after_building(x):
    a = np.hstack([x, x])
    a[0] = a[5] * a[1]
    b = np.append(x, 1.0)
    b[-1] = b[0] ** 2
    c = np.tile(x, 2)
    c[:4] *= b[:4]
    d = np.vstack([x, x])
    d[0, 1] = d[1, 2] * d[1, 3]
    e = np.insert(x, 1, 2.0)
    e[1] = e[0] * e[2]
    return np.sum(a * c) + np.sum(b * e) + np.sum(d**2)

@program(args=(FOUR,))
def written_after_products(x):
    a = np.kron(x, x[:2])
    a[0] = a[5] * a[1]
    b = np.convolve(x, x)
    b[2] *= b[1]
    c = np.diag(x)
    c[0, 1] = x[2] * x[3]
    d = np.einsum("i,j->ij", x, x)
    d[1] = c[0]
    return np.sum(a**2) + np.sum(b) + np.sum(c @ d)

@program(args=(FOUR,))
def written_after_rolling(x):
    a = np.roll(x, 1)
    a[0] = 0.0
    b = np.take(x, [0, 2])
    b[0] = b[1] ** 2
    c = np.nan_to_num(x)
    c[1:3] = a[1:3] * b
    d = np.interp(x, [-2.0, 0.0, 2.0], [1.0, 0.0, 3.0])
    d[0] = c[1] * d[1]
    return np.sum(a * c * d)


@program(args=(FOUR,))
def sorted_in_place(x):
    y = x * x
    y.sort()
    return np.prod(y) + y[1]

@program(args=(FOUR,))
def part_of_an_array_without_a_name(x):
    y = np.outer(x, x)[0]
    y[0] = 2 * y[1]
    z = (x * x)[1:]
    z[1] *= z[0] * y[2]
    return np.sum(y**2) + np.sum(z**3)

@program(args=(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]]),))
def factor_of_a_matrix_in_loops(a):
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, j] = np.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    return factor.sum()

@program(args=(np.array([0.5, 1.2, 0.8]), 0.6), recorded=True)
def through_a_chosen_name(x, c):
    low, high, sums = np.zeros(2), np.zeros(2), np.ones(3)
    for k, v in enumerate(x):
        t = low if v < c else high  # one of two
        t[0] += v
        t[1] = t[0] * v
        if k % 2:
            u = sums
        else:
            u = high
        u[1] += v**2
        u *= 1.0
    return low[1] * high[0] + np.sum(sums * high[1])
