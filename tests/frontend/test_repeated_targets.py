"""A name that one assignment binds more than once holds the last part only."""

import numpy as np
import pytest

from srcgrad import grad
from tests.finite_differences import directional


def last_of_three(x):
    """Two names that are not used."""
    _, _, vh = np.linalg.svd(x)
    return np.sum(vh[0] ** 3)


def nested(x):
    """A name inside a part, and again behind it."""
    (_, a), _, c = (x**2, x**3), x**4, np.exp(x)
    return np.sum(c * a)


def in_a_loop(x):
    """The same in a loop."""
    total = 0.0
    for k in range(3):
        _, _, vh = np.linalg.svd(x + k)
        total = total + np.sum(vh[0] ** 3)
    return total


def read_afterwards(x):
    """The last part is what is read."""
    _, _, s, _ = x, 2 * x, x**2, x**3
    return np.sum(s * _)


@pytest.mark.parametrize("f", [last_of_three, nested, in_a_loop, read_afterwards])
def test_parts_that_no_name_holds(f):
    """What the backward part needs of the other parts is kept."""
    x = np.random.default_rng(0).normal(size=(3, 3))
    direction = np.random.default_rng(1).normal(size=(3, 3))
    slope = directional(f, [x], {0: direction})
    np.testing.assert_allclose(np.sum(grad(f)(x) * direction), slope, rtol=1e-6)
