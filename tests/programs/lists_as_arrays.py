"""Lists and tuples of numbers where NumPy takes arrays."""

import numpy as np

from tests.programs.table import program

WEIGHTS = [1.0, 2.0]
MATRIX = [[1.0, 2.0], [3.0, 4.0]]
X = (np.array([0.3, 0.7]),)


@program(args=X)
def list_of_the_module(x):
    return np.sum((x - WEIGHTS) ** 2 / WEIGHTS)


@program(args=X)
def matrix_of_lists(x):
    return np.sum((MATRIX @ x) ** 2) + x @ MATRIX @ x


@program(args=X)
def list_as_an_argument(x):
    return np.dot(WEIGHTS, np.maximum(x, [0.1, 0.9])) * np.hypot(x, WEIGHTS)[0]


@program(args=X)
def knots_in_lists(x):
    return np.sum(np.interp(x, [0.0, 0.5, 1.0], [2.0, 3.5, 3.0]) * x)


@program(args=X)
def coefficients_in_a_list(x):
    return np.polyval([1.0, 2.0, 3.0], x[0]) * x[1]


@program(args=(1.3,))
def largest_of_a_list(x):
    t = [x, x * x, 0.5]
    t[2] = x * 1.1
    return max(t) * 2.0 + min(t)


@program(args=(1.3,))
def largest_of_a_list_in_a_loop(x):
    t = [x, 0.5 * x]
    while max(t) < 4.0:
        t = [max(t) * x, t[0]]
    return t[0] * t[1]


@program(args=(np.array([0.3, 0.7, 1.1]),))
def lists_of_active_values(x):
    total = np.dot([x[0], x[1] * x[2]], [x[1], 2.0]) + np.linalg.norm([x[0], x[2]])
    if x[0] < 1.0:
        total = total * np.sum(np.outer([x[0], 1.0], x))
    return total


@program(args=(np.array([0.7, 0.2, -0.4]), 4))
def stack_of_constants_that_is_written(x, n):
    rows = []
    for k in range(n):
        rows.append(np.arange(3.0) * k)
    columns = np.stack(rows, axis=-1)
    columns[1] = x[0]
    return np.sum(x * np.sum(columns, axis=-1)) ** 2


@program(args=(np.array([0.3, 0.7, 0.4]),))
def mean_of_growing_list(x):
    losses = []
    for v in x:
        losses.append(v**2)
    mean = np.mean(losses)
    losses[0] = 3.0
    return mean + np.max(losses) * np.std(losses)


@program(args=(np.array([0.3, 0.7, 0.4]),))
def mean_of_comprehension(x):
    return np.mean([np.sin(v) ** 2 for v in x]) + np.prod([v for v in x if v < 0.5])


@program(args=(np.array([0.3, 0.7, 0.4]),))
def means_of_rows(x):
    rows = [x * k for k in range(1, 4)]
    return np.sum(np.mean(rows, axis=0) * np.std(rows, axis=0)) + np.linalg.norm(rows)


@program(args=(np.array([0.3, 0.7, 0.4]),))
def mean_in_a_branch(x):
    losses = [v * v for v in x]
    if np.mean(losses) > 0.1:
        return 2 * np.mean(losses)
    return np.std(losses)


@program(args=(np.array([0.3, 0.7, 0.4]),))
def stacked_in_depth(x):
    rows = [np.sin(x * k) for k in range(1, 4)]
    tables = [np.outer(x, x) * k for k in range(2)]
    return np.sum(np.dstack(rows)[0] @ np.arange(3.0)) + np.sum(np.dstack(tables) ** 3)
