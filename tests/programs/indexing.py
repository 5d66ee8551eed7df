"""Reading elements: slices, integer arrays with repeats, masks, and mixtures."""

import numpy as np

from tests.programs.table import program

TRIPLES = np.array([[0, 1, 2], [2, 1, 3]])


@program(args=lambda rng: (rng.normal(size=5),))
def elements_and_slices(x):
    return (
        x[0] * x[-1]
        + np.sum(x[1:4] ** 2)
        + np.sum(x[::2] * x[-3:])
        + np.sum(x[::-1] * x**2)
    )


@program(args=lambda rng: (rng.normal(size=(2, 3, 2)),))
def ellipsis(x):
    return (
        np.sum(x[..., 0] * x[..., -1]) + np.sum(x[0, ...] ** 2) + np.sum(x[:, 1] ** 3)
    )


@program(args=lambda rng: (rng.normal(size=4),))
def integer_matrix_as_an_index(x):
    return np.sum(np.sin(x[TRIPLES]) * TRIPLES)


@program(args=lambda rng: (rng.normal(size=(3, 4)),))
def integer_array_with_slices(a):
    return np.sum(a[:, [0, 0, 3]] ** 2) + np.sum(a[[2, 0], 1:] ** 3)


@program(args=lambda rng: (np.array([0.4, -0.2, 1.3, -0.9]),))
def boolean_mask(x):
    positive = x[x > 0]
    return np.sum(positive**2) + np.sum(np.exp(x[x < 0])) * len(positive)


@program(
    args=lambda rng: (
        rng.normal(size=(2, 3)),
        np.array([[True, False, True], [False, True, True]]),
    )
)
def boolean_matrix_as_an_index(a, mask):
    return np.sum(a[mask] ** 3)


@program(args=lambda rng: (rng.normal(size=(3, 4)), np.array([0, 2, 1])))
def labels_pick_log_probabilities(scores, labels):
    log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(3), labels])


@program(args=lambda rng: (rng.normal(size=4),))
def take(x):
    return np.sum(np.take(x, [3, 1, 1]) ** 2 * np.array([1.0, 2.0, 3.0]))


@program(args=lambda rng: (rng.normal(size=4), 1, 3))
def computed_indices(x, i, j):
    k = (i + j) // 2
    return x[k] * x[i - j] + np.sum(x[i:j] * x[k]) ** 2


@program(args=lambda rng: (rng.normal(size=4),))
def index_of_an_index(x):
    return x[1:][1:][0] * x[1:3][-1] + (x * 2)[1] ** 2 + np.sin(x)[::2][1]


@program(
    args=lambda rng: (
        rng.normal(size=(4, 2)),
        np.array([0, 1, 1, 3]),
        np.array([1, 2, 3, 0]),
    )
)
def springs_between_points(points, left, right):
    """The energy of a graph: the same point is read by many edges."""
    lengths = np.sqrt(np.sum((points[left] - points[right]) ** 2, axis=1))
    return np.sum((lengths - 1.0) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 3)),))
def diagonal_by_index(a):
    i = np.arange(3)
    return np.sum(a[i, i] ** 2) + np.sum(a[i, i[::-1]] ** 3)


@program(args=lambda rng: (rng.normal(size=(3, 3)), 0.2), wrt=(0, 1), vector=True)
def indexed_results(a, s):
    return a[0], a[:, [1, 1]] * s, a[2, 2]


@program(args=lambda rng: (rng.normal(size=4), np.array([0.3, 1.1, 2.6])), wrt=(0, 1))
def linear_interpolation(values, points):
    i = np.floor(points).astype(int)
    t = points - i
    return np.sum(((1 - t) * values[i] + t * values[i + 1]) ** 2)


@program(args=lambda rng: (rng.normal(size=5),))
def slice_objects(x):
    middle = slice(1, 4)
    return np.sum(x[middle] ** 2) + np.sum(x[slice(None, None, 2)] ** 3)
