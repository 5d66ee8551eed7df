"""Real arrays whose spectra are changed entry by entry, and their cotangents."""

import numpy as np
import pytest

from srcgrad import check, grad, source

RNG = np.random.default_rng(0)


def slope(x):
    """A derivative by the spectrum."""
    n = x.shape[0]
    k = np.arange(n // 2 + 1)
    return np.sum(np.fft.irfft(1j * k * np.fft.rfft(x), n) ** 3)


def slope_and_bend(x, a):
    """Two ways lead to the same spectrum."""
    n = x.shape[0]
    k = np.arange(n // 2 + 1)
    modes = np.fft.rfft(x)
    bend = np.fft.irfft(-(k**2) * modes, n)
    return np.sum(a * bend**2 - x * np.fft.irfft(1j * k * modes, n) ** 2)


def filtered(x, w):
    """Weights that are differentiated as well."""
    return np.sum(np.fft.irfft(w * np.fft.rfft(x), x.shape[0]) ** 3)


def rows(x):
    """Spectra of all rows."""
    k = np.arange(x.shape[1] // 2 + 1)
    return np.sum(np.fft.irfft(k * np.fft.rfft(x), x.shape[1]) ** 3)


def of_columns(x):
    """Spectra along the first axis."""
    k = np.arange(x.shape[0] // 2 + 1)[:, None]
    return np.sum(np.fft.irfft(k * np.fft.rfft(x, axis=0), x.shape[0], axis=0) ** 3)


def of_another_length(x):
    """The array that comes back is longer."""
    n = x.shape[0]
    return np.sum(np.fft.irfft(np.fft.rfft(x), n + 2) ** 3) + np.sum(np.fft.irfft(np.fft.rfft(x)))


def cut(x):
    """Only some of the array is transformed."""
    return np.sum(np.fft.irfft(2 * np.fft.rfft(x, 4), 4) ** 3)


def scaled(x):
    """Transforms that are scaled otherwise."""
    z = np.fft.rfft(x, norm="ortho")
    return np.sum(np.fft.irfft(2 * z, x.shape[0], norm="ortho") ** 3)


def turned(x):
    """The spectrum is multiplied by complex numbers that come from elsewhere."""
    phase = np.exp(1j * np.arange(x.shape[0] // 2 + 1))
    return np.sum(np.fft.irfft(phase * np.fft.rfft(x), x.shape[0]) ** 3)


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize(
    "function", [slope, of_another_length, cut, scaled, turned], ids=lambda f: f.__name__
)
@pytest.mark.one_of(2)
def test_gradients_of_vectors(function, n):
    """They agree with differences to second order, for even and odd lengths."""
    check(function, RNG.normal(size=n), order=2)


@pytest.mark.parametrize("n", [6, 7])
def test_gradients_of_several_arguments(n):
    """Weights, and arrays of rows and columns."""
    check(slope_and_bend, RNG.normal(size=n), 0.7, wrt=(0, 1), order=2)
    check(filtered, RNG.normal(size=n), RNG.normal(size=n // 2 + 1), wrt=(0, 1), order=2)
    check(rows, RNG.normal(size=(2, n)), order=2)
    check(of_columns, RNG.normal(size=(n, 2)), order=2)


def test_half_of_a_spectrum_goes_back_as_half():
    """There is no transform of the whole, and nothing is doubled."""
    gradient = grad(slope_and_bend)
    x = RNG.normal(size=8)
    found = gradient(x, 0.7)
    text = source(gradient)
    assert "np.fft.irfft(" in text.partition("_bar")[2]
    assert "twice_inside" not in text
    assert "np.fft.fft(" not in text
    step = 1e-6
    for k in range(8):
        moved = step * np.eye(8)[k]
        wanted = slope_and_bend(x + moved, 0.7) - slope_and_bend(x - moved, 0.7)
        assert np.isclose(found[k], wanted / (2 * step), rtol=1e-6)
