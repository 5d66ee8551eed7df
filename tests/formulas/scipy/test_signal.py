"""The formulas of SciPy's convolutions and filters."""

import numpy as np
import pytest
from scipy import signal
from srcgrad.formulas import load

from srcgrad import check, grad, tape
from srcgrad.runtime.scipy import cascades
from srcgrad.runtime.scipy.filters import lag_sums
from srcgrad.runtime.scipy.signals import lfilter_from
from srcgrad.testing import check_orders
from tests.formulas.checking import case, formula_test, normal, positive
from tests.rotation import highest, some_of

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
    *(
        case(f, normal(4, 5), normal(*n), mode=mode)
        for f in (signal.convolve2d, signal.correlate2d)
        for mode in ("full", "same", "valid")
        for n in ((2, 3), (3, 2))
    ),
    case(signal.detrend, normal(6)),
    case(signal.detrend, normal(6, 2), axis=0, type="constant"),
    case(signal.detrend, normal(2, 6), bp=[3]),
    case(lag_sums, normal(2, 5), normal(2, 5), 3),
    case(lag_sums, normal(5, 2), normal(5, 2), 3, axis=0),
]

test_formula = formula_test(CASES, turns=2)


def in_two_parts(b, a, x, zi):
    """Filters what comes in two parts: the state between them is handed on."""
    y, state = signal.lfilter(b, a, x[:4], zi=zi)
    z, last = signal.lfilter(b, a, x[4:], -1, state)
    return np.sum(y**2) + np.sum(z**3) + np.sum(last**2)


def test_states():
    """The state between two parts is followed."""
    for wrt in some_of(0, 1, 2, 3):
        check(in_two_parts, normal(2), positive(3), normal(7), normal(2), wrt=wrt, order=highest())


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


@pytest.mark.parametrize("boundary", ["wrap", "symm"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_arrays_that_go_on(name, mode, boundary):
    """Convolutions of arrays that go on behind their borders are SciPy's, and have right slopes."""
    f = getattr(signal, name)
    for shape in ((1, 1), (2, 3), (4, 2)):
        x, w = normal(5, 4), normal(*shape)
        own = getattr(cascades, name)(x, w, mode, boundary)
        np.testing.assert_allclose(own, f(x, w, mode, boundary), atol=1e-12)
    check(lambda x, w: np.sum(f(x, w, mode, boundary) ** 2), x, w, wrt=(0, 1), order=highest())


def test_sections():
    """Filters in sections: at rest at first, and from states on."""
    sos = signal.butter(4, 0.3, output="sos")
    x, zi = normal(7), normal(2, 2)
    np.testing.assert_allclose(cascades.sosfilt(sos, x), signal.sosfilt(sos, x))
    check(lambda x: np.sum(signal.sosfilt(sos, x) ** 3), x, order=highest())

    def with_states(x, zi, b):
        own = np.concatenate((b, sos[:, 3:]), axis=1)
        y, last = signal.sosfilt(own, x, zi=zi)
        return np.sum(y**3) + np.sum(last**2)

    check(with_states, x, zi, sos[:, :3], wrt=(0, 1, 2), order=highest())


@pytest.mark.one_of(2)
@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_filters_forward_and_backward(padtype):
    """In what is filtered, along any axis, of any order of derivatives."""
    b, a = signal.butter(2, 0.3)
    sos = signal.butter(3, 0.3, output="sos")
    x = np.random.default_rng(3).normal(size=(2, 17))
    for given, axis in ((x, -1), (x.T.copy(), 0), (x[0], 0)):
        found = cascades.filtfilt(b, a, given, axis=axis, padtype=padtype)
        expected = signal.filtfilt(b, a, given, axis=axis, padtype=padtype)
        np.testing.assert_allclose(found, expected, atol=1e-13)
        found = cascades.sosfiltfilt(sos, given, axis=axis, padtype=padtype)
        expected = signal.sosfiltfilt(sos, given, axis=axis, padtype=padtype)
        np.testing.assert_allclose(found, expected, atol=1e-13)

    def loss(x):
        return np.sum(signal.filtfilt(b, a, x, padtype=padtype, padlen=4) ** 3)

    def by_sections(x):
        return np.sum(signal.sosfiltfilt(sos, x, padtype=padtype, padlen=5) ** 2)

    check(loss, x[0], order=highest())
    check(by_sections, x[0], order=highest())
    np.testing.assert_allclose(tape.grad(loss)(x[0]), grad(loss)(x[0]))
