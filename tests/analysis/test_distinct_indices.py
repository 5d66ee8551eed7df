"""Indices that name no position twice: plain writes in the place of ``np.add.at``."""

import numpy as np
import pytest

from srcgrad import grad, source
from tests import finite_differences as fd

X = np.array([3.0, 1.0, 2.0, 0.5, 4.0, 0.3])
WEIGHTS = np.arange(6.0)
CHOSEN = np.array([0, 1, 2, 0])


def picked(x):
    m = np.outer(x[:4], x[:3])
    return np.sum(m[np.arange(len(CHOSEN)), CHOSEN] ** 2)


def sorted_by_indices(x):
    return np.sum(x[np.argsort(x)] * WEIGHTS)


def positive(x):
    m = np.outer(x, x - 0.9)
    i, j = np.nonzero(m > 0)
    return np.sum(m[i, j] ** 2)


def upper(x):
    return np.sum(np.outer(x, x)[np.triu_indices(6, 1)] ** 3)


def filled(x):
    z = np.zeros((3, 3))
    z[np.tril_indices(3)] = x
    z[np.diag_indices(3)] = np.exp(x[:3])
    return np.sum(z @ z.T @ z)


def counted_from_two(x):
    return np.sum(x[np.arange(2, 5)] * x[:3])


def on_a_grid(x):
    free = np.arange(1, 4)
    return np.sum(np.outer(x, x)[np.ix_(free, free)] ** 2)


def those_that_are_left(x):
    free = np.setdiff1d(np.arange(len(x)), [0, 3])
    u = np.zeros(len(x))
    u[free] = np.linalg.solve((np.outer(x, x) + np.diag(x))[np.ix_(free, free)], x[free])
    return np.sum(u**2)


def without_some(x):
    free = np.delete(np.arange(len(x)), [1, 2])
    m = np.outer(x, x)[free][:, free]
    return np.sum(np.sin(m) @ x[free])


def on_a_grid_of_masks(x):
    keep = np.ones(len(x), bool)
    keep[[0, 3]] = False
    return np.sum(np.outer(x, x)[np.ix_(keep, keep)] ** 2)


@pytest.mark.parametrize(
    "f",
    [
        *(picked, sorted_by_indices, positive, upper, filled, counted_from_two),
        *(on_a_grid, those_that_are_left, without_some, on_a_grid_of_masks),
    ],
)
def test_plain_writes(f):
    gradient = grad(f)
    np.testing.assert_allclose(gradient(X), fd.gradient(f, [X], 0), rtol=1e-6)
    assert not {"np.add.at", "is_last_write"} & {w.split("(")[0] for w in source(gradient).split()}


def first(k):
    """Write into an index that a caller holds."""
    k[0] = k[1]
    return 0


def written(x):
    k = np.argsort(x)
    k[0] = k[1]
    return np.sum(x[k] * WEIGHTS)


def written_by_a_call(x):
    k = np.arange(6)
    first(k)
    return np.sum(x[k] * WEIGHTS)


def written_through_a_view(x):
    k = np.arange(6)
    k[::2][:] = 1
    return np.sum(x[k] * WEIGHTS)


def written_later_in_a_loop(x):
    k, total = np.arange(6), 0.0
    for n in range(3):
        total = total + np.sum(x[k] * WEIGHTS * n)
        k[n] = k[n + 1]
    return total * x[0]


def one_row_again_and_again(x):
    return np.sum(np.outer(x, x)[np.arange(1), CHOSEN] ** 2)


def one_of_two(x):
    i, _ = np.tril_indices(3)
    return np.sum(x[i] * WEIGHTS)


def several_rows(x):
    k = np.arange(3) * np.ones((2, 1), int)
    return np.sum(np.outer(x, x)[np.arange(3), k] ** 2)


def from_the_end(x):
    return np.sum(x[np.arange(-3, 6)] ** 2)


@pytest.mark.parametrize(
    "f",
    [
        *(written, written_by_a_call, written_through_a_view, written_later_in_a_loop),
        *(one_row_again_and_again, one_of_two, several_rows, from_the_end),
    ],
)
def test_positions_that_repeat(f):
    np.testing.assert_allclose(
        grad(f, recorded="allow")(X), fd.gradient(f, [X], 0), rtol=1e-6, atol=1e-8
    )
