"""Programs as their users write them, from many fields."""

import math

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (0.1 * rng.normal(size=3), rng.normal(size=(5, 2)), rng.normal(size=5)),
    wrt=(0, 1, 2),
)
def gp_nll(theta, X, y):
    """A Gaussian process: the likelihood of its hyperparameters."""
    ell, sf, sn = np.exp(theta)
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    K = sf**2 * np.exp(-0.5 * d2 / ell**2) + sn**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(X) * math.log(2 * math.pi)


@program(args=lambda rng: (rng.normal(size=6), 0.5), wrt=(0, 1))
def spline_energy(y, h):
    """The bending energy of a cubic spline; its matrix is filled row by row."""
    n = len(y)
    A = np.zeros((n, n))
    rhs = np.zeros(n)
    A[0, 0] = A[-1, -1] = 1.0
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h / 6, 2 * h / 3, h / 6
        rhs[i] = (y[i + 1] - 2 * y[i] + y[i - 1]) / h
    m = np.linalg.solve(A, rhs)
    return h / 3 * np.sum(m[:-1] ** 2 + m[:-1] * m[1:] + m[1:] ** 2)
