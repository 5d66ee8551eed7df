"""Lists whose elements are read and replaced by their number, stacked, joined and added up."""

import numpy as np

from tests.programs.table import program


@program(args=(np.array([0.3, 0.7, 0.4]),))
def last_of_what_begins_empty(x):
    out = []
    for k in range(3):
        out.append(x[k] + (out[-1] ** 2 if out else 1.0))
    return out[-1] * out[0]

@program(args=(np.array([0.3, 0.7, 0.4]),))
def emptied_again(x):
    out = []
    total = 0.0
    for k in range(3):
        for j in range(2):
            first = out[0] if len(out) > 1 else 0.5
            out.append(x[j] * first)
        total = total + out[-1]
        if k == 1:
            out = []
    return total

@program(args=lambda rng: (rng.normal(size=3), 3))
def made_at_its_length_and_multiplied(x, n):
    shares = [0.0] * n
    total = 0.0
    for k in range(n):
        shares[k] = np.exp(x[k])
        total += shares[k]
    for k in range(n):
        shares[k] *= 1.0 / total
        shares[k] = shares[k] ** 2
    return shares[0] - 2 * shares[2]


@program(args=lambda rng: (rng.normal(size=4), 4))
def recurrence_in_a_list_of_its_length(x, n):
    u = [0.0] * n
    u[0] = x[0]
    for k in range(1, n):
        u[k] = 0.5 * u[k - 1] ** 2 + x[k]
        u[k] *= 2.0
    return sum(u)


@program(args=(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),), recorded=True)
def rows_of_cholesky(a):
    rows = []
    for i in range(3):
        row = []
        for j in range(i):
            s = a[i, j] - sum(row[k] * rows[j][k] for k in range(j))
            row.append(s / rows[j][j])
        row.append(np.sqrt(a[i, i] - sum(v**2 for v in row)))
        rows.append(row)
    return sum(np.log(rows[i][i]) for i in range(3))
