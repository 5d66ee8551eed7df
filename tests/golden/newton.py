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

from srcgrad.runtime import unbroadcast


def compliance_grad(load, K, stiffening):
    """Gradient of compliance (newton.py:8) with respect to (load, K, stiffening)."""
    u = np.zeros_like(load)
    saved = []
    for _ in range(6):
        prod = K @ u
        power = u ** 3
        prod_ = stiffening * power
        sum = prod + prod_
        residual = sum - load
        power_ = u ** 2
        diag_ = np.diag(3 * stiffening * power_)
        tangent = K + diag_
        solve_ = np.linalg.solve(tangent, residual)
        saved.append((u, prod, power, prod_, sum, power_, diag_, tangent, solve_))
        u = u - solve_

    # newton.py:10  for _ in range(6):
    K_bar = np.zeros_like(K)
    u_bar2 = load
    stiffening_bar = 0.0
    load_bar = u
    for u, prod, power, prod_, sum, power_, diag_, tangent, solve_ in saved[::-1]:
        # newton.py:13  u = u - np.linalg.solve(tangent, residual)
        u_bar = unbroadcast(u_bar2, u)
        residual_bar = np.linalg.solve(tangent.T, unbroadcast(-u_bar2, solve_))
        tangent_bar = -np.outer(residual_bar, solve_)
        # newton.py:12  tangent = K + np.diag(3 * stiffening * u ** 2)
        K_bar += unbroadcast(tangent_bar, K)
        pre_bar = np.diag(unbroadcast(tangent_bar, diag_), k=0)
        term = unbroadcast(2 * unbroadcast(pre_bar * (3 * stiffening), power_) * u, u)
        u_bar = u_bar + term
        stiffening_bar += 3 * np.sum(pre_bar * power_)
        # newton.py:11  residual = K @ u + stiffening * u ** 3 - load
        sum_bar = unbroadcast(residual_bar, sum)
        load_bar = load_bar + unbroadcast(-residual_bar, load)
        prod_bar = unbroadcast(sum_bar, prod)
        prod_bar2 = unbroadcast(sum_bar, prod_)
        stiffening_bar += np.sum(prod_bar2 * power)
        term = 3 * unbroadcast(prod_bar2 * stiffening, power) * u ** 2
        K_bar += np.outer(prod_bar, u)
        u_bar2 = u_bar + unbroadcast(term, u) + K.T @ prod_bar
    load_bar = np.copy(load_bar)
    return load_bar, K_bar, stiffening_bar
