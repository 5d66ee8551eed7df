"""Networks and clusters: what is learned."""

import math

import numpy as np

from tests.benchmarks.problem import Problem, of
from tests.benchmarks.programs import mlp, mlp_arguments, mlp_by_hand


def logistic(w, b, x, y):
    """Return the mean loss of logistic regression, with a penalty."""
    z = x @ w + b
    return np.mean(np.log1p(np.exp(-z)) + (1 - y) * z) + 0.01 * np.sum(w**2)


def logistic_by_hand(w, b, x, y):
    """Return the gradient of ``logistic`` by hand."""
    e = np.exp(-(x @ w + b))
    z_bar = (1 - y - e / (1 + e)) / y.size
    return z_bar @ x + 0.02 * w, z_bar.sum()


def logistic_arguments(rng, n, d):
    """Return arguments of some size."""
    x = rng.normal(size=(n, d))
    return rng.normal(size=d) / math.sqrt(d), 0.1, x, (x[:, 0] > 0).astype(float)


def mixture(weights, means, log_scales, x):
    """Return the log-likelihood of a mixture of Gaussians with diagonal covariances."""
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_p = weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(z**2, axis=2)
    top = np.max(log_p, axis=1)
    log_sum = top + np.log(np.sum(np.exp(log_p - top[:, None]), axis=1))
    return np.sum(log_sum) - x.shape[0] * np.log(np.sum(np.exp(weights)))


def mixture_by_hand(weights, means, log_scales, x):
    """Return the gradient of ``mixture`` by hand."""
    scales = np.exp(-log_scales)
    z = (x[:, None, :] - means) * scales
    log_p = weights - np.sum(log_scales, axis=1) - 0.5 * np.sum(z**2, axis=2)
    top = np.max(log_p, axis=1)
    p = np.exp(log_p - top[:, None])
    p /= np.sum(p, axis=1)[:, None]
    counts = p.sum(axis=0)
    e = np.exp(weights)
    pz = p[:, :, None] * z
    means_bar = pz.sum(axis=0) * scales
    log_scales_bar = (pz * z).sum(axis=0) - counts[:, None]
    return counts - x.shape[0] / np.sum(e) * e, means_bar, log_scales_bar


def mixture_arguments(rng, n, k, d):
    """Return arguments of some size."""
    return (
        rng.normal(size=k),
        rng.normal(size=(k, d)),
        0.1 * rng.normal(size=(k, d)),
        rng.normal(size=(n, d)),
    )


def lstm(w, u, b, v, x, y):
    """Return the squared error of a long short-term memory over a sequence."""
    n = u.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    loss = 0.0
    for t in range(x.shape[0]):
        z = x[t] @ w + h @ u + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        loss = loss + np.sum((h @ v - y[t]) ** 2)
    return loss


def lstm_by_hand(w, u, b, v, x, y):
    """Return the gradient of ``lstm`` by hand."""
    n = u.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    saved = []
    for t in range(x.shape[0]):
        h_0, c_0 = h, c
        z = x[t] @ w + h @ u + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        s = np.tanh(c)
        h = o * s
        saved.append((h_0, c_0, i, f, o, g, s, h, h @ v - y[t]))
    w_bar, u_bar = np.zeros(w.shape), np.zeros(u.shape)
    b_bar, v_bar = np.zeros(b.shape), np.zeros(v.shape)
    h_bar, c_bar = np.zeros(n), np.zeros(n)
    z_bar = np.empty(4 * n)
    for t in range(x.shape[0] - 1, -1, -1):
        h_0, c_0, i, f, o, g, s, h, r = saved[t]
        r_bar = 2 * r
        v_bar += np.outer(h, r_bar)
        h_bar += v @ r_bar
        c_bar += h_bar * o * (1 - s**2)
        z_bar[:n] = c_bar * g * i * (1 - i)
        z_bar[n : 2 * n] = c_bar * c_0 * f * (1 - f)
        z_bar[2 * n : 3 * n] = h_bar * s * o * (1 - o)
        z_bar[3 * n :] = c_bar * i * (1 - g**2)
        w_bar += np.outer(x[t], z_bar)
        u_bar += np.outer(h_0, z_bar)
        b_bar += z_bar
        h_bar = u @ z_bar
        c_bar *= f
    return w_bar, u_bar, b_bar, v_bar


def lstm_arguments(rng, steps, d, n, m):
    """Return arguments of some size."""
    return (
        rng.normal(size=(d, 4 * n)) / math.sqrt(d),
        rng.normal(size=(n, 4 * n)) / math.sqrt(n),
        rng.normal(size=4 * n),
        rng.normal(size=(n, m)) / math.sqrt(n),
        rng.normal(size=(steps, d)),
        rng.normal(size=(steps, m)),
    )


def k_means(centers, x):
    """Return the sum of squared distances to the nearest centers."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    return np.sum(np.min(d, axis=1))


def k_means_by_hand(centers, x):
    """Return the gradient of ``k_means`` by hand."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    nearest = d == np.min(d, axis=1)[:, None]
    nearest = nearest / nearest.sum(axis=1)[:, None]
    return 2 * (nearest.sum(axis=0)[:, None] * centers - nearest.T @ x)


def k_means_product_by_hand(centers, x, v):
    """Return the product of the Hessian of ``k_means`` with a vector by hand."""
    d = np.sum(x**2, axis=1)[:, None] - 2 * x @ centers.T + np.sum(centers**2, axis=1)
    nearest = d == np.min(d, axis=1)[:, None]
    nearest = nearest / nearest.sum(axis=1)[:, None]
    return 2 * nearest.sum(axis=0)[:, None] * v


def k_means_arguments(rng, n, k, d):
    """Return arguments of some size."""
    return rng.normal(size=(k, d)), rng.normal(size=(n, d))


def k_means_product_arguments(rng, n, k, d):
    """Return arguments of some size, and a vector."""
    return (*k_means_arguments(rng, n, k, d), rng.normal(size=(k, d)))


def conv_net(k, b, w, images, labels):
    """Return the cross entropy of a network with a convolution, a ReLU and a mean pooling."""
    n, h, v = images.shape[0], images.shape[1] - 2, images.shape[2] - 2
    z = np.zeros((n, h, v, k.shape[2]))
    for i in range(3):
        for j in range(3):
            z = z + images[:, i : h + i, j : v + j, None] * k[i, j]
    a = np.maximum(z + b, 0)
    pooled = a.reshape((n, h // 2, 2, v // 2, 2, k.shape[2])).mean(axis=(2, 4))
    scores = pooled.reshape((n, -1)) @ w
    top = np.max(scores, axis=1)
    log_norm = top + np.log(np.sum(np.exp(scores - top[:, None]), axis=1))
    return np.mean(log_norm - np.sum(scores * labels, axis=1))


def conv_net_by_hand(k, b, w, images, labels):
    """Return the gradient of ``conv_net`` by hand."""
    n, h, v = images.shape[0], images.shape[1] - 2, images.shape[2] - 2
    m = k.shape[2]
    z = np.zeros((n, h, v, m))
    for i in range(3):
        for j in range(3):
            z = z + images[:, i : h + i, j : v + j, None] * k[i, j]
    z += b
    a = np.maximum(z, 0)
    pooled = a.reshape((n, h // 2, 2, v // 2, 2, m)).mean(axis=(2, 4)).reshape((n, -1))
    scores = pooled @ w
    e = np.exp(scores - np.max(scores, axis=1)[:, None])
    scores_bar = (e / np.sum(e, axis=1)[:, None] - labels) / n
    pooled_bar = (scores_bar @ w.T).reshape((n, h // 2, 1, v // 2, 1, m)) / 4
    z_bar = pooled_bar * (z > 0).reshape((n, h // 2, 2, v // 2, 2, m))
    z_bar = z_bar.reshape((-1, m))
    k_bar = np.empty(k.shape)
    for i in range(3):
        for j in range(3):
            k_bar[i, j] = images[:, i : h + i, j : v + j].reshape(-1) @ z_bar
    return k_bar, z_bar.sum(axis=0), pooled.T @ scores_bar


def conv_net_arguments(rng, n, side, filters):
    """Return arguments of some size."""
    inner = (side - 2) // 2
    return (
        rng.normal(size=(3, 3, filters)),
        rng.normal(size=filters),
        rng.normal(size=(inner * inner * filters, 10)) / inner,
        rng.normal(size=(n, side, side)),
        np.eye(10)[rng.integers(0, 10, size=n)],
    )


PROBLEMS = [
    Problem(
        "MLP",
        mlp,
        mlp_by_hand,
        (0, 1, 2, 3),
        lambda _, *sizes: mlp_arguments(*sizes),
        of((8, 4, 16, 3), (128, 64, 128, 10), (512, 784, 512, 10)),
    ),
    Problem(
        "logistic regression",
        logistic,
        logistic_by_hand,
        (0, 1),
        logistic_arguments,
        of((20, 3), (10_000, 20), (100_000, 50)),
    ),
    Problem(
        "Gaussian mixture",
        mixture,
        mixture_by_hand,
        (0, 1, 2),
        mixture_arguments,
        of((20, 3, 2), (2000, 10, 8), (10_000, 20, 16)),
    ),
    Problem(
        "LSTM",
        lstm,
        lstm_by_hand,
        (0, 1, 2, 3),
        lstm_arguments,
        of((10, 3, 4, 2), (50, 32, 64, 8), (100, 64, 128, 32)),
        loops=True,
    ),
    Problem(
        "k-means",
        k_means,
        k_means_by_hand,
        0,
        k_means_arguments,
        of((20, 3, 2), (10_000, 20, 10), (50_000, 20, 20)),
    ),
    Problem(
        "k-means, Hessian product",
        k_means,
        k_means_product_by_hand,
        0,
        k_means_product_arguments,
        of((20, 3, 2), (10_000, 20, 10), (50_000, 20, 20)),
        kind="hvp",
    ),
    Problem(
        "convolutional net",
        conv_net,
        conv_net_by_hand,
        (0, 1, 2),
        conv_net_arguments,
        of((2, 8, 2), (20, 28, 8), (50, 28, 16)),
    ),
]
