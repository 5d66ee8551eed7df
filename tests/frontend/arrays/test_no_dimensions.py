"""Arrays without dimensions that are written to, in every mode."""

import numpy as np
import pytest

import srcgrad
from srcgrad import tape


def in_every_iteration(x):
    """Write to it in a loop."""
    s = np.empty(())
    t = 0.0
    for v in x:
        s[...] = v**2
        t = t + s * v
    return t


def added_by_empty_index(x):
    """Add by an index without entries, and give the array back."""
    s = np.array(x[0])
    s[()] += x[1] * x[0]
    return s


def read_and_written_behind_dots(x):
    """``t[..., k]`` is a view: what is written there later is seen by it."""
    t = np.ones(2)
    for k in range(2):
        part = np.sin(x[..., k]) * t[..., 0]
        t[..., k] = part * x[0]
    return np.sum(t**2)


PROGRAMS = [added_by_empty_index, read_and_written_behind_dots]
PROGRAMS += [in_every_iteration]
X = np.array([1.5, 2.0])


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f, monkeypatch):
    """All modes give the derivative."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    h, units = 1e-6, np.eye(2)
    wanted = np.array([(f(X + h * unit) - f(X - h * unit)) / (2 * h) for unit in units])
    np.testing.assert_allclose(srcgrad.grad(f)(X), wanted, rtol=1e-6)
    np.testing.assert_allclose(tape.grad(f)(X), wanted, rtol=1e-6)
    value, moved = srcgrad.jvp(f, (X,), (units[0],))
    np.testing.assert_allclose(value, f(X))
    np.testing.assert_allclose(moved, wanted[0], rtol=1e-6)
    np.testing.assert_allclose(srcgrad.vjp(f, X)[1](1.0), wanted, rtol=1e-6)
    g = srcgrad.grad(f)
    second = [(g(X + h * unit) - g(X - h * unit)) / (2 * h) for unit in units]
    np.testing.assert_allclose(srcgrad.hessian(f)(X), second, rtol=1e-6, atol=1e-8)
