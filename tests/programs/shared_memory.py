"""Arrays that share memory, one of which is written: slices, transposes, second names."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=4),))
def slices_of_a_recurrence(x):
    y = x * 1.0
    total = 0.0
    for i in range(1, 4):
        a = y[i - 1 : i + 1]
        total = total + np.sum(a * a * a)
        y[i - 1] = total
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def nameless_slice(x):
    y = x * 1.0
    s = np.sum(y[1:3] ** 2)
    y *= s
    return np.sum(y**2)


@program(args=lambda rng: (rng.normal(size=(3, 3)),))
def transpose_before_a_write(a):
    b = a * 1.0
    r = b.T
    s = r @ b
    b[0] = 2.0
    return np.sum(s * b)


@program(args=lambda rng: (rng.normal(size=(3, 2)),))
def reshaped_before_a_write(a):
    b = a * 1.0
    r = b.reshape(-1)
    s = np.sum(r**3)
    b += s
    return np.sum(b**2)


@program(args=lambda rng: (rng.normal(size=(3, 2)),))
def rows_before_a_write(a):
    b = a * 1.0
    total = 0.0
    for k in range(2):
        row = b[k]
        total = total + np.sum(row**2)
        b[k + 1] = total * b[k + 1]
    return np.sum(b**2) + total


@program(args=lambda rng: (rng.normal(size=4),))
def parts_in_a_list(x):
    y = x * 1.0
    total = 0.0
    for part in [y[:2], y[2:]]:
        total = total + np.sum(part**2)
    y[0] = total
    return np.sum(y**2)


@program(args=lambda rng: (rng.normal(size=4), 1))
def second_name_in_one_branch(x, n):
    y = x * 1.0
    z = y if n > 0 else y * 2
    a = z * z
    y[0] = a[1]
    return np.sum(y * a)


@program(args=lambda rng: (rng.normal(size=(3, 3)) + 3 * np.eye(3),))
def lu_in_place(a):
    a = a.copy()
    for k in range(3):
        for i in range(k + 1, 3):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return np.sum(np.log(np.abs(np.diag(a))))
