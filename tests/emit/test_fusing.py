"""Elementwise chains as functions that CuPy fuses, on the stand-in for its module."""

import runpy
import sys

import numpy as np
import pytest

from srcgrad import grad, hvp, jacobian, save, source, value_and_grad, vjp
from tests.formulas.strict_arrays import (
    StrictArray,
    hidden_double,
    kernels,
    plain,
    strict,
    strict_module,
    transfers,
)

STAND_IN = strict_module()


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """The stand-in, as if it had been imported."""
    monkeypatch.setitem(sys.modules, "cupy", STAND_IN)
    monkeypatch.setitem(sys.modules, "cupy.linalg", STAND_IN.linalg)
    monkeypatch.setitem(sys.modules, "cupy.fft", STAND_IN.fft)
    kernels()
    return STAND_IN


def chains(xp):
    """Functions with chains of elementwise operations, written with a module of arrays."""

    def straight(w, x):
        h = xp.tanh(x * w)
        e = xp.exp(-(h**2)) * xp.sin(h) + 1
        return xp.sum(xp.where(e > 1.1, e**2, 0.5 * e)) + xp.mean((x @ w) ** 2)

    def rounds(w, x):
        u = x
        for _ in range(3):
            u = u * xp.cos(w) + 0.1 * xp.sin(u) / (1 + u**2)
        return xp.sum(u**2)

    def helper(u, w):
        return u * xp.exp(-w * u) / (1 + u * u)

    def called(w, x):
        return xp.sum(helper(x, w) * helper(x * x, w))

    def written(w, x):
        u = xp.zeros_like(x)
        u[1:] = xp.sin(x[1:] * w) * xp.cos(x[:-1])
        u[0] = w * xp.exp(-w)
        return xp.sum(u * u * x)

    def compared(w, x):
        return xp.sum(xp.maximum(x * w, 0.1) * xp.minimum(x, w) + xp.abs(x - w) * xp.sqrt(x**2 + 1))

    def scaled(w, x):
        h = xp.tanh(x * w)
        e = xp.exp(h) / (len(w) * 3.0)
        k = xp.sum(w) * 0.1
        return -xp.mean(xp.log(e / e.sum(axis=1, keepdims=True))) + xp.sum(k * h * k**2)

    def clipped(w, x):
        h = xp.where(x > 0, x * w, 0.0)
        return xp.sum(xp.abs(h - 0.2) * 0.3) + xp.sum(xp.clip(h, 0.1, 0.7) ** 3 / len(x))

    made = (straight, rounds, called, written, compared, scaled, clipped)
    return {f.__name__: f for f in made}


X = np.sin(np.arange(12.0)).reshape(4, 3) + 0.3
W = np.array([0.4, 0.9, -0.3])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", list(chains(np)))
@pytest.mark.one_of(2)
def test_derivatives(name, dtype):
    """They are those without fused functions, twice, on the device and in its precision."""
    w, x = W.astype(dtype), X.astype(dtype)
    fn, args = chains(STAND_IN)[name], strict((w, x))
    rtol = 1e-13 if dtype is np.float64 else 1e-5
    hidden_double()
    expected = plain(grad(fn, wrt=(0, 1))(*args))
    assert not kernels()
    doubles = hidden_double()
    transfers()
    gradient = grad(fn, wrt=(0, 1), optimize="speed")
    for _ in range(2):
        found = gradient(*args)
        assert all(isinstance(part, StrictArray) for part in found)
        for a, b in zip(plain(found), expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
    assert kernels()
    assert not transfers()
    assert set(hidden_double()) <= set(doubles)
    _, pair = value_and_grad(fn, wrt=(0, 1), optimize="speed")(*args)
    _, backward = vjp(fn, *args, wrt=(0, 1), optimize="speed")
    for parts in (pair, backward(dtype(1.0)), backward(dtype(1.0))):
        for a, b in zip(plain(parts), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(plain(args[0]), w)
    np.testing.assert_array_equal(plain(args[1]), x)


@pytest.mark.parametrize("name", list(chains(np)))
def test_second_derivatives(name):
    """They are taken of the text without fused functions."""
    fn, args = chains(STAND_IN)[name], strict((W, X))
    expected = plain(hvp(fn)(*args, args[0]))
    np.testing.assert_allclose(
        plain(hvp(fn, optimize="speed")(*args, args[0])), expected, rtol=1e-12
    )


def test_jacobian():
    """Jacobians have them in their pairs."""
    fn = lambda w, x: STAND_IN.tanh(x * w) * STAND_IN.exp(w)  # noqa: E731
    args = strict((W, X))
    expected = plain(jacobian(fn)(*args))
    np.testing.assert_allclose(plain(jacobian(fn, optimize="speed")(*args)), expected, rtol=1e-13)


PROGRAM = """\
import cupy as cp


def loss(w, x):
    z = cp.sin(x * w)
    return cp.sum(z * z * x)
"""


def test_text_and_saved(tmp_path, monkeypatch):
    """The functions stand below the derivative, with their decorator, in a saved module too."""
    file = tmp_path / "fused_program.py"
    file.write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    import fused_program

    gradient = grad(fused_program.loss, optimize="speed")
    args = strict((W, X))
    expected = plain(gradient(*args))
    text = source(gradient)
    assert " = loss_fused(x, z, pre)\n" in text
    assert "@cp.fuse()\ndef loss_fused(x, z, pre):\n    return 2 * x * z * cp.cos(pre) * x" in text
    save(gradient, tmp_path / "saved.py")
    saved = runpy.run_path(str(tmp_path / "saved.py"))["loss_grad"]
    kernels()
    np.testing.assert_array_equal(plain(saved(*args)), expected)
    assert kernels() == ["loss_fused"]
    sys.modules.pop("fused_program")


def test_what_is_refused_in_a_fused_function():
    """The stand-in refuses what CuPy cannot fuse: sums, and what is no array of its own."""
    summed = STAND_IN.fuse()(lambda x: STAND_IN.sum(x) * 2)
    with pytest.raises(TypeError, match="sum in a fused function"):
        summed(StrictArray(X))
    with pytest.raises(TypeError, match="given a tuple"):
        STAND_IN.fuse()(lambda x: x)(X.shape)
