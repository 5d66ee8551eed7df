"""Branches on numbers of axes: what is merged after them is what the arm that is run makes."""

import numpy as np
import pytest

from srcgrad import check, jvp


def as_matrix_early(c, n):
    """The same with an early return."""
    if np.ndim(c) < 2:
        return c * np.eye(n)
    return c


def as_matrix_late(c, n):
    """The same, as statements."""
    if 2 != np.ndim(c):
        whole = c * np.eye(n)
    else:
        whole = c
    return whole


def log_volume(c, matrix):
    """Needs, in forward mode, the rank of what a helper gives."""
    whole = matrix(c, 3)
    scaled = np.linalg.solve(whole, np.ones(3))
    return np.sum(np.linalg.inv(whole)) + np.sum(scaled)


@pytest.mark.parametrize("matrix", [as_matrix_early, as_matrix_late])
@pytest.mark.parametrize("c", [0.7, np.array([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.0]) + 0.1])
def test_rank_of_what_is_merged(matrix, c):
    """All modes agree with differences, whichever arm is run."""
    check(log_volume, c, matrix, wrt=0, order=2)


def test_lengths_of_what_is_merged():
    """A sum over axes is written for the arm that is run."""

    def scaled(x, y):
        rows = x if x.ndim == 2 else x[None, :]
        return np.sum(np.exp(rows) * y)

    x, y = np.ones((2, 3)), np.full((2, 3), 2.0)
    value, dot = jvp(scaled, (x, y), (np.ones_like(x), None))
    assert dot == pytest.approx(value)
    check(scaled, x, y, wrt=(0, 1))
    check(scaled, x[0], y, wrt=(0, 1))
