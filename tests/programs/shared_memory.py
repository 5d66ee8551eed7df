"""Arrays that share memory, one of which is written: slices, transposes, second names."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(3, 2)),))
def reshaped_before_a_write(a):
    b = a * 1.0
    r = b.reshape(-1)
    s = np.sum(r**3)
    b += s
    return np.sum(b**2)

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
