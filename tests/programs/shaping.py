"""New shapes for arrays, and arrays joined and split."""

import numpy as np

from tests.programs.table import program

WEIGHTS = np.array([[0.3, -1.0, 0.5], [1.4, 0.2, -0.7]])


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def reshape(x):
    a = np.reshape(x, (3, 2))
    b = x.reshape(6)
    c = x.reshape(1, -1)
    return np.sum(a @ x) + np.sum(b**3) + np.sum(c * b)


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def transpose(x):
    return np.sum(x.T @ WEIGHTS) + np.sum(np.transpose(x) ** 3 * WEIGHTS.T)


@program(
    args=lambda rng: (rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 2, 3))),
    wrt=(0, 1),
)
def transpose_with_axes(x, w):
    a = np.transpose(x, (2, 0, 1))
    b = np.swapaxes(x, 1, 2)
    c = np.moveaxis(x, 0, -1)
    return np.sum(a * w) + np.sum(b * w**2) + np.sum(c**2 * w.swapaxes(0, 1)[0, 0, 0])


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=2)), wrt=(0, 1))
def new_axes(x, y):
    table = x[:, np.newaxis] * y[None, :]
    other = np.expand_dims(x, 0) + np.expand_dims(y, 1)
    return np.sum(np.sin(table)) + np.sum(other**2 * WEIGHTS)


@program(args=lambda rng: (rng.normal(size=(2, 1, 3)),))
def squeeze_and_ravel(x):
    return np.sum(np.squeeze(x, axis=1) * WEIGHTS) + np.sum(np.ravel(x) ** 3)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=2)), wrt=(0, 1))
def concatenate(x, y):
    z = np.concatenate([x, y, x * 2])
    return np.sum(z[1:] * z[:-1])


@program(
    args=lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(2, 1))), wrt=(0, 1)
)
def concatenate_along_an_axis(x, y):
    z = np.concatenate((x, y), axis=1)
    w = np.concatenate((x, x**2), axis=0)
    return np.sum(np.sin(z[:, ::-1] * z)) + np.sum(w[1:3] ** 2)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def stack(x, y):
    rows = np.stack([x, y])
    columns = np.stack((x, y, x * y), axis=1)
    return np.sum(rows @ columns) + np.sum(rows**3)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def stacks_by_direction(x, y):
    a = np.vstack([x, y])
    b = np.hstack([x, y])
    c = np.column_stack([y, x])
    return np.sum(a * WEIGHTS) + np.sum(b[1:] * b[:-1]) + np.sum((a @ c) ** 2)


@program(args=(0.4, 0.7), wrt=(0, 1))
def array_of_scalars(x, y):
    rotation = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    point = rotation @ np.array([y, 1.0])
    return point[0] * point[1] + np.sum(rotation) * y


@program(args=lambda rng: (rng.normal(size=6),))
def split(x):
    a, b, c = np.split(x, 3)
    head, tail = np.split(x, [2])
    return np.sum(a * b**2) + np.sum(c) * np.sum(head) + np.sum(tail**3)


@program(args=lambda rng: (rng.normal(size=3),))
def tile_and_repeat(x):
    a = np.tile(x, 2)
    b = np.repeat(x, 2)
    return np.sum(a * b) + np.sum(np.tile(x, (2, 1)) * WEIGHTS)


@program(args=lambda rng: (rng.normal(size=3),))
def broadcast_to(x):
    return np.sum(np.broadcast_to(x, (2, 3)) ** 2 * WEIGHTS)


@program(args=lambda rng: (rng.normal(size=4),))
def padding_by_joining(x):
    zero = np.zeros(1)
    padded = np.concatenate([zero, x, zero])
    return np.sum((padded[:-2] - 2 * x + padded[2:]) ** 2)


@program(args=lambda rng: (rng.normal(size=(2, 3)), 0.3), wrt=(0, 1), vector=True)
def shaped_results(x, a):
    return (a * x).T, x.reshape(-1), np.stack([x[0], x[1] * a], axis=1)


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def views_read_in_many_places(x):
    flat = x.reshape(-1)
    top = x[0]
    tail = flat[2:]
    return np.sum(flat**2) + np.sum(top * tail[:3]) + np.sum(tail**3) * flat[0]


@program(args=lambda rng: (rng.normal(size=8), 2))
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
@program(args=(np.array([0.3, 0.7, 0.4, 1.1]), 4), label="4")
def split_into_a_number_of_parts(x, n):
    total = 0.0
    for part in np.split(x, n):
        total = total + np.prod(part) ** 2
    return total
