"""What is spread out and reshaped is multiplied before, and ties are weighted once."""

import numpy as np
import pytest

from srcgrad import check, grad, source


def pooled(x, k):
    """A mean pooling behind a ReLU."""
    n, h = x.shape
    a = np.maximum(x * k, 0)
    return np.sum(a.reshape((n, h // 2, 2)).mean(axis=2) ** 2)


def pooled_twice(x):
    """A mean along two axes."""
    a = np.maximum(x, 0.1)
    blocks = a.reshape((x.shape[0] // 2, 2, x.shape[1] // 3, 3))
    return np.sum(blocks.mean(axis=(1, 3)) ** 3) + np.sum(np.minimum(x, 0.2) ** 2)


@pytest.mark.parametrize("shape", [(4, 6), (2, 6), (2, 12)])
def test_gradients(shape):
    """They agree with differences to second order, whichever lengths are 1."""
    x = np.random.default_rng(0).normal(size=shape)
    check(pooled, x, np.linspace(0.5, 1.5, shape[1]), wrt=(0, 1), order=2)
    check(pooled_twice, x, order=2)


def test_ties_are_halves_in_every_precision():
    """Double precision weighs truth values; single precision stays what it is."""
    gradient = grad(pooled_twice)
    for dtype in (float, np.float32):
        x = np.full((2, 3), 0.1, dtype)
        found = gradient(x)
        assert found.dtype == dtype
        wanted = np.full((2, 3), 3 * 0.1**2 / 6 / 2 + 2 * 0.1)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_no_array_is_made_for_what_is_spread_out():
    """The text multiplies the small array, and reshapes what comes out."""
    gradient = grad(pooled)
    gradient(np.ones((4, 6)), np.ones(6))
    text = source(gradient)
    assert "broadcast_to" not in text
    assert text.count("> 0)") == 1
