"""Statistics and machine learning: likelihoods, networks, filters."""

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (
        rng.normal(size=3),
        0.2,
        rng.normal(size=(6, 3)),
        rng.integers(0, 2, 6),
    ),
    wrt=(0, 1),
)
def logistic_regression(w, b, x, y):
    margin = (2 * y - 1) * (x @ w + b)
    return np.mean(np.log1p(np.exp(-margin))) + 0.1 * np.sum(w**2)


@program(
    args=lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=4),
        rng.normal(size=(5, 3)),
        np.array([0, 3, 1, 1, 2]),
    ),
    wrt=(0, 1),
)
def softmax_regression(W, b, x, labels):
    scores = x @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


@program(
    args=lambda rng: (
        rng.normal(size=2),
        rng.normal(size=(2, 2)),
        rng.normal(size=(2, 2)) / 2,
        rng.normal(size=(5, 2)),
    ),
    wrt=(0, 1, 2),
)
def gaussian_mixture(logits, means, log_scales, x):
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_density = (
        -0.5 * np.sum(z**2, axis=2) - np.sum(log_scales, axis=1) - np.log(2 * np.pi)
    )
    joint = log_weights + log_density
    largest = np.max(joint, axis=1, keepdims=True)
    return np.sum(largest[:, 0] + np.log(np.sum(np.exp(joint - largest), axis=1)))


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


@program(
    args=lambda rng: (0.3, -0.2, rng.normal(size=(4, 2)), rng.normal(size=4)),
    wrt=(0, 1, 2),
)
def gaussian_process(log_length, log_noise, x, y):
    squares = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    K = np.exp(-0.5 * squares / np.exp(2 * log_length)) + np.exp(
        2 * log_noise
    ) * np.eye(len(x))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L, y)
    return 0.5 * alpha @ alpha + np.sum(np.log(np.diag(L)))


@program(
    args=lambda rng: (rng.normal(size=2), rng.normal(size=2), rng.normal(size=(3, 2))),
    wrt=(0, 1),
)
def variational_bound(mean, log_scale, noise):
    scale = np.exp(log_scale)
    bound = 0.0
    for e in noise:
        z = mean + scale * e
        bound = bound - np.sum(z**4) / 4 + np.prod(z)
    return bound / len(noise) + np.sum(log_scale)


@program(
    args=lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=(2, 5, 4)),
        rng.normal(size=(2, 5, 2)),
        "relu",
    ),
    wrt=(0, 1, 2),
    label="relu",
)
def einsum_model(x, A, B, activation):
    h = np.einsum("ni,hji->hnj", x, A)
    if activation == "relu":
        h = np.maximum(h, 0)
    else:
        h = np.tanh(h)
    y = np.einsum("hnj,hjk->nk", h, B)
    return np.mean(y**2)
