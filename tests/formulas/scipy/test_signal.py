"""The formulas of SciPy's convolutions and filters."""

import pytest
from scipy import signal
from srcgrad.formulas import load

from srcgrad.runtime.filters import lag_sums
from tests.formulas.checking import case, check_case, normal, positive

load("scipy.signal")

CASES = [
    *(
        case(fn, normal(*m), normal(*n), mode=mode)
        for fn in (signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve)
        for mode in ("full", "same", "valid")
        for m, n in (((5,), (3,)), ((4, 5), (2, 3)), ((6,), (4,)))
    ),
    *(
        case(fn, normal(3), normal(5), mode=mode)
        for fn in (signal.convolve, signal.correlate)
        for mode in ("full", "same", "valid")
    ),
    case(signal.convolve, normal(5), normal(3)),
    case(signal.lfilter, normal(3), positive(2), normal(6)),
    case(signal.lfilter, normal(2), positive(3), normal(2, 5)),
    case(signal.lfilter, normal(2), positive(1), normal(5, 2), axis=0),
    case(lag_sums, normal(2, 5), normal(2, 5), 3),
    case(lag_sums, normal(5, 2), normal(5, 2), 3, axis=0),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
