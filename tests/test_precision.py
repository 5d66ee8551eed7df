"""A gradient has its argument's dtype, also where the program starts from sums."""

import numpy as np
import pytest

from srcgrad import grad, value_and_grad, vjp

X = np.linspace(0.5, 2.0, 6, dtype=np.float32).reshape(3, 2)


def loop(x):
    """A sum in a loop."""
    total = 0.0
    for k in range(3):
        total += np.sum(x) * (k + 1)
    return total


def branch(x):
    """A sum in a branch."""
    return np.sum(x) if x[0, 0] > 0 else np.mean(x)


def called(x):
    """A sum in a function that is called."""

    def total(y):
        return np.sum(y)

    return 0.5 * total(x) + total(x[0])


PROGRAMS = [
    lambda x: np.sum(x),
    lambda x: x.sum(),
    lambda x: np.mean(x[:, 0]),
    lambda x: np.mean(np.cumsum(x)),
    lambda x: np.sum(np.repeat(x, 2)),
    lambda x: np.sum(np.sort(x)),
    lambda x: np.sum(x, axis=0)[0],
    lambda x: np.sum(np.tile(x, 2)),
    lambda x: np.mean(np.diff(x)),
    lambda x: np.sum(np.reshape(x, (2, 3))),
    lambda x: np.sum(np.diff(x) - x[:, :1]),
    lambda x: 2.5 * np.sum(x) / x.size,
    loop,
    branch,
    called,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_single_precision(f):
    """Single precision in gives single precision out, with the numbers of double precision."""
    x_bar = grad(f)(X)
    assert x_bar.dtype == np.float32
    np.testing.assert_allclose(x_bar, grad(f)(X.astype(float)), rtol=1e-6)
    assert value_and_grad(f)(X)[1].dtype == np.float32
    assert vjp(f, X)[1](1.0).dtype == np.float32
    assert grad(lambda x: np.sum(grad(f)(x) * x))(X).dtype == np.float32


def test_mixed_precision_loses_nothing():
    """An array in double precision has a gradient with all its digits beside one in single."""

    def f(x, mask):
        low = mask * np.float32(1)
        return np.mean(np.cumsum(x * low))

    x, mask = np.linspace(0.1, 1.0, 7), np.ones(7, dtype=np.float32)
    expected = np.arange(7, 0, -1) / 7
    np.testing.assert_allclose(grad(f)(x, mask), expected, rtol=1e-15)
    assert grad(f, 1)(x, mask).dtype == np.float32
