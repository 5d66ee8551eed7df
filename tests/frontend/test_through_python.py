"""Calls that are differentiated through functions in Python: steps and running integrals."""

import numpy as np
import pytest
from scipy import integrate

from srcgrad import check, grad
from srcgrad.runtime.scipy.quadrature import cumulative_trapezoid


def step(a, b):
    """With the step, by name."""
    x, h = np.linspace(a, b, 5, retstep=True)
    return np.sum(np.sin(x)) * h


def step_by_position(a, b):
    """With the step, by position, without the end."""
    x, h = np.linspace(a, b * b, 4, False, True)
    return np.sum(x**2) * h


def steps(a, b):
    """Of arrays, along another axis."""
    x, h = np.linspace(np.stack((a, b)), a * b, num=3, retstep=True, axis=-1)
    return np.sum(x**3 * h[:, None])


@pytest.mark.parametrize("f", [step, step_by_position, steps])
def test_step(f):
    """The derivatives agree with differences, in all modes."""
    check(f, 0.3, 1.7, wrt=(0, 1), order=2)


def test_one_number():
    """There is no step from one number to the next."""
    with np.errstate(invalid="ignore"):
        assert np.isnan(grad(lambda a: np.linspace(a, 2.0, 1, retstep=True)[1])(0.5))


def running(y, t):
    """Integrals up to each place, in different ways."""
    a = integrate.cumulative_trapezoid(y, t)
    b = integrate.cumulative_trapezoid(y, dx=0.3, axis=0, initial=0)
    c = integrate.cumulative_trapezoid(np.outer(t, t), t[:, None] ** 2, axis=0)
    return np.sum(a**2) + np.sum(b**3) + np.sum(c**2)


def test_running_integrals():
    """The derivatives agree with differences, in all modes, and the values with SciPy."""
    y, t = np.cos(np.arange(12.0)).reshape(3, 4), np.array([0.0, 0.3, 0.7, 1.6])
    check(running, y, t, wrt=(0, 1), order=2)
    for options in ({}, {"x": t}, {"dx": 0.2, "axis": 0}, {"x": y**3, "initial": 0}):
        expected = integrate.cumulative_trapezoid(y, **options)
        np.testing.assert_allclose(cumulative_trapezoid(y, **options), expected)
