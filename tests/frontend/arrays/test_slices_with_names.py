"""Writes through views that slices in names or calls take: a slice is no place along its axis."""

import numpy as np
import pytest

from srcgrad import grad, hvp, tape

X = np.array([[0.7, 1.4], [-0.3, 2.0]])
WHOLE = slice(None)


def named(x):
    y, rows = x * 1.0, slice(None)
    v = y[rows]
    v[1] = x[0] * x[0]
    return np.sum(y * y)


def named_beside_another(x):
    y, rows = x * 1.0, slice(0, 2)
    v = y[rows, 1:]
    v[1] *= x[0, 0]
    return np.sum(y * y)


def from_outside(x):
    y = x * 1.0
    v = y[WHOLE][WHOLE]
    v[1:] += x[1:] * x[:1]
    return np.sum(y * y)


PROGRAMS = [named, named_beside_another, from_outside]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_slices_with_names(f):
    """Text and tape agree, and their second derivatives with differences of the first."""
    gradient = grad(f, recorded="allow")
    np.testing.assert_allclose(gradient(X), tape.grad(f)(X), rtol=1e-12)
    u, h = np.array([[1.0, -0.5], [2.0, 0.3]]), 1e-5
    slope = (f(X + h * u) - f(X - h * u)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient(X) * u), slope, rtol=1e-7, atol=1e-8)
    curved = (gradient(X + h * u) - gradient(X - h * u)) / (2 * h)
    np.testing.assert_allclose(hvp(f, recorded="allow")(X, u), curved, rtol=1e-6, atol=1e-8)
