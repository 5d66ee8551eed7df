"""Zeros that cotangents begin with have the dtype of what they are cotangents of."""

import numpy as np
import pytest

from srcgrad import grad, vjp


def rows(x):
    """Go through the rows of an array in another shape."""
    total = 0.0
    for row in x.reshape(2, 2):
        total = total + row[0] * row[1]
    return total


def tuples(x):
    """Keep the rows as tuples."""
    held = [tuple(row) for row in x.reshape(2, 2)]
    return held[0][0] * held[1][1] + held[0][1]


@pytest.mark.parametrize("function", [rows, tuples])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_is_that_of_the_argument(function, dtype):
    """Of a gradient and of a cotangent, in single and in double precision."""
    x = np.array([0.5, 1.5, 2.0, 0.75], dtype)
    value, backward = vjp(function, x)
    for found in (grad(function)(x), backward(np.ones_like(value))):
        assert found.dtype == dtype
        wanted = [1.5, 0.5, 0.75, 2.0] if function is rows else [0.75, 1.0, 0.0, 0.5]
        np.testing.assert_allclose(found, wanted)
