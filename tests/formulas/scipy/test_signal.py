"""The formulas of SciPy's convolutions and filters."""

import numpy as np
import pytest
from scipy import signal
from srcgrad.formulas import load

from srcgrad import check, grad, tape
from srcgrad.runtime.scipy.filters import lag_sums
from srcgrad.runtime.scipy.signals import lfilter_from
from srcgrad.testing import check_orders
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
    case(signal.lfilter, 0.7, positive(3), normal(6)),
    case(signal.lfilter, normal(3), 1.3, normal(6)),
    *(
        case(lfilter_from, normal(nb), positive(na), normal(n), normal(max(na, nb) - 1))
        for nb, na, n in ((3, 2, 6), (2, 3, 6), (3, 1, 5), (1, 3, 5), (4, 3, 2), (2, 4, 1))
    ),
    case(lfilter_from, normal(2), positive(3), normal(2, 5), normal(2, 2)),
    case(lfilter_from, normal(2), positive(3), normal(2, 5), normal(1, 2)),
    case(lfilter_from, normal(2), positive(3), normal(5, 2), normal(2, 2), axis=0),
    case(lfilter_from, 0.7, positive(2), normal(5), normal(1)),
    *(
        case(fn, normal(*m), normal(*n), mode=mode, axes=axes)
        for fn in (signal.fftconvolve, signal.oaconvolve)
        for mode in ("full", "same", "valid")
        for m, n, axes in (
            ((3, 5), (3, 2), 1),
            ((5, 3), (2, 3), (0,)),
            ((4, 5), (2, 3), (0, 1)),
            ((3, 5), (1, 2), -1),
            ((1, 5), (3, 2), [1]),
        )
    ),
    *(
        case(fn, normal(5), normal(3), method=method)
        for fn in (signal.convolve, signal.correlate)
        for method in ("direct", "fft", "auto")
    ),
    case(lag_sums, normal(2, 5), normal(2, 5), 3),
    case(lag_sums, normal(5, 2), normal(5, 2), 3, axis=0),
]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def in_two_parts(b, a, x, zi):
    """Filters what comes in two parts: the state between them is handed on."""
    y, state = signal.lfilter(b, a, x[:4], zi=zi)
    z, last = signal.lfilter(b, a, x[4:], -1, state)
    return np.sum(y**2) + np.sum(z**3) + np.sum(last**2)


def test_states():
    """The state between two parts is followed."""
    for wrt in range(4):
        check(in_two_parts, normal(2), positive(3), normal(7), normal(2), wrt=wrt, order=2)


def test_orders():
    """Second derivatives agree in all modes."""
    assert check_orders(lfilter_from, normal(2), positive(3), normal(5), normal(2)) == 2


def test_tape():
    """Options that are differentiated are recorded on a tape, too."""
    args = normal(2), positive(3), normal(7), normal(2)
    for k in range(4):
        np.testing.assert_allclose(
            tape.grad(in_two_parts, k)(*args), grad(in_two_parts, k)(*args), rtol=1e-12
        )
