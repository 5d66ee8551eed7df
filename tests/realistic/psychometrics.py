"""Psychometrics: factor analysis."""
import enum

import numpy as np

from tests.realistic.table import program

# --- 3: confirmatory factor analysis: pattern as integers, implied covariance, ML

class Param(enum.IntEnum):
    FIXED = 0
    FREE = 1
    EQUAL = 2

PATTERN = np.array([[1, 0], [2, 0], [2, 1], [0, 2], [0, 1]])

def fill(pattern, theta):
    L = np.zeros(pattern.shape)
    flat = L.reshape(-1)
    shared = theta[-1]
    k = 0
    for pos, kind in enumerate(pattern.flat):
        if kind == Param.FREE:
            flat[pos] = theta[k]
            k += 1
        elif kind == Param.EQUAL:
            flat[pos] = shared
    return L, k

@program(
    lambda rng: (np.array([0.8, 0.3, 0.9, 0.3, 0.4, 0.5, 0.6, 0.7, 0.2, 0.65]), np.cov(rng.normal(size=(5, 20)))),
    wrt=(0, 1),
    changes=(
        lambda args: PATTERN.__setitem__((1, 0), 0),
        lambda args: PATTERN.__setitem__((2, 1), 2),
        lambda args: PATTERN.__setitem__((1, 0), 1),
    ),
)
def cfa_discrepancy(theta, S):
    L, k = fill(PATTERN, theta)
    psi = theta[k : k + 5]
    phi = np.eye(2)
    phi[0, 1] = phi[1, 0] = theta[-2]
    sigma = L @ phi @ L.T
    sigma[np.diag_indices(5)] += psi
    sign, logdet = np.linalg.slogdet(sigma)
    return logdet + np.trace(np.linalg.solve(sigma, S)) - np.linalg.slogdet(S)[1] - 5
