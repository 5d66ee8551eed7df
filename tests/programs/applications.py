"""Programs as their users write them, from many fields."""

import math

import numpy as np

from tests.programs.table import program


def softmax(z, axis=-1):
    z = z - np.max(z, axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)

def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    var = ((x - mu) ** 2).mean(-1, keepdims=True)
    return gamma * (x - mu) / np.sqrt(var + eps) + beta

@program(args=lambda rng: (
        rng.normal(size=(3, 4)),
        *(rng.normal(size=(4, 4)) for _ in range(4)),
        rng.normal(size=4),
        rng.normal(size=4),
    ), wrt=tuple(range(7)))
def transformer_block(x, Wq, Wk, Wv, Wo, g, b):
    """One block of a transformer, its heads in a list."""
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    d = q.shape[1]
    heads = 2
    out = []
    for h in range(heads):
        s = slice(h * d // heads, (h + 1) * d // heads)
        a = softmax(q[:, s] @ k[:, s].T / math.sqrt(d / heads))
        out.append(a @ v[:, s])
    y = np.concatenate(out, axis=1) @ Wo
    return np.mean(layer_norm(x + y, g, b) ** 3)


@program(
    args=lambda rng: (0.1 * rng.normal(size=3), rng.normal(size=(5, 2)), rng.normal(size=5)),
    wrt=(0, 1, 2),
)
def gp_nll(theta, X, y):
    """A Gaussian process: the likelihood of its hyperparameters."""
    ell, sf, sn = np.exp(theta)
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    K = sf**2 * np.exp(-0.5 * d2 / ell**2) + sn**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(X) * math.log(2 * math.pi)


@program(args=lambda rng: (rng.normal(size=6), 0.5), wrt=(0, 1))
def spline_energy(y, h):
    """The bending energy of a cubic spline; its matrix is filled row by row."""
    n = len(y)
    A = np.zeros((n, n))
    rhs = np.zeros(n)
    A[0, 0] = A[-1, -1] = 1.0
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h / 6, 2 * h / 3, h / 6
        rhs[i] = (y[i + 1] - 2 * y[i] + y[i - 1]) / h
    m = np.linalg.solve(A, rhs)
    return h / 3 * np.sum(m[:-1] ** 2 + m[:-1] * m[1:] + m[1:] ** 2)
