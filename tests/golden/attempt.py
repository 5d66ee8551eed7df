"""Several statements that are tried, and what is given where they fail."""

import numpy as np

from srcgrad import grad


def energy(K, f):
    # no displacements without a stiff frame
    try:
        L = np.linalg.cholesky(K)
        u = np.linalg.solve(L, f)
        e = 0.5 * u @ u
    except np.linalg.LinAlgError:
        return np.inf
    return e + 0.1 * np.sum(u**2)


def arguments():
    K = np.array([[2.0, 0.4, 0.2], [0.4, 1.9, 0.5], [0.2, 0.5, 1.2]])
    return K, np.array([0.3, -0.2, 0.5])


derivative = grad(energy, wrt=(0, 1))


# ------------------------------------------------------------------------------------------

from srcgrad.runtime.matrices import solve_triangular


def energy_grad(K, f):
    """Gradient of energy (attempt.py:8) with respect to (K, f)."""
    # no displacements without a stiff frame
    try:
        L = np.linalg.cholesky(K)
        u = np.linalg.solve(L, f)
        e = 0.5 * u @ u
        failed = False
    except np.linalg.LinAlgError:
        value = np.inf
        failed = True
    else:
        value = e + 0.1 * np.sum(u**2)

    if failed:
        # attempt.py:10  try:
        f_bar = np.zeros(f.shape)
        K_bar = np.zeros(K.shape)
    else:
        # attempt.py:16  return e + 0.1 * np.sum(u**2)
        u_bar = 0.2 * u
        # attempt.py:13  e = 0.5 * u @ u
        u_bar += u
        # attempt.py:12  u = np.linalg.solve(L, f)
        f_bar = np.linalg.solve(L.T, u_bar)
        L_bar = -np.outer(f_bar, u)
        # attempt.py:11  L = np.linalg.cholesky(K)
        adjoint = L.T
        product = adjoint @ L_bar
        both = solve_triangular(
            adjoint,
            solve_triangular(adjoint, (np.tril(product) + np.tril(product, k=-1)) / 2).T,
        )
        whole = (both + both.T) / 2
        K_bar = np.tril(whole) + np.tril(whole, k=-1)
    return K_bar, f_bar
