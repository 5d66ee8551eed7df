"""Cotangents of names that are None in some iterations, or in some elements."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad import grad, vjp
from srcgrad.errors import InternalError, SrcgradError
from tests.finite_differences import gradient
from tests.in_memory import execute
from tests.rotation import has_its_turn

TEXT = """\
def maybe(y, k):
    if k % 2:
        return None
    return y * 0.7

def pick(*values):
    for value in values:
        if value is not None:
            return value
    return None

def f(x):
    h = {first}
    for k in range(2):
        h = {then}
    {later}
    return {result}
"""
FIRST = ("None", "x if maybe(x, 1) is None else maybe(x, 0)", "maybe(x, 0)")
THEN = ("None", "maybe(x, k)", "pick(h, x)", "pick(maybe(x, k), h, x * x)", "x if h is None else h")
LATER = ("pass", "h = pick(h, maybe(x, 1))", "prev, h = h, (x if h is None else None)")
RESULT = ("0.1 if h is None else np.sum(h * x)", "np.sum(x * x) if h is None else np.sum(h)")
CASES = [
    TEXT.format(first=a, then=b, later=c, result=d)
    for a, b, c, d in itertools.product(FIRST, THEN, LATER, RESULT)
]


@pytest.mark.parametrize("number", [k for k in range(len(CASES)) if has_its_turn(str(k), 6)])
def test_gradients_have_the_shape_of_the_argument(number: int) -> None:
    """Nothing of a name that is None, which has no axes, is left in a gradient."""
    f = execute(CASES[number], f"<none in loops {number}>", {"np": np})["f"]
    x = np.array([0.2, -0.3, 0.5])
    wanted = gradient(f, (x,), 0)
    for take in (grad(f, recorded="refuse"), lambda x: vjp(f, x, recorded="refuse")[1](1.0)):
        try:
            found = take(x)
        except InternalError:
            raise
        except SrcgradError:
            continue
        assert found.shape == x.shape
        assert found.dtype == x.dtype
        assert np.allclose(found, wanted, 1e-5, 1e-6)
