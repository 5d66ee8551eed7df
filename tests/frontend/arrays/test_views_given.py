"""Views of an argument that a function returns, and views that change places."""

import numpy as np
import pytest

from srcgrad import grad, hessian, jvp
from tests import finite_differences as fd

M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.5, -1.0, 2.5]])
SEEN = []


def row(u, k):
    """Return a row."""
    return u[k]


def turned(u):
    """Return a view of a view."""
    return u.T[1:]


def flat(u):
    """Return what may be a view, or a copy."""
    return u.ravel()


def told(u):
    """Return a row, and note that."""
    SEEN.append("told")
    return u[0]


def corner(u):
    """Return a number."""
    return u[0, 0]


class Grid:
    """An array with ways to read it.

    Args:
        u: the array, which is copied.
    """

    def __init__(self, u):
        self.u = u.copy()

    def edge(self, k=-1):
        """Return a row."""
        return self.u[k]

    @property
    def inner(self):
        """The middle."""
        return self.u[1:-1, 1:-1]


def by_view_of_view(m):
    """The memory is that of the array."""
    u = m.copy()
    t = turned(u)
    t[0] = 2 * t[1]
    return np.sum(u**2)


def by_copy_or_view(m):
    """Nobody knows whether this writes into the array."""
    u = m.copy()
    f = flat(u.T)
    f[1] = 5 * m[0, 0]
    return np.sum(u**2) + np.sum(f)


def by_method(m):
    """Write through what a method and a property give."""
    g = Grid(m)
    e = g.edge()
    e[:] = e * 3
    g.inner[:] *= 2.0
    g.edge(0)[0] = m[1, 1]
    return np.sum(g.u**2)


def with_effect(m):
    """The function is called as often as it stands there."""
    u = m.copy()
    e = told(u)
    e *= 2
    told(u)
    return np.sum(u**2)


def read_only(m):
    """Nothing is written."""
    return np.sum(row(m, 1) * row(m, 2)) + corner(m) * np.sum(turned(m)[1])


def swapped_columns(m):
    """Three columns, one of them computed."""
    u = m.copy()
    u[:, 0], u[:, 1], u[:, 2] = u[:, 2], u[:, 1] * u[:, 0], u[:, 0]
    return np.sum(u[:, 0] ** 2) + np.sum(u[:, 1] ** 3) + np.sum(u[:, 2])


def swapped_with_copies(m):
    """The rows really change places."""
    u = m.copy()
    u[0], u[1] = u[1].copy(), u[0].copy()
    return np.sum(u[0] ** 2) + np.sum(u[1] ** 3)


def swapped_and_named(m):
    """A name is bound in the same statement."""
    u = m.copy()
    k = 0
    k, u[k], u[k + 1] = 1, u[2], u[k]
    return np.sum(u[0] ** 2) * k + np.sum(u[1] ** 3)


def widened(a, axes):
    """A view by an option."""
    return np.expand_dims(a, axis=axes)


def by_option(m):
    """The option is a tuple of the caller's."""
    axes = (1, 2)
    return np.sum(widened(m[0], axes) * m)


TEXT = [by_option, by_method, read_only, swapped_columns, swapped_with_copies]
OTHERS = [by_view_of_view, with_effect, by_copy_or_view, swapped_and_named]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [*TEXT, *OTHERS])
def test_derivatives(f):
    """They are those of differences, in all modes, and what is noted is noted as often."""
    slope, curvature = grad(f, recorded="allow"), hessian(f, recorded="allow")
    for m in (M, M + 1):
        expected = fd.gradient(lambda v: f(v.copy()), (m,), 0)
        SEEN.clear()
        f(m.copy())
        once = list(SEEN)
        SEEN.clear()
        given, own = m.copy(), m.copy()
        np.testing.assert_allclose(slope(given), expected, rtol=1e-5, atol=1e-7)
        assert once == SEEN
        f(own)
        np.testing.assert_array_equal(given, own)
        _, dot = jvp(f, (m.copy(),), (np.ones((3, 3)),), recorded="allow")
        np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-5, atol=1e-7)
        second = fd.gradient(lambda v: np.sum(grad(f, recorded="allow")(v.copy())), (m,), 0)
        found = np.sum(curvature(m.copy()), axis=(0, 1))
        np.testing.assert_allclose(found, second, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", TEXT)
def test_text(f):
    """There is generated code."""
    grad(f, recorded="refuse")(M.copy())
