"""The formulas of Python's math module."""

import math
import sys

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import grad, hvp, tape
from srcgrad.registry import find_formula, is_nondifferentiable
from srcgrad.runtime.scipy.special import polygamma
from tests.formulas.checking import case, formula_test

load("python")

EVERYWHERE = [
    math.exp, math.exp2, math.expm1, math.sin, math.cos, math.tan, math.atan,
    math.sinh, math.cosh, math.tanh, math.asinh, math.erf, math.erfc,
    math.degrees, math.radians, math.fabs, math.cbrt,
]  # fmt: skip
POSITIVE = [math.log, math.log1p, math.log2, math.log10, math.sqrt]
INSIDE = [math.asin, math.acos, math.atanh]

CASES = [
    *(case(fn, x) for fn in EVERYWHERE for x in (0.7, -1.3)),
    *(case(fn, x) for fn in POSITIVE for x in (0.3, 2.5)),
    *(case(fn, x) for fn in INSIDE for x in (0.3, -0.8)),
    case(math.acosh, 1.7),
    case(math.log, 3.0, 2.5),
    case(math.pow, 1.5, 0.7),
    case(math.pow, 0.7, -2.0),
    case(math.atan2, 0.5, -1.2),
    case(math.hypot, 1.2),
    case(math.hypot, 1.2, -0.5),
    case(math.hypot, 1.2, -0.5, 2.0),
    case(math.fmod, -7.3, 2.0),
    case(math.remainder, 7.3, 2.0),
    case(math.copysign, 1.5, -0.3),
    case(math.copysign, -1.5, -0.3),
    case(math.ldexp, 1.5, 3),
    *(case(fn, x) for fn in (math.gamma, math.lgamma) for x in (0.3, 2.5, 7.1, -1.3)),
    *(case(polygamma, n, 0.7) for n in (0, 1, 3)),
    case(math.frexp, -5.3),
    case(math.modf, -5.3),
    case(math.nextafter, 1.5, 2.0),
    case(math.dist, (0.5, -1.0), (2.0, 0.3)),
    case(math.fsum, (0.5, -1.0, 2.0)),
    case(math.prod, (0.5, -1.0, 2.0)),
    case(math.prod, (0.5,)),
    case(math.prod, (0.5, -1.0), start=3),
    *([case(math.fma, 1.5, -0.3, 2.0)] if sys.version_info >= (3, 13) else []),
    *([case(math.sumprod, (0.5, -1.0), (2.0, 0.3))] if sys.version_info >= (3, 12) else []),
]

test_formula = formula_test(CASES)


@pytest.mark.one_of(6)
@pytest.mark.parametrize(
    "c", [c for c in CASES if all(type(x) is float for x in c.args) and not c.options], ids=str
)
def test_views_of_no_axes(c):
    """Arrays without axes are numbers, and what they are views of stays what it is."""
    x = np.array(c.args)

    def of_views(x):
        return np.sum(c.target(*(x[k].reshape(()) for k in range(len(x)))))

    def of_numbers(x):
        return np.sum(c.target(*(x[k] for k in range(len(x)))))

    expected = tape.grad(of_numbers)(x), hvp(of_numbers, recorded="allow")(x, np.ones_like(x))
    for way in (grad(of_views, recorded="allow"), tape.grad(of_views)):
        np.testing.assert_allclose(way(x), expected[0])
    np.testing.assert_allclose(hvp(of_views, recorded="allow")(x, np.ones_like(x)), expected[1])
    np.testing.assert_array_equal(x, c.args)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.5])
def test_power_at_zero(exponent):
    """The slopes of a power are finite at the base 0."""
    _, backward = find_formula(math.pow)(0.0, exponent)
    assert backward(1.0) == (1.0 if exponent == 1 else 0.0, 0.0)


def test_hypot_at_the_origin():
    """The slope of a length at the origin is 0."""
    _, backward = find_formula(math.hypot)(0.0, 0.0)
    assert backward(1.0) == (0.0, 0.0)


def test_fabs_at_zero():
    """The slope of the absolute value at 0 is 0."""
    _, backward = find_formula(math.fabs)(0.0)
    assert backward(1.0) == 0


@pytest.mark.parametrize("fn", [math.floor, math.ceil, math.trunc, math.isnan])
def test_piecewise_constant(fn):
    """Rounding and tests have no derivative to have."""
    assert is_nondifferentiable(fn)
