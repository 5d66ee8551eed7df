"""What is computed with matrices, row by row and column by column."""

import numpy as np

from tests.benchmarks.problem import Problem, of


def tridiagonal(a, b, c, d):
    """Return the squared norm of the solution of a tridiagonal system."""
    n = d.shape[0]
    p = np.zeros(n)
    q = np.zeros(n)
    p[0] = c[0] / b[0]
    q[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * p[i - 1]
        p[i] = c[i] / m
        q[i] = (d[i] - a[i] * q[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = q[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = q[i] - p[i] * x[i + 1]
    return np.sum(x**2)


def tridiagonal_by_hand(a, b, c, d):
    """Return the gradient of ``tridiagonal`` by hand."""
    n = d.shape[0]
    p = np.zeros(n)
    q = np.zeros(n)
    m = b.copy()
    p[0] = c[0] / b[0]
    q[0] = d[0] / b[0]
    for i in range(1, n):
        m[i] = b[i] - a[i] * p[i - 1]
        p[i] = c[i] / m[i]
        q[i] = (d[i] - a[i] * q[i - 1]) / m[i]
    x = np.zeros(n)
    x[n - 1] = q[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = q[i] - p[i] * x[i + 1]
    q_bar = 2 * x
    p_bar = np.zeros(n)
    for i in range(n - 1):
        q_bar[i + 1] -= q_bar[i] * p[i]
        p_bar[i] = -q_bar[i] * x[i + 1]
    a_bar, b_bar, c_bar, d_bar = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n - 1, 0, -1):
        d_bar[i] = q_bar[i] / m[i]
        c_bar[i] = p_bar[i] / m[i]
        b_bar[i] = -d_bar[i] * q[i] - c_bar[i] * p[i]
        a_bar[i] = -d_bar[i] * q[i - 1] - b_bar[i] * p[i - 1]
        q_bar[i - 1] -= d_bar[i] * a[i]
        p_bar[i - 1] -= b_bar[i] * a[i]
    d_bar[0] = q_bar[0] / b[0]
    c_bar[0] = p_bar[0] / b[0]
    b_bar[0] = -d_bar[0] * q[0] - c_bar[0] * p[0]
    return a_bar, b_bar, c_bar, d_bar


def tridiagonal_arguments(rng, n):
    """Return arguments of some size."""
    return rng.normal(size=n), 4 + rng.random(n), rng.normal(size=n), rng.normal(size=n)


def gram_schmidt(a):
    """Return a weighted sum of the orthonormal columns that a matrix gives."""
    n = a.shape[1]
    q = np.zeros_like(a)
    for k in range(n):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        q[:, k] = v / np.sqrt(np.sum(v**2))
    return np.sum(q**3)


def gram_schmidt_by_hand(a):
    """Return the gradient of ``gram_schmidt`` by hand."""
    n = a.shape[1]
    q = np.zeros_like(a)
    norms = np.empty(n)
    for k in range(n):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        norms[k] = np.sqrt(np.sum(v**2))
        q[:, k] = v / norms[k]
    q_bar = 3 * q**2
    a_bar = np.empty(a.shape)
    for k in range(n - 1, -1, -1):
        qk_bar = q_bar[:, k]
        v_bar = (qk_bar - (qk_bar @ q[:, k]) * q[:, k]) / norms[k]
        before, ak = q[:, :k], a[:, k]
        w, w_bar = before.T @ ak, before.T @ v_bar
        a_bar[:, k] = v_bar - before @ w_bar
        q_bar[:, :k] -= np.outer(v_bar, w) + np.outer(ak, w_bar)
    return a_bar


def correlation(x):
    """Return the sum of squares of the correlations of the columns, row by row."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    x = x / np.sqrt(np.mean(x**2, axis=0))
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / n
    return np.sum(corr**2)


def correlation_by_hand(x):
    """Return the gradient of ``correlation`` by hand."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    scale = np.sqrt(np.mean(x**2, axis=0))
    x = x / scale
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] / n
    upper = np.triu(2 / n * corr, 1)
    x_bar = x @ (upper + upper.T)
    x_bar = (x_bar - x * np.mean(x_bar * x, axis=0)) / scale
    return x_bar - x_bar.mean(axis=0)


def matrix_argument(rng, n, m):
    """Return a matrix of some size."""
    return (rng.normal(size=(n, m)),)


def minors(a):
    """Return the determinant of a matrix, by the minors of its first row."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)
        total = total + (-1) ** j * a[0, j] * minors(rest)
    return total


def minors_both(a):
    """Return ``minors`` and its gradient."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0], np.ones((1, 1))
    total = 0.0
    a_bar = np.zeros(a.shape)
    for j in range(n):
        rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)
        minor, rest_bar = minors_both(rest)
        a_bar[0, j] = (-1) ** j * minor
        total = total + a[0, j] * a_bar[0, j]
        rest_bar *= (-1) ** j * a[0, j]
        a_bar[1:, :j] += rest_bar[:, :j]
        a_bar[1:, j + 1 :] += rest_bar[:, j:]
    return total, a_bar


def minors_by_hand(a):
    """Return the gradient of ``minors`` by hand."""
    return minors_both(a)[1]


def sparse_product(values, x, rows, columns, b):
    """Return the squared residual of a sparse matrix, of which entries and places are listed."""
    y = np.zeros(b.shape)
    np.add.at(y, rows, values * x[columns])
    return np.sum((y - b) ** 2)


def sparse_product_by_hand(values, x, rows, columns, b):
    """Return the gradient of ``sparse_product`` by hand."""
    y = np.zeros(b.shape)
    x_columns = x[columns]
    np.add.at(y, rows, values * x_columns)
    y_rows = 2 * (y - b)[rows]
    x_bar = np.zeros(x.shape)
    np.add.at(x_bar, columns, values * y_rows)
    return y_rows * x_columns, x_bar


def sparse_product_arguments(rng, n, entries):
    """Return arguments of some size."""
    rows, columns = rng.integers(0, n, size=entries), rng.integers(0, n, size=entries)
    return rng.normal(size=entries), rng.normal(size=n), rows, columns, rng.normal(size=n)


PROBLEMS = [
    Problem(
        "tridiagonal sweep",
        tridiagonal,
        tridiagonal_by_hand,
        (0, 1, 2, 3),
        tridiagonal_arguments,
        of((10,), (1000,), (10_000,)),
        loops=True,
    ),
    Problem(
        "Gram-Schmidt",
        gram_schmidt,
        gram_schmidt_by_hand,
        0,
        matrix_argument,
        of((6, 4), (200, 50), (400, 100)),
        loops=True,
    ),
    Problem(
        "correlation by rows",
        correlation,
        correlation_by_hand,
        0,
        matrix_argument,
        of((20, 4), (500, 50), (1000, 100)),
        loops=True,
    ),
    Problem(
        "determinant by minors",
        minors,
        minors_by_hand,
        0,
        lambda rng, n: (rng.normal(size=(n, n)),),
        of((3,), (5,), (6,)),
        loops=True,
    ),
    Problem(
        "sparse matrix-vector product",
        sparse_product,
        sparse_product_by_hand,
        (0, 1),
        sparse_product_arguments,
        of((10, 30), (1000, 10_000), (20_000, 200_000)),
        loops=True,
    ),
]
