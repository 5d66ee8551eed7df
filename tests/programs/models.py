"""Statistics and machine learning: likelihoods, networks, filters."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (0.9, 0.3, 0.5, rng.normal(size=5)), wrt=(0, 1, 2, 3))
def kalman_filter(a, q, r, observations):
    mean, variance = 0.0, 1.0
    log_likelihood = 0.0
    for y in observations:
        mean = a * mean
        variance = a * a * variance + q
        s = variance + r
        gain = variance / s
        innovation = y - mean
        log_likelihood -= 0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
        mean = mean + gain * innovation
        variance = (1 - gain) * variance
    return log_likelihood

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
