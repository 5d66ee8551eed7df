"""What a backward function is given: cotangents of every kind, which stay the caller's."""

import numpy as np
import pytest

from srcgrad import tape, vjp

X, Y = np.array([0.3, -0.7, 0.5]), np.array([0.6, 0.2, -0.4])
WEIGHTS = np.array([1.0, -2.0, 3.0])
KINDS = {
    "a list": WEIGHTS.tolist(),
    "whole numbers": WEIGHTS.astype(int),
    "single precision": WEIGHTS.astype(np.float32),
    "backwards": WEIGHTS[::-1].copy()[::-1],
    "read-only": np.broadcast_to(WEIGHTS, (1, 3))[0],
}


def given(x, y):
    """The argument itself."""
    return x


def product(x, y):
    """A product."""
    return x * y


def written(x, y):
    """An array that is written into, and its argument with it."""
    x[0] = y[1]
    x *= y
    return x


def carried(x, y):
    """A loop in which each entry depends on the one before."""
    a = x * 1.0
    for i in range(3):
        a[i] = a[i - 1] * y[i]
    return a


@pytest.mark.parametrize("take", [vjp, tape.vjp])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("f", [given, product, written, carried])
def test_kinds_of_cotangents(f, kind, take):
    """Gradients are arrays of their arguments' kind, whatever the cotangent is."""
    bar, before = KINDS[kind], np.array(KINDS[kind])
    x, y = X.copy(), Y.copy()
    gradients = take(f, x, y, wrt=(0, 1))[1](bar)
    wanted = take(f, X.copy(), Y.copy(), wrt=(0, 1))[1](WEIGHTS)
    np.testing.assert_array_equal(bar, before)
    for gradient, expected in zip(gradients, wanted, strict=True):
        assert gradient.dtype == np.float64
        assert gradient.flags.writeable
        np.testing.assert_allclose(gradient, expected)
        assert not any(np.shares_memory(gradient, other) for other in (np.asarray(bar), x, y))


@pytest.mark.parametrize("take", [vjp, tape.vjp])
@pytest.mark.parametrize("bar", [2, np.int64(2), np.array(2), np.float32(2), True])
def test_cotangents_of_numbers(bar, take):
    """The gradient of a number is a number with a point."""
    gradient = take(lambda x: x, 0.5)[1](bar)
    assert isinstance(gradient, float | np.floating)
    assert gradient == float(bar)
