"""New shapes for arrays, and arrays joined and split."""

import numpy as np

from tests.programs.table import program

WEIGHTS = np.array([[0.3, -1.0, 0.5], [1.4, 0.2, -0.7]])

@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def stacks_by_direction(x, y):
    a = np.vstack([x, y])
    b = np.hstack([x, y])
    c = np.column_stack([y, x])
    return np.sum(a * WEIGHTS) + np.sum(b[1:] * b[:-1]) + np.sum((a @ c) ** 2)


@program(args=lambda rng: (rng.normal(size=8), 2), recorded2=True)
def norms_of_reshaped_vectors(x, n):
    pairs = x.reshape(4, 2)
    square = np.reshape(x, (n, 2, -1))
    return np.linalg.norm(pairs - pairs.mean(axis=0)) + np.linalg.norm(square, axis=(0, 1))[1]

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
