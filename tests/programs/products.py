"""Products of arrays, einsum, and linear algebra."""

import numpy as np

from tests.programs.table import program


def definite(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + np.eye(n)


@program(args=lambda rng: (definite(rng, 3), rng.normal(size=3)), wrt=(0, 1))
def gaussian_log_density_by_cholesky(a, x):
    factor = np.linalg.cholesky((a + a.T) / 2)
    z = np.linalg.solve(factor, x)
    return -0.5 * np.sum(z**2) - np.sum(np.log(np.diag(factor)))

@program(
    args=lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(4, 2))), wrt=(0, 1)
)
def pairwise_distances(x, y):
    squares = np.sum(x**2, axis=1)[:, None] + np.sum(y**2, axis=1) - 2 * x @ y.T
    return np.sum(np.exp(-0.5 * squares))
