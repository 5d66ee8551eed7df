"""New shapes for arrays, and arrays joined and split."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 2)),))
def junctions_of_one(x):
    rows = np.concatenate([x * s for s in (2.0,)])
    columns = np.hstack([np.sin(x)]) + np.column_stack([x]) * np.vstack((rows,))
    return np.sum(rows**3) + np.sum(np.concatenate([columns], axis=None) ** 2)

@program(args=(np.array([0.3, 0.7, 0.4, 1.1]), 2), label="2")
def split_into_a_number_of_parts(x, n):
    total = 0.0
    for part in np.split(x, n):
        total = total + np.prod(part) ** 2
    return total
