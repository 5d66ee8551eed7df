"""Differences of special functions that other formulas need."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import grad, jvp
from srcgrad.runtime.scipy.cancellations import (
    bessel_gap,
    dawsn_slope,
    elliptic_slope,
    erfcx_slope,
    ive_slope,
    modified_gap,
    psi_rise,
    rgamma_slope,
    wofz_slope,
)
from tests.formulas.checking import between, case, formula_test, normal, normal_complex, positive

load("scipy.special")

CASES = [
    *(case(f, normal(3), n) for f in (dawsn_slope, erfcx_slope) for n in (1, 2)),
    *(case(f, 10 + normal(3), n) for f in (dawsn_slope, erfcx_slope) for n in (1, 2)),
    *(case(wofz_slope, place + normal_complex(3), n) for place in (0, 2j, 10 + 3j) for n in (1, 2)),
    *(case(f, 3 * normal(5), n) for f in (bessel_gap, modified_gap) for n in (0, 1)),
    *(case(ive_slope, v, 3 * positive(3), n) for v in (0, 1, 1.5) for n in (1, 2)),
    *(case(ive_slope, v, -3 * positive(3), n) for v in (0, 1) for n in (1, 2)),
    *(case(ive_slope, v, 5e3 * positive(3), 1) for v in (0, 1)),
    case(psi_rise, positive(2, 3), positive(3)),
    case(psi_rise, 2e3 + positive(3), positive(3)),
    case(rgamma_slope, 2 * normal(5)),
    *(
        case(elliptic_slope, 3 * normal(3), m, n, power)
        for m in (between(-0.1, 0.1, 2, 3), between(0.5, 0.9, 2, 3), between(-9.0, -2.0, 3))
        for n, power in ((1, 0), (1, 1), (2, 0))
    ),
]

test_formula = formula_test(CASES)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("x", [7.9, 8.1])
def test_border(x, n):
    """The series and the recurrence agree where one takes over from the other."""
    for f in (dawsn_slope, erfcx_slope, wofz_slope):
        near, far = f(np.array([7.9999999, 8.0000001]), n)
        assert abs(near - far) <= 1e-6 * abs(far)


def test_against_what_is_computed_exactly():
    """Digits that the difference would have lost."""
    assert psi_rise(1e6, 1.0) == pytest.approx(1e-6, rel=1e-12)
    assert psi_rise(50.0, 1.0) == pytest.approx(1 / 50, rel=1e-12)
    assert bessel_gap(1e-6, 0) == pytest.approx(2.5e-7, rel=1e-12)
    x = np.array([0.999999, 1.000001])
    np.testing.assert_allclose(bessel_gap(x, 0), (1 - special.j0(x)) / x, rtol=1e-13)
    np.testing.assert_allclose(modified_gap(x, 0), (special.i0(x) - 1) / x, rtol=1e-13)


@pytest.mark.parametrize("v", [0, 1, 2, 1.5])
def test_scaled_bessel_functions_far_out(v):
    """The slope falls as a power of x, and the series takes over where it has all digits."""
    border = 1e3 * (1 + v**2)
    x = np.array([0.999999 * border, 1.000001 * border])
    wanted = (special.ive(v - 1, x) + special.ive(v + 1, x)) / 2 - special.ive(v, x)
    np.testing.assert_allclose(ive_slope(v, x, 1), wanted, rtol=1e-9)
    far = np.array([1e15, 1e17, 1e30])
    np.testing.assert_allclose(ive_slope(v, far, 1), -0.5 * far**-1.5 / np.sqrt(2 * np.pi))
    np.testing.assert_allclose(ive_slope(v, far, 2), 0.75 * far**-2.5 / np.sqrt(2 * np.pi))
    assert ive_slope(v, np.inf, 1) == 0


@pytest.mark.parametrize("f", [special.i0e, special.i1e])
def test_no_nan_far_out(f):
    """Where the limit is finite, so is the slope, in all orders."""

    def total(x):
        return np.sum(f(x))

    for x in (1e17, 1e200, -1e19, np.inf, -np.inf):
        assert np.isfinite(grad(total)(x))
        assert np.isfinite(grad(grad(total))(x))
        assert np.isfinite(jvp(total, (x,), (1.0,))[1])
    np.testing.assert_allclose(grad(total)(1e17), -0.5e-17 * f(1e17))
