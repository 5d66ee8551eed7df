"""Calls that are differentiated through functions in Python: the step of ``np.linspace``."""

import numpy as np
import pytest

from srcgrad import check, grad


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
