"""The formulas of NumPy's remaining elementwise functions."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from srcgrad.runtime.scipy.special import bessel_i1
from srcgrad.runtime.transposes import unwrapped
from tests.formulas.checking import between, case, formula_test, normal, positive

load("numpy")

KNOTS = np.array([-0.1, 0.41, 1.13, 2.2])

CASES = [
    *(case(fn, x) for fn in (np.sqrt, np.cbrt, np.reciprocal) for x in (0.7, positive(2, 3))),
    *(case(fn, x) for fn in (np.square, np.sinc, np.fabs) for x in (0.7, normal(2, 3))),
    case(np.cbrt, -positive(3)),
    case(np.fmod, -7.3, 2.0),
    case(np.fmod, between(-9, 9, 2, 3), positive(3)),
    case(np.copysign, -1.3, 0.4),
    case(np.copysign, normal(2, 3), normal(3)),
    case(np.clip, normal(2, 3), -0.5, 0.5),
    case(np.clip, normal(2, 3), None, 0.5),
    case(np.clip, normal(2, 3), -0.5, None),
    case(np.clip, normal(2, 3), between(-0.6, -0.1, 3), between(0.1, 0.6, 2, 1)),
    case(np.clip, normal(5), 0.5, -0.5),
    case(np.clip, 0.3, -1.0, 1.0),
    case(np.clip, normal(2, 3), min=-0.5),
    case(np.clip, normal(2, 3), max=0.5, min=0.1),
    case(np.sinc, np.array([-0.02, 0.0, 1e-9, 0.02999, 0.03001, 2.0])),
    case(np.ldexp, normal(2, 3), np.array([1, -2, 3])),
    case(np.ldexp, 1.5, 3),
    case(np.frexp, positive(2, 3)),
    case(np.modf, normal(2, 3)),
    case(np.modf, 1.7),
    case(np.divmod, normal(2, 3), positive(3)),
    case(np.divmod, 7.3, -2.0),
    case(np.nextafter, normal(2, 3), 1.0),
    case(np.i0, np.array([-35.0, -2.0, 0.0, 0.3, 12.0])),
    case(bessel_i1, np.array([-35.0, -2.0, 0.0, 0.3, 12.0])),
    case(bessel_i1, 0.7),
    case(np.real_if_close, normal(3)),
    *(case(np.interp, x, KNOTS, normal(4)) for x in (0.3, between(-0.5, 2.5, 6))),
    case(np.interp, between(-0.5, 2.5, 2, 3), KNOTS, normal(4), left=0.5),
    case(np.interp, between(-7.0, 7.0, 9), KNOTS, normal(4), period=3.0),
    case(np.interp, between(-7.0, 7.0, 9), KNOTS[[2, 0, 3, 1]], normal(4), period=1.7),
    case(np.interp, 0.3, KNOTS, normal(4), period=2.5),
    case(unwrapped, normal(5)),
    case(np.interp, between(-0.5, 2.5, 6), KNOTS, normal(4), right=-1.0),
    case(np.interp, between(-0.5, 2.5, 6), KNOTS, normal(4), left=0.0, right=1.0),
    case(np.heaviside, normal(2, 3), 0.5),
    case(np.nan_to_num, normal(2, 3)),
    case(np.nan_to_num, normal(3), nan=1.0, posinf=2.0),
    case(np.conjugate, normal(3)),
    case(np.real, normal(3)),
]

test_formula = formula_test(CASES)


def test_clip_at_its_bounds():
    """A number on a bound passes."""
    _, backward = find_formula(np.clip)(np.array([-1.0, 0.0, 1.0]), -1.0, 1.0)
    x_bar, low_bar, high_bar = backward(np.ones(3))
    np.testing.assert_array_equal(x_bar, 1)
    assert not low_bar.any()
    assert not high_bar.any()


def test_heaviside_at_zero():
    """At 0 the second argument is the value, and has the slope."""
    _, backward = find_formula(np.heaviside)(np.array([0.0, 1.0]), 0.3)
    assert np.sum(backward(np.ones(2))[1]) == 1


def test_sinc_near_zero():
    """The slope of sinc at 0 is 0; near 0 it is that of its series."""
    x = np.array([0.0, 1e-3, -1e-2])
    _, backward = find_formula(np.sinc)(x)
    series = -(np.pi**2) / 3 * x + np.pi**4 / 30 * x**3
    np.testing.assert_allclose(backward(np.ones(3)), series, rtol=1e-7, atol=1e-12)


def test_what_is_no_number():
    """nan_to_num has slope 0 where it changes something."""
    _, backward = find_formula(np.nan_to_num)(np.array([np.nan, np.inf, 1.0]))
    np.testing.assert_array_equal(backward(np.ones(3)), [0, 0, 1])
