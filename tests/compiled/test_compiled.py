"""Derivatives that Numba compiles are those that Python runs."""

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, value_and_grad, vjp
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
@pytest.mark.one_of(32)
@pytest.mark.parametrize(("program", "mode"), CASES)
def test_programs(program, mode):
    """What is compiled gives what Python gives."""
    expected = _derivative(program, mode, recorded="refuse")
    _require_same(_derivative(program, mode, jit=numba.njit), expected)
