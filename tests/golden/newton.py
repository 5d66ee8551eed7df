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
        power_ = u ** 2
        tangent = K + np.diag(3 * stiffening * power_)
        solve_ = np.linalg.solve(tangent, residual)
        saved.append((u, power, power_, tangent, solve_))
        u = u - solve_

    # newton.py:10  for _ in range(6):
    K_bar = np.zeros_like(K)
    u_bar = load
    stiffening_bar = 0.0
    load_bar = u
    for u, power, power_, tangent, solve_ in saved[::-1]:
        # newton.py:13  u = u - np.linalg.solve(tangent, residual)
        residual_bar = np.linalg.solve(tangent.T, -u_bar)
        term = np.outer(residual_bar, solve_)
        tangent_bar = -term
        # newton.py:12  tangent = K + np.diag(3 * stiffening * u ** 2)
        K_bar -= term
        pre_bar = np.diag(tangent_bar, k=0)
        u_bar = u_bar + 2 * (pre_bar * (3 * stiffening)) * u
        stiffening_bar += 3 * np.sum(pre_bar * power_)
        # newton.py:11  residual = K @ u + stiffening * u ** 3 - load
        load_bar = load_bar - residual_bar
        stiffening_bar += np.sum(residual_bar * power)
        u_bar += 3 * (residual_bar * stiffening) * u ** 2
        K_bar += np.outer(residual_bar, u)
        u_bar += K.T @ residual_bar
    load_bar = np.copy(load_bar)
    return load_bar, K_bar, stiffening_bar
