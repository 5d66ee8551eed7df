"""A factorisation that is tried again with more on the diagonal until it is found."""

import numpy as np

from srcgrad import grad


def log_likelihood(K, y):
    jitter = 1e-10
    while True:
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            break
        except np.linalg.LinAlgError:
            jitter *= 10.0  # not definite
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


def arguments():
    a = np.array([[1.0, 0.4, 0.2], [0.4, 0.9, 0.5], [0.2, 0.5, 1.2]])
    return a, np.array([0.3, -0.2, 0.5])


derivative = grad(log_likelihood)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import place_diagonal
from srcgrad.runtime.matrices import solve_triangular


def log_likelihood_grad(K, y):
    """Gradient of log_likelihood (retried.py:8) with respect to K."""
    jitter = 1e-10
    saved = []
    saved2 = []
    while True:
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            saved.append(L)
            stopped = True
        except np.linalg.LinAlgError:
            jitter *= 10.0  # not definite
            stopped = False
        saved2.append(stopped)
        if stopped:
            break
    z = np.linalg.solve(L, y)
    diagonal = np.diag(L)

    # retried.py:17  return -0.5 * z @ z - np.sum(np.log(np.diag(L)))
    L_bar = place_diagonal(-1 / diagonal, L)
    # retried.py:16  z = np.linalg.solve(L, y)
    L_bar += np.outer(np.linalg.solve(L.T, z), z)
    # retried.py:10  while True:
    K_bar = np.zeros(K.shape)
    for stopped in saved2[::-1]:
        if stopped:
            L = saved.pop()
            # retried.py:12  L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            adjoint = L.T
            product = adjoint @ L_bar
            both = solve_triangular(
                adjoint,
                solve_triangular(adjoint, (np.tril(product) + np.tril(product, k=-1)) / 2).T,
            )
            whole = (both + both.T) / 2
            K_bar += np.tril(whole) + np.tril(whole, k=-1)
            # retried.py:11  try:
            L_bar = np.zeros(L_bar.shape)
    return K_bar
