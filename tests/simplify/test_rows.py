"""Sums of outer products in loops over rows or columns are one product behind the loop."""

import numpy as np
import pytest

from srcgrad import check, grad, source

RNG = np.random.default_rng(0)


def recurrent(x, w, u, h):
    """A recurrent network over the rows of its input."""
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + u @ h)
    return np.sum(h**2)


def downwards(x, w, u, h):
    """The same from the last row on, with the other factor in front."""
    for t in range(x.shape[0] - 1, -1, -1):
        h = np.tanh(w.T @ x[t] + u @ h)
    return np.sum(h**2)


def all_but_one(x, w, u, h):
    """Not the first row, and not always to the end."""
    for t in range(1, x.shape[0]):
        h = np.sin(x[t] @ w + u @ h)
        if h[0] > 0.9:
            break
    return np.sum(h**2)


def used_twice(x, w, u, h):
    """The matrix is read behind the loop as well."""
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + u @ h)
    return np.sum(h**2) + np.sum(w**3)


def correlations(x, w, u, h):
    """Pairs of columns, of which a column is one factor and those behind it the other."""
    m = x.shape[1]
    total = 0.0
    for i in range(m - 1):
        total = total + np.sum((x[:, i] @ x[:, i + 1 :]) ** 2)
    return total + np.sum(w) + np.sum(u) + np.sum(h)


def arguments(n, m, k):
    """Arguments with so many rows and columns."""
    return tuple(0.5 * RNG.normal(size=shape) for shape in ((n, m), (m, k), (k, k), (k,)))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [recurrent, downwards, all_but_one, used_twice, correlations])
def test_the_loop_stores_rows(f):
    """The same code is right for other sizes, axes of length 1 among them."""
    gradient = grad(f, wrt=(0, 1, 2, 3))
    for sizes in ((4, 3, 2), (3, 3, 3), (2, 1, 2), (1, 2, 1), (2, 4, 2)):
        check(f, *arguments(*sizes), wrt=(0, 1, 2, 3))
        gradient(*arguments(*sizes))
    text = source(gradient)
    assert "_rows[" in text
    assert "x.T @ " in text or "x @ " in text


def changing(x, w, u, h):
    """The rows of a matrix that each iteration replaces."""
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + u @ h)
        x = 0.9 * x
    return np.sum(h**2)


def read_inside(x, w, u, h):
    """A loop that replaces the matrix whose cotangent it adds to."""
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ w + u @ h)
        w = w * np.cos(h)
    return np.sum(h**2)


def few(x, w, u, h):
    """Two rows of many."""
    for t in range(2):
        h = np.tanh(x[t] @ w + u @ h)
    return np.sum(h**2)


@pytest.mark.parametrize("f", [changing, read_inside, few])
def test_other_loops_add_as_they_go(f):
    """Where the matrix changes, the sum is read, or most rows are left out."""
    check(f, *arguments(9, 3, 2), wrt=(0, 1, 2, 3))
    gradient = grad(f, wrt=(0, 1, 2, 3))
    gradient(*arguments(9, 3, 2))
    assert "_rows[" not in source(gradient)


def test_single_precision_stays():
    """Rows would be of double precision."""
    single = [a.astype(np.float32) for a in arguments(4, 3, 2)]
    assert {g.dtype for g in grad(recurrent, wrt=(0, 1, 2, 3))(*single)} == {np.dtype("float32")}
