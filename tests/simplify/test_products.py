"""Sums along the first axes of an array as products, in loops whose slices move."""

import numpy as np
import pytest

from srcgrad import grad, source, tape

RNG = np.random.default_rng(0)


def convolution(k, images):
    """Sum products of slices that move."""
    n, h = images.shape[0], images.shape[1] - 2
    z = np.zeros((n, h, k.shape[1]))
    for i in range(3):
        z = z + images[:, i : h + i, None] * k[i]
    return np.sum(z**3)


def backwards(k, images):
    """The same, counted backwards."""
    z = np.zeros((images.shape[0], images.shape[1] - 3, k.shape[1]))
    h = z.shape[1]
    for i in range(3, 0, -1):
        z = z + images[:, i : i + h, None] * k[i - 1]
    return np.sum(z**3)


def shrinking(k, images):
    """Slices of another length in each iteration."""
    total = 0.0
    for i in range(3):
        part = images[:, i:] * k[i, 0]
        total = total + np.sum(part * images[:, : images.shape[1] - i])
    return total


def rows(k, images):
    """Sum along the rows of a matrix."""
    z = images[:, :1] * k[0]
    return np.sum(np.sum(images[:, 1:2] * z, axis=0) ** 2)


@pytest.mark.parametrize("f", [convolution, backwards, shrinking, rows])
@pytest.mark.parametrize("shape", [(2, 6), (3, 5), (1, 4), (0, 5)])
@pytest.mark.parametrize("columns", [4, 1])
@pytest.mark.one_of(2)
def test_gradients(f, shape, columns):
    """They are those of the tape, for all lengths."""
    args = RNG.normal(size=(3, columns)), RNG.normal(size=shape)
    made = grad(f, (0, 1), recorded="refuse")(*args)
    for p, q in zip(made, tape.grad(f, (0, 1))(*args), strict=True):
        assert p.shape == q.shape
        np.testing.assert_allclose(p, q, rtol=1e-10, atol=1e-12)


def test_other_sizes_after_the_first():
    """Code that was generated for one call is not used where a slice ends outside."""

    def f(x, n):
        total = np.zeros(n)
        for i in range(3):
            total = total + x[i : i + n] * (i + 1.0)
        return np.sum(total**2)

    gradient = grad(f)
    for size, n in ((5, 3), (7, 5), (3, 1), (6, 4)):
        x = RNG.normal(size=size)
        np.testing.assert_allclose(gradient(x, n), tape.grad(f)(x, n))
    with pytest.raises(ValueError, match="broadcast"):
        gradient(RNG.normal(size=4), 3)


def test_no_columns():
    """A matrix without columns has a gradient without any."""
    args = np.ones((3, 0)), RNG.normal(size=(2, 6))
    gradient = grad(convolution)
    gradient(RNG.normal(size=(3, 4)), args[1])
    assert gradient(*args).shape == (3, 0)


def test_text():
    """The slices have one length in all iterations, so that nothing is kept of them."""
    gradient = grad(convolution)
    gradient(RNG.normal(size=(3, 4)), RNG.normal(size=(2, 6)))
    text = source(gradient)
    assert "unbroadcast" not in text
    assert "saved" not in text
    assert "images[:, i:h + i, None].reshape(-1)" in text
