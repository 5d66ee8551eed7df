"""What ``jit=`` means: what is compiled, from what, and what is said where that fails."""

import math
from functools import partial

import numpy as np
import pytest

from srcgrad import differentiate, grad, hessian, jacobian, value_and_grad, vjp
from srcgrad.errors import ArgumentError, CompileError, OverwrittenError, SrcgradError
from srcgrad.program.compiled_functions import compiler_of

numba = pytest.importorskip("numba")


def noting(made):
    """Return what notes the names of the functions that it is given, in place of a compiler."""

    def jit(function):
        made.append(function.__name__)
        return function

    return jit


def inner(x):
    return x * np.sin(x)


def outer(x):
    return inner(x) * inner(2.0 * x)


def test_helpers_are_compiled():
    """All that is generated goes through the compiler, and functions of the user's that run."""
    made = []
    assert grad(outer, jit=noting(made))(0.5) == grad(outer)(0.5)
    assert made
    assert "outer_grad" in made


def test_options_of_a_decorator():
    """A decorated function hands its compiler on to all its derivatives."""
    made = []
    f = differentiate(outer, jit=noting(made))
    expected = differentiate(outer)
    assert f.grad(0.5) == expected.grad(0.5)
    assert f.hessian(0.5) == expected.hessian(0.5)
    assert f.jvp((0.5,), (1.0,)) == expected.jvp((0.5,), (1.0,))
    assert f.vjp(0.5)[1](1.0) == expected.vjp(0.5)[1](1.0)
    assert {"outer_grad", "outer_jvp", "outer_forward", "outer_backward"} <= set(made)
    made.clear()
    assert value_and_grad(f)(0.5) == value_and_grad(outer)(0.5)
    assert "outer_value_and_grad" in made


def test_no_compiler():
    """What cannot be called compiles nothing."""
    with pytest.raises(ArgumentError, match="jit='numba' cannot be called"):
        grad(outer, jit="numba")  # pyright: ignore[reportCallIssue, reportArgumentType]


factor = 2.0
weights = np.array([1.0, 2.0])


def scaled(x):
    return factor * np.sum(weights * x * x)


def test_globals_that_change(monkeypatch):
    """What the compiler took for constant is compared at each call."""
    x = np.array([1.0, 3.0])
    gradient = grad(scaled, jit=numba.njit)
    np.testing.assert_array_equal(gradient(x), [4.0, 24.0])
    monkeypatch.setitem(globals(), "factor", 3.0)
    np.testing.assert_array_equal(gradient(x), [6.0, 36.0])
    weights[0] = 5.0
    try:
        np.testing.assert_array_equal(gradient(x), [30.0, 36.0])
    finally:
        weights[0] = 1.0


def test_cells_that_change():
    """So is what a closure holds."""
    scale = 2.0

    def of_cell(x):
        return scale * x * x

    gradient = grad(of_cell, jit=numba.njit)
    assert gradient(1.0) == 4.0
    scale = 5.0
    assert gradient(1.0) == 10.0


def offset(n):
    return 1.0 * n


def test_helpers_that_change(monkeypatch):
    """And a function that only values go through."""

    def shifted(x, n):
        return (x - offset(n)) ** 2

    gradient = grad(shifted, jit=numba.njit)
    assert gradient(3.0, 1) == 4.0
    monkeypatch.setitem(globals(), "offset", lambda n: 2.0 * n)
    assert gradient(3.0, 1) == 2.0


@numba.njit(fastmath=True)
def cubes(x):
    total = 0.0
    for v in x:
        total += v**3
    return total


@numba.njit
def fill(out, x, n):
    for i in range(n):
        out[i] = x[i] * i


def test_compiled_functions():
    """A function that Numba compiled is differentiated through its Python source."""
    x = np.array([1.0, 2.0, 4.0])
    gradient = grad(cubes)
    np.testing.assert_allclose(gradient(x), 3 * x**2)
    compiled = compiler_of(cubes)
    assert compiled is not None
    assert compiled(lambda t: t).targetoptions["fastmath"] is True
    np.testing.assert_allclose(grad(lambda x: np.log(cubes(x)))(x), 3 * x**2 / np.sum(x**3))
    np.testing.assert_allclose(hessian(cubes)(x), np.diag(6 * x))


def test_writes_of_compiled_functions():
    """What one writes is followed as that of any function."""

    def filled(x):
        y = np.zeros(3)
        fill(y, x, 3)
        return np.sum(y * y)

    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(grad(filled, recorded="refuse")(x), [0.0, 4.0, 32.0])
    np.testing.assert_allclose(grad(filled, jit=numba.njit)(x), [0.0, 4.0, 32.0])
    np.testing.assert_allclose(jacobian(filled, jit=numba.njit)(x), [0.0, 4.0, 32.0])


def test_what_cannot_be_compiled():
    """The error names the user's line, and nothing is run uncompiled."""

    def rolled(x):
        return np.sum(np.roll(x, 1, axis=0) * x)

    with pytest.raises(CompileError, match=r"return np\.sum\(np\.roll\(x, 1, axis=0\) \* x\)"):
        grad(rolled, jit=numba.njit)(np.arange(3.0))


def test_what_the_compiler_stumbles_over():
    """An error that comes up in a compiler is no error of the program."""

    def factorial(x):
        return math.gamma(1 + x)

    with pytest.raises(CompileError, match="factorial_grad cannot be compiled"):
        grad(factorial, jit=numba.njit)(2.5)


def test_what_would_be_recorded():
    """A function without text is refused, unless it is said that it may be recorded."""

    def odd(x):
        table = {}
        exec("table['f'] = lambda t: t * t", {"table": table})
        return table["f"](x)

    with pytest.raises(SrcgradError):
        grad(odd, jit=numba.njit)(2.0)


def test_errors_of_the_program():
    """What the function raises goes through."""

    def checked(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * x

    with pytest.raises(ValueError, match="negative"):
        grad(checked, jit=numba.njit)(-1.0)


def powers(x, a):
    return np.sum(a * x**2)


def test_precision():
    """A gradient has the type of its argument, where compiled code computes in a wider one."""
    x, a = np.array([1.0, 2.0], dtype=np.float32), np.float32(3.0)
    for f in (grad(powers, (0, 1), jit=numba.njit), lambda *v: vjp_of(powers, *v)):
        x_bar, a_bar = f(x, a)
        assert x_bar.dtype == a_bar.dtype == np.float32
        np.testing.assert_allclose(x_bar, [6.0, 12.0])
        assert a_bar == 5.0
    value, slope = value_and_grad(powers, 1, jit=numba.njit)(x, a)
    assert (value, slope, slope.dtype) == (15.0, 5.0, np.float32)


def vjp_of(f, *args):
    return vjp(f, *args, wrt=(0, 1), jit=numba.njit)[1](1.0)


def entries(x, n):
    kept = []
    for i in range(n):
        kept.append(x[i] * x[i])
    total = 0.0
    for row in kept:
        total += row * row
    return total


def test_writes_between_the_parts_of_a_pair():
    """What compiled code keeps cannot be looked into; arguments that were written are refused."""
    x = np.array([1.0, 2.0, 3.0])
    _, backward = vjp(entries, x, 3, jit=numba.njit)
    np.testing.assert_allclose(backward(1.0), 4 * x**3)
    x[1] = 5.0
    with pytest.raises(OverwrittenError):
        backward(1.0)
    value, backward = vjp(lambda x: np.exp(x), x, jit=numba.njit)
    value[0] = 0.0
    with pytest.raises(OverwrittenError):
        backward(np.ones(3))


def writes_both(x, y):
    x *= 2.0
    y[0] = x[1]
    return np.sum(x * y)


def test_writes_into_arguments():
    """That arguments which are written share no memory is tested by compiled code, too."""
    x, y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.5, 2.5])
    expected = grad(writes_both, (0, 1))(x.copy(), y.copy())
    found = grad(writes_both, (0, 1), jit=numba.njit)(x.copy(), y.copy())
    np.testing.assert_allclose(found, expected)
    _, backward = vjp(writes_both, x.copy(), y.copy(), wrt=(0, 1), jit=numba.njit)
    np.testing.assert_allclose(backward(1.0), expected)
    for call in (grad(writes_both, (0, 1), jit=numba.njit), partial(vjp_of, writes_both)):
        with pytest.raises(ArgumentError, match="x is written in place and shares memory with y"):
            call(x, x)
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])


def test_no_iterations():
    """Lists that nothing was put on have a type."""
    value, backward = vjp(entries, np.ones(3), 0, jit=numba.njit)
    assert value == 0.0
    np.testing.assert_array_equal(backward(1.0), np.zeros(3))
