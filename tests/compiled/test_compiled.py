"""Derivatives that Numba compiles are those that Python runs."""

import numpy as np
import pytest

from srcgrad import grad, hessian, hvp, jvp, value_and_grad, vjp
from tests.compiled.programs import PROGRAMS

numba = pytest.importorskip("numba")

MODES = ("grad", "value_and_grad", "vjp", "jvp", "hvp")


def _directions(program, seed=3):
    random = np.random.default_rng(seed)
    given = [random.normal(size=np.shape(x)) for x in program.arguments]
    return tuple(
        (d if np.ndim(d) else float(d)) if k in program.wrt else None for k, d in enumerate(given)
    )


def _derivative(program, mode, **how):
    f, args, wrt = program.function, program.arguments, program.wrt
    if mode == "grad":
        return grad(f, wrt, **how)(*args)
    if mode == "value_and_grad":
        return value_and_grad(f, wrt, **how)(*args)
    if mode == "vjp":
        value, backward = vjp(f, *args, wrt=wrt, **how)
        return value, backward(2.0)
    directions = _directions(program)
    if mode == "jvp":
        return jvp(f, args, directions, **how)
    return hvp(f, wrt, **how)(*args, tuple(directions[k] for k in wrt))


def _require_same(found, expected):
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            _require_same(*pair)
        return
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


CASES = [
    pytest.param(program, mode, id=f"{program.function.__name__}-{mode}")
    for program in PROGRAMS
    for mode in MODES
    if mode not in program.but
]


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPerformanceWarning")
@pytest.mark.one_of(64)
@pytest.mark.parametrize(("program", "mode"), CASES)
def test_programs(program, mode):
    """What is compiled gives what Python gives."""
    expected = _derivative(program, mode, recorded="refuse")
    _require_same(_derivative(program, mode, jit=numba.njit), expected)


def test_second_derivative_of_a_branch_that_keeps_arrays():
    """What a helper keeps in the branch that is not taken has no shape to be asked for."""

    @numba.njit
    def norm(v):
        return np.sqrt(v @ v)

    @numba.njit
    def lengths(r, v):
        a = v[0] * r[1]
        if a > 0:
            nu = np.sin(a)
        else:
            nu = norm(r) * norm(v) ** 2 / 3
        return norm(v - r), nu

    def f(x):
        v = np.array(lengths(np.array([1 + x[0], 3 * x[1], 2.0]), np.array([1.0, 6 * x[2], 2.0])))
        return np.sum(v)

    for x in (np.array([0.31, 0.72, 0.53]), np.array([0.31, -0.72, 0.53])):
        units = np.eye(3) * 1e-6
        found = [(grad(f)(x + e) - grad(f)(x - e)) / 2e-6 for e in units]
        np.testing.assert_allclose(hessian(f)(x), found, rtol=1e-6, atol=1e-7)
