"""Statistics and machine learning: likelihoods, networks, filters."""

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (
        rng.normal(size=(3, 2)),
        rng.normal(size=2),
        rng.normal(size=(4, 3)),
        rng.normal(size=(4, 2)),
    ),
    wrt=(0, 1),
)
def one_layer(W, b, x, y):
    r = np.tanh(x @ W + b) - y
    return np.mean(r**2)


@program(
    args=lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=4),
        rng.normal(size=(4, 2)),
        rng.normal(size=2),
        rng.normal(size=(5, 3)),
        rng.normal(size=(5, 2)),
    ),
    wrt=(0, 1, 2, 3),
)
def two_layers(W1, b1, W2, b2, x, y):
    # hidden layer
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y  # residual
    return np.mean(r**2)


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


@program(
    args=lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 3)) / 2,
        rng.normal(size=3),
        rng.normal(size=(4, 2)),
    ),
    wrt=(0, 1, 2, 3),
)
def recurrent_network(W, U, b, inputs):
    h = np.zeros(3)
    for x in inputs:
        h = np.tanh(x @ W + h @ U + b)
    return np.sum(h**2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program(
    args=lambda rng: (
        rng.normal(size=(2, 6)),
        rng.normal(size=(2, 6)),
        rng.normal(size=6),
        rng.normal(size=(3, 2)),
    ),
    wrt=(0, 1, 2),
)
def gated_network(W, U, b, inputs):
    """A gated recurrent unit; the loss adds up over time."""
    h = np.zeros(2)
    loss = 0.0
    for x in inputs:
        a = x @ W + h @ U + b
        update = sigmoid(a[:2])
        reset = sigmoid(a[2:4])
        candidate = np.tanh(a[4:] + reset * h)
        h = (1 - update) * h + update * candidate
        loss = loss + np.sum((h - x) ** 2)
    return loss / len(inputs)


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
    args=lambda rng: (
        rng.normal(size=2),
        rng.normal(size=(2, 2)),
        rng.normal(size=(2, 3)),
        np.array([0, 2, 1, 1]),
    ),
    wrt=(0, 1, 2),
)
def hidden_markov_model(start, transition, emission, observed):
    def normalised(scores):
        e = np.exp(scores)
        return e / np.sum(e, axis=-1, keepdims=True)

    T = normalised(transition)
    E = normalised(emission)
    alpha = normalised(start) * E[:, observed[0]]
    for symbol in observed[1:]:
        alpha = (alpha @ T) * E[:, symbol]
    return np.log(np.sum(alpha))


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
    args=lambda rng: (
        rng.normal(size=(4, 2)),
        rng.normal(size=(3, 2)),
        rng.normal(size=(4, 3)),
        rng.integers(0, 2, (4, 3)),
    ),
    wrt=(0, 1),
)
def matrix_factorisation(U, V, ratings, seen):
    error = seen * (ratings - U @ V.T)
    return np.sum(error**2) + 0.1 * (np.sum(U**2) + np.sum(V**2))


@program(args=lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(2, 2))))
def k_means_objective(points, centres):
    squares = np.sum((points[:, None] - centres[None]) ** 2, axis=2)
    nearest = np.argmin(squares, axis=1)
    return np.sum((points - centres[nearest]) ** 2)


@program(
    args=lambda rng: (rng.normal(size=3), rng.normal(size=(5, 3)), rng.poisson(2.0, 5))
)
def poisson_regression(w, x, counts):
    rate = x @ w
    return np.sum(np.exp(rate) - counts * rate)


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


@program(args=lambda rng: (rng.normal(size=8), rng.normal(size=3)), wrt=(0, 1))
def convolution_by_slices(signal, kernel):
    n = len(signal) - len(kernel) + 1
    out = np.zeros(n)
    for k, weight in enumerate(kernel):
        out = out + weight * signal[k : k + n]
    return np.sum(np.maximum(out, 0.1 * out) ** 2)


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
@program(
    args=lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=(2, 5, 4)),
        rng.normal(size=(2, 5, 2)),
        "tanh",
    ),
    wrt=(0, 1, 2),
    label="tanh",
)
def einsum_model(x, A, B, activation):
    h = np.einsum("ni,hji->hnj", x, A)
    if activation == "relu":
        h = np.maximum(h, 0)
    else:
        h = np.tanh(h)
    y = np.einsum("hnj,hjk->nk", h, B)
    return np.mean(y**2)


@program(args=lambda rng: (rng.normal(size=4), rng.normal(size=4), 0.1), wrt=(0, 1, 2))
def momentum_descent_unrolled(w, target, rate):
    velocity = np.zeros_like(w)
    for _ in range(3):
        gradient = np.sinh(w - target)
        velocity = 0.9 * velocity - rate * gradient
        w = w + velocity
    return np.sum(np.cosh(w - target))


@program(args=lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1))
def deep_equilibrium(W, x):
    """A fixed point by iteration, with a stopping rule on the residual."""
    z = np.zeros(3)
    for k in range(50):
        new_z = np.tanh(0.3 * W @ z + x)
        change = np.max(np.abs(new_z - z))
        z = new_z
        if change < 1e-3:
            break
    return np.sum(z**2)
