"""Newton's method for a system of equations: an equilibrium of coupled springs."""

import numpy as np

from srcgrad import grad


def compliance(load, K, stiffening):
    u = np.zeros_like(load)
    for _ in range(6):
        residual = K @ u + stiffening * u ** 3 - load
        tangent = K + np.diag(3 * stiffening * u ** 2)
        u = u - np.linalg.solve(tangent, residual)
    return load @ u


def arguments():
    K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    return np.array([0.1, 0.4, -0.2]), K, 0.3


derivative = grad(compliance, wrt=("load", "K", "stiffening"))


# ------------------------------------------------------------------------------------------

def compliance_grad(load, K, stiffening):
    """Gradient of compliance (newton.py:8) with respect to (load, K, stiffening)."""
    u = np.zeros_like(load)
    saved = []
    for _ in range(6):
        power = u ** 3
        residual = K @ u + stiffening * power - load
        tangent = K + np.diag(3 * stiffening * u ** 2)
        solution = np.linalg.solve(tangent, residual)
        saved.append((u, power, tangent, solution))
        u = u - solution

    # newton.py:10  for _ in range(6):
    K_bar = np.zeros(K.shape)
    load_bar = u.copy()
    u_bar = load
    stiffening_bar = 0.0
    for u, power, tangent, solution in saved[::-1]:
        # newton.py:13  u = u - np.linalg.solve(tangent, residual)
        residual_bar = np.linalg.solve(tangent.T, -u_bar)
        tangent_bar = -np.outer(residual_bar, solution)
        # newton.py:12  tangent = K + np.diag(3 * stiffening * u ** 2)
        K_bar += tangent_bar
        prod_bar = np.diag(tangent_bar)
        u_bar = u_bar + 6 * stiffening * prod_bar * u
        stiffening_bar += 3 * np.dot(prod_bar, u ** 2)
        # newton.py:11  residual = K @ u + stiffening * u ** 3 - load
        load_bar -= residual_bar
        stiffening_bar += np.dot(residual_bar, power)
        K_bar += np.outer(residual_bar, u)
        u_bar = u_bar + 3 * stiffening * residual_bar * u ** 2 + K.T @ residual_bar
    return load_bar, K_bar, stiffening_bar
