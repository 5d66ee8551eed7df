"""What Numba holds for constant in functions it compiled is compared at each call."""

import numba
import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from srcgrad.errors import CompileError

FACTOR = 2.0
ROW = np.array([1.0, 2.0])


@numba.njit
def part(v):
    """A function that reads a number and an array from outside."""
    return FACTOR * v + ROW[0]


def whole(x):
    """A function that calls it."""
    total = 0.0
    for v in x:
        total += part(v) * v
    return total


X = np.array([1.0, 2.0])
WAYS = {
    "python": lambda: grad(whole)(X),
    "jvp": lambda: jvp(whole, (X,), (X,)),
    "vjp": lambda: vjp(part, 2.0)[1](1.0),
}


@pytest.fixture
def outside():
    """The globals, as they were."""
    yield globals()
    globals().update(FACTOR=2.0)
    ROW[0] = 1.0
    part.recompile()


def test_a_changed_global_is_an_error_until_it_is_compiled_again(outside):
    """For derivatives made before the change and after it, compiled or not."""
    gradients = grad(whole), grad(whole, jit=numba.njit), grad(part)
    assert whole(X) == 13.0
    assert np.allclose(gradients[0](X), [5.0, 9.0])
    assert np.allclose(gradients[1](X), [5.0, 9.0])
    assert gradients[2](1.0) == 2.0
    outside["FACTOR"] = 3.0
    for _ in range(2):
        for g, x in zip(gradients, (X, X, 1.0), strict=True):
            with pytest.raises(CompileError, match="FACTOR"):
                g(x)
    part.recompile()
    assert np.allclose(gradients[0](X), [7.0, 13.0])
    assert gradients[2](1.0) == 3.0


@pytest.mark.parametrize("way", ["python", "jvp", "vjp"])
def test_an_array_that_is_written(outside, way):
    """Numba copies an array when it compiles."""
    part(1.0)
    WAYS[way]()
    ROW[0] = 5.0
    with pytest.raises(CompileError, match="ROW"):
        WAYS[way]()
