"""Programs that call CuPy's functions under their own names, on a stand-in for its module.

With ``pytest --gpu`` they run with CuPy.
"""

import sys

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, source, value_and_grad, vjp
from srcgrad.errors import SrcgradError
from srcgrad.library.cupy_names import in_cupy, known_name
from tests.emit.test_fusing import W, X, chains
from tests.formulas.strict_arrays import StrictArray, plain, strict, strict_module

STAND_IN = strict_module()


@pytest.fixture
def cp(monkeypatch):
    """The stand-in, as if it had been imported."""
    monkeypatch.setitem(sys.modules, "cupy", STAND_IN)
    monkeypatch.setitem(sys.modules, "cupy.linalg", STAND_IN.linalg)
    monkeypatch.setitem(sys.modules, "cupy.fft", STAND_IN.fft)
    return STAND_IN


def programs(xp):
    """Programs written with a module of arrays."""

    def network(w, x):
        h = xp.tanh(x @ w)
        p = xp.exp(h - xp.max(h, axis=1, keepdims=True))
        return -xp.mean(xp.log(p / p.sum(axis=1, keepdims=True))) + xp.linalg.norm(w)

    def steps(w, x):
        u = xp.zeros(3)
        for k in range(4):
            u[1:] += xp.sin(x[k % 2, 1:] * w[0, 0])
            u = xp.where(u > 0.5, u - w[1, :2].sum(), u)
        return xp.sum(u * u)

    def spectrum(w, x):
        z = xp.fft.rfft(x @ w, axis=0)
        return xp.sum(xp.abs(z) ** 2 * xp.arange(len(z))[:, None])

    def added_at(w, x):
        total = xp.zeros_like(w)
        xp.add.at(total, xp.asarray([0, 2, 0]), x @ w)
        return xp.sum(total * total)

    return {p.__name__: p for p in (network, steps, spectrum, added_at)}


ARGS = np.linspace(0.3, 1.0, 9).reshape(3, 3), np.cos(np.arange(9.0)).reshape(3, 3)


@pytest.mark.parametrize("name", ["network", "steps", "spectrum"])
def test_derivatives(cp, name):
    """All derivatives are those of the same program with NumPy."""
    check(cp, name, strict, plain)


@pytest.mark.parametrize("name", ["network", "steps", "spectrum", "added_at"])
def test_derivatives_on_a_gpu(cupy, name):
    """The same with CuPy."""
    check(cupy, name, lambda tree: tuple(map(cupy.asarray, tree)), cupy.asnumpy)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", list(chains(np)))
def test_fused_functions_on_a_gpu(cupy, name, dtype):
    """Fused functions give what NumPy gives for the same program, in its precision."""
    host = W.astype(dtype), X.astype(dtype)
    args = tuple(map(cupy.asarray, host))
    wanted = grad(chains(np)[name], wrt=(0, 1))(*host)
    fn, rtol = chains(cupy)[name], 1e-11 if dtype is np.float64 else 1e-4
    _, backward = vjp(fn, *args, wrt=(0, 1), optimize="speed")
    for found in (grad(fn, wrt=(0, 1), optimize="speed")(*args), backward(dtype(1.0))):
        for a, b in zip(found, wanted, strict=True):
            assert isinstance(a, cupy.ndarray) and a.dtype == dtype
            np.testing.assert_allclose(cupy.asnumpy(a), b, rtol=rtol, atol=rtol)


def check(xp, name, there, back):
    """Compare with NumPy's derivatives, which other tests compare with differences."""
    program, twin = programs(xp)[name], programs(np)[name]
    args, direction = there(ARGS), there((ARGS[1], ARGS[0]))
    value, w_bar = value_and_grad(program)(*args)
    wanted, expected = value_and_grad(twin)(*ARGS)
    np.testing.assert_allclose(back(value), wanted, rtol=1e-12)
    np.testing.assert_allclose(back(w_bar), expected, rtol=1e-10)
    assert type(w_bar) is type(args[0])
    _, dot = jvp(program, args, direction)
    _, expected = jvp(twin, ARGS, (ARGS[1], ARGS[0]))
    np.testing.assert_allclose(back(dot), expected, rtol=1e-10)
    second = hvp(program)(*args, direction[0])
    np.testing.assert_allclose(back(second), hvp(twin)(*ARGS, ARGS[1]), rtol=1e-8, atol=1e-9)


def test_an_element_is_a_view(cp):
    """What is written into an element is written into the array, in the derivative as well."""
    def f(w):
        a = w[0]
        a *= 2.0
        return cp.sum(w * w) * a

    value, w_bar = value_and_grad(f)(strict(np.array([1.0, 2.0])))
    assert float(value) == 16.0
    assert plain(w_bar).tolist() == [32.0, 8.0]  # of (4 a**2 + b**2) 2 a


def test_the_text_calls_cupy(cp):
    """Generated code is written with the names of the program."""

    def f(x):
        return cp.sum(cp.log(x) * cp.linalg.norm(x))

    gradient = grad(f)
    gradient(strict(np.array([1.0, 2.0])))
    text = source(gradient)
    assert "np." not in text
    assert "cp.linalg.norm(x)" in text


def test_what_cupy_alone_has_is_refused(cp):
    """There is no formula for a function that NumPy does not have."""
    cp.asnumpy = lambda x: x.held
    try:

        def f(x):
            return cp.asnumpy(x).sum()

        with pytest.raises(SrcgradError, match=r"the attribute \.held"):
            vjp(f, strict(np.ones(2)))
    finally:
        del cp.asnumpy


def test_namesakes(cp):
    """Functions of the same name stand for each other; what is no function stays."""
    assert known_name(cp.exp) is np.exp
    assert known_name(cp.linalg.norm) is np.linalg.norm
    assert known_name(cp.float32) is np.float32
    assert known_name(np.exp) is np.exp
    assert in_cupy("numpy", "fft.fft") is cp
    assert in_cupy("numpy", "vecdot") is None
    assert isinstance(cp.ones(2), StrictArray)


def test_without_cupy(monkeypatch):
    """Where it was not imported, nothing is looked for."""
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    assert known_name(STAND_IN.exp) is STAND_IN.exp
    assert in_cupy("numpy", "exp") is None
