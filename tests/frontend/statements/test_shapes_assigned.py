"""Arrays that get another shape by an assignment, and grids and parts whose shapes are known."""

import numpy as np
import pytest

from srcgrad import grad, source
from tests import finite_differences as fd

X = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def given_back(x):
    """Return what was given."""
    return x


def by_a_number(x, n=3):
    """The shape is computed."""
    c = np.sin(x)
    c.shape = (x.size // n, n)
    return np.sum(c[0] * c[1])


def in_a_loop(x):
    """The shape is another one each time."""
    c = x * 1.0
    for _ in range(2):
        c = c * x[0]
        c.shape = (3, 2)
        c = c + x[:2]
        c = c.ravel()
    return np.sum(c**2)


def in_a_list(x):
    """A list holds the array, too."""
    c = x * 2
    rows = [c, x]
    c.shape = (2, 3)
    return np.sum(rows[0] @ rows[0].T)


def of_the_argument(x):
    """It is the caller's array."""
    c = x
    c.shape = (2, 3)
    return np.sum(c @ c.T)


def of_what_came_back(x):
    """It is the caller's array, by way of a function."""
    c = given_back(x)
    c.shape = (2, 3)
    return np.sum(c @ c.T)


def on_a_grid(x):
    """A grid has as many points as its bounds say."""
    i, j = np.mgrid[0:3, 1 : x.size]
    k = np.mgrid[0:4]
    return np.sum(np.sin(x[0] * i + x[1] * j)) + np.sum(x[2] * k)


def on_a_fine_grid(x):
    """A grid has as many points as a step says, or its bounds are no whole numbers."""
    i, j = np.mgrid[0:1:3j, 0:2.5]
    return np.sum(np.sin(x[0] * i + x[1] * j))


def in_parts_of_one(x):
    """Parts have one element."""
    a, *_, b = np.split(x, 6)
    return np.sum(a * x) + np.sum(b)


TEXT = [by_a_number, on_a_grid, on_a_fine_grid]
RECORDED = [in_a_list, of_the_argument, of_what_came_back, in_a_loop, in_parts_of_one]


@pytest.mark.parametrize("f", [*TEXT, *RECORDED])
def test_derivatives(f):
    """They are those of differences, and arguments are left as the function leaves them."""
    slope = grad(f, recorded="allow")
    for x in (X, 3 * X):
        expected = fd.gradient(lambda v: f(v.copy()), (x,), 0)
        given, own = x.copy(), x.copy()
        np.testing.assert_allclose(np.ravel(slope(given)), expected, rtol=1e-5, atol=1e-8)
        f(own)
        assert given.shape == own.shape


@pytest.mark.parametrize("f", TEXT)
def test_text(f):
    """There is generated code, without sums over axes that nothing is broadcast along."""
    slope = grad(f, recorded="refuse")
    slope(X)
    assert "unbroadcast" not in source(slope) or f is on_a_fine_grid
