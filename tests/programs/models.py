"""Statistics and machine learning: likelihoods, networks, filters."""

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (
        rng.normal(size=(2, 2)) / 2,
        rng.normal(size=2),
        rng.normal(size=(4, 1)),
    ),
    wrt=(0, 1),
)
def kalman_filter_with_matrices(A, log_noise, observations):
    C = np.array([[1.0, 0.5]])
    Q = np.diag(np.exp(log_noise))
    m = np.zeros(2)
    P = np.eye(2)
    nll = 0.0
    for y in observations:
        m = A @ m
        P = A @ P @ A.T + Q
        S = C @ P @ C.T + 0.3 * np.eye(1)
        K = np.linalg.solve(S, C @ P).T
        v = y - C @ m
        nll = nll + 0.5 * (np.linalg.slogdet(S)[1] + v @ np.linalg.solve(S, v))
        m = m + K @ v
        P = P - K @ C @ P
    return nll
