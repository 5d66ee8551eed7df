"""Derivatives of SciPy's convolutions and filters."""

from __future__ import annotations

import numpy as np
from scipy import signal
from srcgrad.formulas.scipy import named

from srcgrad.effects import effects
from srcgrad.registry import formula, in_python, nondifferentiable, option_as_argument, refused
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy import cascades
from srcgrad.runtime.scipy.filters import cut_off, lag_sums
from srcgrad.runtime.scipy.signals import (
    lfilter_change,
    lfilter_from,
    lfilter_transpose,
    median_filter,
    peaks,
    peaks_start,
    rate_changed,
)

option_as_argument(signal.lfilter, "zi", lfilter_from)


@formula(signal.convolve, linear="in1 in2", of_complex=True)
def convolve(in1, in2, *, mode="full", method="auto"):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.convolve(in1, in2, mode=mode, method=method)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode)) if in1.ndim else z_bar
        in1_bar = signal.convolve(full_bar, np.flip(in2), mode="valid")
        return in1_bar, signal.convolve(full_bar, np.flip(in1), mode="valid")

    return z, backward


@formula(signal.fftconvolve, linear="in1 in2", of_complex=True)
def fftconvolve(in1, in2, *, mode="full", axes=None):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.fftconvolve(in1, in2, mode=mode, axes=axes)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode, axes)) if in1.ndim else z_bar
        in1_bar = signal.fftconvolve(full_bar, np.flip(in2, axes), mode="valid", axes=axes)
        in2_bar = signal.fftconvolve(full_bar, np.flip(in1, axes), mode="valid", axes=axes)
        if axes is not None:
            in1_bar, in2_bar = unbroadcast(in1_bar, in1), unbroadcast(in2_bar, in2)
        return in1_bar, in2_bar

    return z, backward


@formula(signal.oaconvolve, linear="in1 in2", of_complex=True)
def oaconvolve(in1, in2, *, mode="full", axes=None):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.oaconvolve(in1, in2, mode=mode, axes=axes)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode, axes)) if in1.ndim else z_bar
        in1_bar = signal.oaconvolve(full_bar, np.flip(in2, axes), mode="valid", axes=axes)
        in2_bar = signal.oaconvolve(full_bar, np.flip(in1, axes), mode="valid", axes=axes)
        if axes is not None:
            in1_bar, in2_bar = unbroadcast(in1_bar, in1), unbroadcast(in2_bar, in2)
        return in1_bar, in2_bar

    return z, backward


@formula(signal.correlate, linear="in1 in2", of_complex=True)
def correlate(in1, in2, *, mode="full", method="auto"):
    """z[n] = sum of in1[n + k] conj(in2[k]), the part of it that the mode names."""
    z = signal.correlate(in1, in2, mode=mode, method=method)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode)) if in1.ndim else z_bar
        in1_bar = signal.convolve(full_bar, np.conj(in2), mode="valid")
        in2_bar = np.flip(signal.convolve(full_bar, np.flip(in1), mode="valid"))
        return in1_bar, np.conj(in2_bar)

    return z, backward


@formula(signal.convolve2d, linear="in1 in2", of_complex=True)
def convolve2d(in1, in2, *, mode="full"):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.convolve2d(in1, in2, mode=mode)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode)) if in1.ndim else z_bar
        in1_bar = signal.convolve2d(full_bar, np.flip(in2), mode="valid")
        return in1_bar, signal.convolve2d(full_bar, np.flip(in1), mode="valid")

    return z, backward


@formula(signal.correlate2d, linear="in1 in2", of_complex=True)
def correlate2d(in1, in2, *, mode="full"):
    """z[n] = sum of in1[n + k] conj(in2[k]), the part of it that the mode names."""
    z = signal.correlate2d(in1, in2, mode=mode)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode)) if in1.ndim else z_bar
        in1_bar = signal.convolve2d(full_bar, np.conj(in2), mode="valid")
        in2_bar = np.flip(signal.convolve2d(full_bar, np.flip(in1), mode="valid"))
        return in1_bar, np.conj(in2_bar)

    return z, backward


@formula(signal.detrend, linear="data")
def detrend(data, *, axis=-1, type="linear", bp=0):
    """z = data less its mean or its line of regression, an orthogonal projection."""
    z = signal.detrend(data, axis=axis, type=type, bp=bp)
    return z, lambda z_bar: signal.detrend(z_bar, axis=axis, type=type, bp=bp)


@formula(signal.lfilter, of_complex=True)
def lfilter(b, a, x, *, axis=-1):
    """z with sum of a[k] z[n - k] = sum of b[k] x[n - k], at rest before."""
    z = signal.lfilter(b, a, x, axis=axis)

    def backward(z_bar):
        one = np.ones_like(a) if np.ndim(a) == 0 else np.ones_like(a[:1])
        count_b = 1 if np.ndim(b) == 0 else b.shape[0]
        count_a = 1 if np.ndim(a) == 0 else a.shape[0]
        b_bar = lag_sums(z_bar, signal.lfilter(one, a, x, axis=axis), count_b, axis=axis)
        a_bar = -lag_sums(z_bar, signal.lfilter(one, a, z, axis=axis), count_a, axis=axis)
        if np.ndim(b) == 0:
            b_bar = b_bar[0]
        if np.ndim(a) == 0:
            a_bar = a_bar[0]
        return b_bar, a_bar, np.flip(signal.lfilter(b, a, np.flip(z_bar, axis), axis=axis), axis)

    def tangent(b_dot, a_dot, x_dot):
        one = np.ones_like(a) if np.ndim(a) == 0 else np.ones_like(a[:1])
        of_a = signal.lfilter(a_dot, one, z, axis=axis)
        of_b = signal.lfilter(b_dot, one, x, axis=axis)
        return signal.lfilter(b, a, x_dot, axis=axis) + signal.lfilter(
            one, a, of_b - of_a, axis=axis
        )

    return z, backward, tangent


@formula(lfilter_from, of_complex=True, shaped_like=(2, None))
def lfilter_from_(b, a, x, zi, *, axis=-1):
    """z = (``lfilter`` from a state zi on, the state at last)."""
    z = lfilter_from(b, a, x, zi, axis=axis)

    def backward(z_bar):
        b_bar, a_bar, x_bar, zi_bar = lfilter_transpose(z_bar[0], z_bar[1], b, a, x, zi, axis)
        if np.ndim(b) == 0:
            b_bar = b_bar[0]
        if np.ndim(a) == 0:
            a_bar = a_bar[0]
        return b_bar, a_bar, x_bar, unbroadcast(zi_bar, zi)

    def tangent(b_dot, a_dot, x_dot, zi_dot):
        y_dot, last_dot = lfilter_change(b, a, x, zi, b_dot, a_dot, x_dot, zi_dot, axis)
        return y_dot, last_dot

    return z, backward, tangent


@formula(lag_sums, linear="y x", of_complex=True)
def lag_sums_(y, x, count, *, axis=-1):
    """w[k] = sum of y[n] x[n - k]."""
    w = lag_sums(y, x, count, axis=axis)

    def backward(w_bar):
        one = np.ones_like(w_bar[:1])
        y_bar = signal.lfilter(w_bar, one, x, axis=axis)
        x_bar = np.flip(signal.lfilter(w_bar, one, np.flip(y, axis), axis=axis), axis)
        return y_bar, x_bar, None

    return w, backward


nondifferentiable(cut_off)
refused("its slope in the coefficients is not written down", signal.lfilter_zi, signal.sosfilt_zi)

in_python(signal.sosfilt, cascades.sosfilt)
in_python(signal.filtfilt, cascades.filtfilt)
in_python(signal.sosfiltfilt, cascades.sosfiltfilt)
in_python(signal.convolve2d, cascades.convolve2d, "boundary", ("wrap", "symm"))
in_python(signal.correlate2d, cascades.correlate2d, "boundary", ("wrap", "symm"))

in_python(signal.medfilt, median_filter)
in_python(signal.upfirdn, rate_changed)
in_python(signal.find_peaks, peaks, "width", (None,))
nondifferentiable(peaks_start)

# Windows and the design of filters, by constants
effects(
    *named(signal, "get_window firwin firwin2 firls remez butter cheby1 cheby2 ellip bessel"),
    *named(signal, "iirfilter buttord iirnotch iirpeak savgol_coeffs unit_impulse gausspulse"),
    *named(signal.windows, " ".join(signal.windows.__all__)),
    writes="",
    keeps="",
    draws=False,
)
