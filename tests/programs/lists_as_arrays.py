"""Lists and tuples of numbers where NumPy takes arrays."""

import numpy as np

from tests.programs.table import program


@program(args=(1.3,))
def largest_of_a_list_in_a_loop(x):
    t = [x, 0.5 * x]
    while max(t) < 4.0:
        t = [max(t) * x, t[0]]
    return t[0] * t[1]

@program(args=(np.array([0.7, 0.2, -0.4]), 4))
def stack_of_constants_that_is_written(x, n):
    rows = []
    for k in range(n):
        rows.append(np.arange(3.0) * k)
    columns = np.stack(rows, axis=-1)
    columns[1] = x[0]
    return np.sum(x * np.sum(columns, axis=-1)) ** 2

@program(args=(np.array([0.7, 0.2, -0.4]),))
def array_of_rows_that_were_appended(x):
    rows = []
    for i in range(len(x)):
        row = []
        for j in range(len(x)):
            row.append(x[i] * x[j] ** 2)
        rows.append(row)
    return np.sum(np.linalg.inv(np.array(rows) + np.eye(len(x))))


@program(args=(np.array([0.7, 0.2, -0.4]), 3))
def boxes_of_points_of_comprehensions(x, n):
    boxes = [[(u * v, u - v) for v in x] for u in x[:n]]
    return np.sum(np.sin(boxes)) * np.max(boxes)


@program(args=(np.array([0.7, 0.2, -0.4]),))
def array_of_tuples_whose_parts_become_active(x):
    rows, y = [], x[1]
    for k in range(3):
        rows.append((0.1 * k, y, x[2]))
        y = y * x[0]
    table = np.array(rows)
    rows.append((x[0], y, 1.0))
    return np.sum(table**2) + sum(p[0] * p[1] * p[2] for p in rows)
