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
