"""``np.linalg.qr`` with all columns of q, and with the reflections that LAPACK works with."""

import numpy as np
import pytest

from srcgrad import check, grad, tape
from srcgrad.runtime.numpy.reflectors import qr

SHAPES = [(4, 2), (3, 3), (2, 4), (2, 4, 3), (3, 1), (1, 3)]


def matrices(*shape):
    """Real matrices."""
    return np.random.default_rng(sum(shape)).normal(size=shape)


def weights(x):
    """Different numbers for all entries."""
    return np.cos(np.arange(x.size)).reshape(x.shape)


def columns(x):
    """Depends on every entry of both factors."""
    d = np.linalg.qr(x, "complete")
    return np.real(np.sum(d.Q**3 * weights(d.Q)) + np.sum(d.R**2 * weights(d.R)))


def reflections(x):
    """Depends on the reflections."""
    h, tau = np.linalg.qr(x, mode="raw")
    return np.real(np.sum(h**3 * weights(h)) + np.sum(tau**2 * weights(tau)))


def null_space(x):
    """Depends on the columns beyond those of x only by the space they span."""
    q, _ = np.linalg.qr(x, mode="complete")
    n = q[:, x.shape[1] :]
    return np.sum((n @ n.T) ** 3)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["complete", "raw"])
def test_values(mode, shape):
    """The reflections are LAPACK's, also where it leaves one out."""
    x = matrices(*shape)
    flat = np.triu(x)
    for a in (x, x + 1j * x[..., ::-1, :], x.astype(np.float32), flat, 0 * x):
        for made, wanted in zip(qr(a, mode), np.linalg.qr(a, mode=mode), strict=True):
            assert made.dtype == wanted.dtype
            np.testing.assert_allclose(made, wanted, atol=1e-5 if a.dtype == np.float32 else 1e-13)


@pytest.mark.one_of(8)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("f", [columns, reflections])
def test_derivatives(f, shape):
    """The derivatives agree with differences, for real and complex matrices."""
    x = matrices(*shape)
    check(f, x)
    check(f, x + 1j * x[..., ::-1, :] ** 2)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [columns, reflections, null_space])
def test_second_order(f):
    """So do second derivatives, in all modes."""
    check(f, matrices(4, 2), order=2)


def test_single_precision():
    """The gradient stays in single precision."""
    assert grad(columns)(matrices(3, 2).astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("f", [columns, reflections])
def test_tape(f):
    """The tape goes through the same reflections."""
    x = matrices(4, 2)
    np.testing.assert_allclose(tape.grad(f)(x), grad(f)(x))
