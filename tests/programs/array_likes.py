"""Lists and tuples, constant or active, wherever NumPy makes arrays of them."""

import numpy as np

from tests.programs.table import program

X = (np.array([0.3, 0.7, 1.2]), [0.5, 0.35, 0.2])
MATRIX = [[2.0, 1.0, 0.3], [1.0, 3.0, 0.1], [0.2, 0.1, 1.0]]

@program(args=X)
def products(x, w):
    return np.dot(x, w) + np.sum(MATRIX @ x) * x[0] + np.sum(np.outer(w, x) ** 2) + x @ w


@program(args=X)
def edges_and_weights(x, w):
    y = np.insert(x, [1, 2], [3.0, 4.0]) ** 2
    z = np.diff(x, prepend=[1.0]) ** 2
    return np.sum(y) + np.sum(z) + np.trapezoid(x**2, [0.0, 1.0, 3.0])

@program(args=X)
def solved_and_crossed(x, w):
    return np.sum(np.linalg.solve(MATRIX, x) ** 2) + np.sum(np.cross(x, [0.0, 0.0, x[1]]) * x)

@program(args=X)
def arrays_of_a_given_type(x, w):
    v = np.array([x[0], x[1]], dtype=float)
    u = np.asarray([[x[0], x[1]], [x[1], 2.0]], np.float64)
    return np.mean(2 * v) + np.sum((u @ v) ** 2) + np.cumsum(3 * v)[1] + np.dot(v, v)
