"""Second derivatives where an argument is 0, 1 or 2, numbers that formulas ask about.

A formula that tells such a place from others (``y - (y != 0)``) may have the right slope
there, and a wrong slope of the slope.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load_all

from srcgrad import grad, hessian
from srcgrad.registry import constant_parameters, find_formula

load_all()
# A difference of tklmbda near lmbda == 0 is that of what SciPy computes, to six digits, and
# ellipkinc is at its end for m == 1.
BEYOND = {"tklmbda", "ellipkinc"}
STEP = 1e-5


def of_several():
    """Functions of two or three numbers that have a slope in each, each once."""
    pairs = [math.pow, math.hypot, math.atan2, math.copysign]
    for module in (np, special):
        for name in sorted(vars(module)):
            fn = getattr(module, name)
            plain = isinstance(fn, np.ufunc) and fn.nout == 1 and fn.signature is None
            if plain and fn.nin in (2, 3) and fn not in pairs and name != "ldexp":
                pairs.append(fn)
    rules = [(fn, find_formula(fn)) for fn in pairs]
    known = [fn for fn, rule in rules if rule is not None and not constant_parameters(rule)]
    return [fn for fn in known if fn.__name__ not in BEYOND]


def slopes(gradient, place):
    """Differences of a gradient, and nan where those of both sides do not agree."""
    here, rows = gradient(place), []
    for e in np.eye(len(place)):
        above = (gradient(place + STEP * e) - here) / STEP
        below = (here - gradient(place - STEP * e)) / STEP
        close = np.abs(above - below) < 1e-3 * (1 + np.abs(above))
        rows.append(np.where(close, (above + below) / 2, np.nan))
    return np.array(rows)


@pytest.mark.one_of(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fn", of_several(), ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    """Where they are finite, they are the differences of the first ones, or there are none."""
    count = getattr(fn, "nin", 2)

    def of_two(p):
        return fn(p[0], p[1])

    def of_three(p):
        return fn(p[0], p[1], p[2])

    applied = of_two if count == 2 else of_three
    gradient, curvature = grad(applied), hessian(applied)
    third = [(0.5,)] if count == 3 else []
    for numbers in itertools.product((1.0, 2.0), (0.3, 1.0, 0.0), *third):
        place = np.array(numbers)
        try:
            expected, found = slopes(gradient, place), np.asarray(curvature(place))
        except (ArithmeticError, ValueError):  # as math's own functions raise
            continue
        known = np.isfinite(expected) & np.isfinite(found) & (np.abs(expected) < 1e4)
        np.testing.assert_allclose(found[known], expected[known], rtol=1e-2, atol=1e-2)
