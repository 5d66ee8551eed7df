"""Products of arrays, einsum, and linear algebra."""

import numpy as np

from tests.programs.table import program


def well_conditioned(rng, n):
    return rng.normal(size=(n, n)) + 3 * np.eye(n)


def definite(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + np.eye(n)


@program(args=lambda rng: (rng.normal(size=(2, 2)), rng.normal(size=(2, 2))), wrt=(0, 1))
def chain_with_one_matrix_twice(a, b):
    return np.sum(np.linalg.multi_dot([a, b, a]) * np.linalg.multi_dot([b, a.T]))


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def dot_of_vectors(x, y):
    return np.dot(x, y) ** 2 + x @ y + x.dot(x)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def only_a_dot_product(x, y):
    return np.dot(x, y)


@program(args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=3)), wrt=(0, 1))
def matrix_and_vector(a, x):
    y = a @ x
    return y @ (a @ np.sin(x)) + np.sum(np.dot(a, x) ** 3)


@program(
    args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 2))), wrt=(0, 1)
)
def matrix_and_matrix(a, b):
    return np.sum((a @ b) ** 2) + np.trace(np.matmul(b, a)) + np.sum(np.dot(a, b))


@program(args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=2)), wrt=(0, 1))
def vector_and_matrix(a, x):
    return np.sum(np.tanh(x @ a)) + np.sum(a.T @ x)


@program(args=lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1))
def quadratic_form(a, x):
    return 0.5 * x @ a @ x - np.sum(x)


@program(
    args=lambda rng: (rng.normal(size=(2, 2, 3)), rng.normal(size=(3, 2))), wrt=(0, 1)
)
def stacked_matrices(a, b):
    return np.sum(np.sin(a @ b)) + np.sum((b @ a) ** 2)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=2)), wrt=(0, 1))
def outer_and_inner(x, y):
    return np.sum(np.outer(x, y) ** 2) + np.inner(x, x) * np.inner(y, y)


@program(
    args=lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 2)),
        rng.normal(size=2),
    ),
    wrt=(0, 1, 2),
)
def einsum_of_several(a, b, x):
    c = np.einsum("ij,jk->ik", a, b)
    d = np.einsum("ij,jk,k->i", a, b, x)
    return np.sum(c**2) + np.sum(np.sin(d)) + np.einsum("i,i", x, d)


@program(
    args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 3))), wrt=(0, 1)
)
def einsum_sums_and_traces(a, b):
    return np.einsum("ij->", a**2) * np.einsum("ii", b) + np.sum(
        np.einsum("ij->j", a) ** 3
    )


@program(
    args=lambda rng: (
        rng.normal(size=(2, 4, 3)),
        rng.normal(size=(2, 4, 3)),
        rng.normal(size=(2, 4, 2)),
    ),
    wrt=(0, 1, 2),
)
def attention(query, key, value):
    scores = np.einsum("bqd,bkd->bqk", query, key) / np.sqrt(query.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.sum(np.einsum("bqk,bkv->bqv", weights, value) ** 2)


@program(
    args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 2, 2))), wrt=(0, 1)
)
def tensordot(a, b):
    return np.sum(np.tensordot(a, b, axes=1) ** 2) + np.sum(
        np.sin(np.tensordot(a, b, axes=([0, 1], [2, 0])))
    )


@program(args=lambda rng: (well_conditioned(rng, 3), rng.normal(size=3)), wrt=(0, 1))
def solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(x**2)


@program(
    args=lambda rng: (well_conditioned(rng, 3), rng.normal(size=(3, 2))), wrt=(0, 1)
)
def solve_for_several_sides(a, b):
    return np.sum(np.sin(np.linalg.solve(a, b)))


@program(args=lambda rng: (well_conditioned(rng, 3), rng.normal(size=3)), wrt=(0, 1))
def inverse(a, x):
    return x @ np.linalg.inv(a) @ x


@program(args=lambda rng: (well_conditioned(rng, 3),))
def determinant(a):
    return np.linalg.det(a) / 10 + np.log(np.abs(np.linalg.det(a @ a)))


@program(args=lambda rng: (definite(rng, 3), rng.normal(size=3)), wrt=(0, 1))
def gaussian_log_density(covariance, x):
    sign, logdet = np.linalg.slogdet(covariance)
    return -0.5 * (x @ np.linalg.solve(covariance, x) + sign * logdet)


@program(args=lambda rng: (definite(rng, 3), rng.normal(size=3)), wrt=(0, 1))
def gaussian_log_density_by_cholesky(a, x):
    factor = np.linalg.cholesky((a + a.T) / 2)
    z = np.linalg.solve(factor, x)
    return -0.5 * np.sum(z**2) - np.sum(np.log(np.diag(factor)))


@program(args=lambda rng: (rng.normal(size=4), rng.normal(size=(2, 3))), wrt=(0, 1))
def norms(x, a):
    return np.linalg.norm(x) * np.linalg.norm(a) + np.sum(
        np.linalg.norm(a, axis=1) ** 3
    )


@program(
    args=lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=5), 0.3), wrt=(0, 1, 2)
)
def ridge_regression(x, y, penalty):
    gram = x.T @ x + penalty * np.eye(3)
    w = np.linalg.solve(gram, x.T @ y)
    return np.sum((x @ w - y) ** 2) + penalty * np.sum(w**2)


@program(
    args=lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(4, 2))), wrt=(0, 1)
)
def pairwise_distances(x, y):
    squares = np.sum(x**2, axis=1)[:, None] + np.sum(y**2, axis=1) - 2 * x @ y.T
    return np.sum(np.exp(-0.5 * squares))


@program(args=lambda rng: (rng.normal(size=(3, 3)), 3))
def matrix_power_by_multiplication(a, n):
    result = np.eye(3)
    for _ in range(n):
        result = result @ a
    return np.sum(np.sin(result))


@program(
    args=lambda rng: (
        rng.normal(size=(3, 2)),
        rng.normal(size=(2, 3)),
        rng.normal(size=3),
    ),
    wrt=(0, 1, 2),
    vector=True,
)
def product_results(a, b, x):
    return a @ b, b @ x, np.outer(x, x)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def cross_product_written_out(a, b):
    c = np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )
    return np.sum(c**2)
