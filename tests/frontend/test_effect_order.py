"""Effects inside of expressions, where what stands beside them may see them, or nobody reads it."""

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import UnsupportedSyntaxError


def counted(x):
    """Counts in the index of an array that is not read."""
    z = np.zeros(3)
    calls = [0]

    def tick():
        calls[0] += 1
        return calls[0]

    z[tick()] += 0.5
    return tick() * np.sum(x)


def test_an_effect_in_the_index_of_a_write_takes_place():
    """It does although nothing reads the array that is written."""
    x = np.ones(2)
    np.testing.assert_allclose(grad(counted, recorded="allow")(x), [2.0, 2.0])
    with pytest.raises(UnsupportedSyntaxError, match="in the index of what is written"):
        grad(counted, recorded="refuse")(x)


def bump(y):
    """Writes, and gives another entry."""
    y[0] = y[0] * 3.0
    return y[1]


def added(x):
    """Python reads the entry before it calls."""
    y = x * 1.0
    y[0] += bump(y)
    return np.sum(y**2)


def test_what_is_added_to_is_read_first():
    """``y[0] += bump(y)`` reads what ``bump`` changes, and can name it in no statement before."""
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(grad(added, recorded="allow")(x), [6.0, 10.0])
    with pytest.raises(UnsupportedSyntaxError, match="beside what was read before"):
        grad(added, recorded="refuse")(x)
