"""Differences of special functions that other formulas need."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad.runtime.cancellations import (
    bessel_gap,
    dawsn_slope,
    elliptic_d_slope,
    erfcx_slope,
    modified_gap,
    psi_rise,
    rgamma_slope,
    wofz_slope,
)
from tests.formulas.checking import between, case, check_case, normal, normal_complex, positive

load("scipy.special")

CASES = [
    *(case(f, normal(3), n) for f in (dawsn_slope, erfcx_slope) for n in (1, 2)),
    *(case(f, 10 + normal(3), n) for f in (dawsn_slope, erfcx_slope) for n in (1, 2)),
    *(case(wofz_slope, place + normal_complex(3), n) for place in (0, 2j, 10 + 3j) for n in (1, 2)),
    *(case(f, 3 * normal(5), n) for f in (bessel_gap, modified_gap) for n in (0, 1)),
    case(psi_rise, positive(2, 3), positive(3)),
    case(psi_rise, 2e3 + positive(3), positive(3)),
    case(rgamma_slope, 2 * normal(5)),
    *(case(elliptic_d_slope, 3 * normal(3), between(-0.1, 0.1, 2, 3), n) for n in (1, 2)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


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
