"""Derivatives of SciPy's convolutions and filters of real signals."""

from __future__ import annotations

import numpy as np
from scipy import signal

from srcgrad.registry import complex_too, formula, nondifferentiable
from srcgrad.runtime.filters import cut_off, lag_sums


@formula(signal.convolve, linear="in1 in2")
def convolve(in1, in2, *, mode="full", method="auto"):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.convolve(in1, in2, mode=mode, method=method)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode))
        in1_bar = signal.convolve(full_bar, np.flip(in2), mode="valid")
        return in1_bar, signal.convolve(full_bar, np.flip(in1), mode="valid")

    return z, backward


@formula(signal.fftconvolve, linear="in1 in2")
def fftconvolve(in1, in2, *, mode="full"):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.fftconvolve(in1, in2, mode=mode)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode))
        in1_bar = signal.fftconvolve(full_bar, np.flip(in2), mode="valid")
        return in1_bar, signal.fftconvolve(full_bar, np.flip(in1), mode="valid")

    return z, backward


@formula(signal.oaconvolve, linear="in1 in2")
def oaconvolve(in1, in2, *, mode="full"):
    """z[n] = sum of in1[k] in2[n - k], the part of it that the mode names."""
    z = signal.oaconvolve(in1, in2, mode=mode)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode))
        in1_bar = signal.oaconvolve(full_bar, np.flip(in2), mode="valid")
        return in1_bar, signal.oaconvolve(full_bar, np.flip(in1), mode="valid")

    return z, backward


@formula(signal.correlate, linear="in1 in2")
def correlate(in1, in2, *, mode="full", method="auto"):
    """z[n] = sum of in1[n + k] in2[k], the part of it that the mode names."""
    z = signal.correlate(in1, in2, mode=mode, method=method)

    def backward(z_bar):
        full_bar = np.pad(z_bar, cut_off(in1.shape, in2.shape, mode))
        in1_bar = signal.convolve(full_bar, in2, mode="valid")
        return in1_bar, np.flip(signal.convolve(full_bar, np.flip(in1), mode="valid"))

    return z, backward


@formula(signal.lfilter)
def lfilter(b, a, x, *, axis=-1):
    """z with sum of a[k] z[n - k] = sum of b[k] x[n - k], at rest before."""
    z = signal.lfilter(b, a, x, axis=axis)

    def backward(z_bar):
        one = np.ones_like(a[:1])
        b_bar = lag_sums(z_bar, signal.lfilter(one, a, x, axis=axis), b.shape[0], axis=axis)
        a_bar = -lag_sums(z_bar, signal.lfilter(one, a, z, axis=axis), a.shape[0], axis=axis)
        return b_bar, a_bar, np.flip(signal.lfilter(b, a, np.flip(z_bar, axis), axis=axis), axis)

    def tangent(b_dot, a_dot, x_dot):
        one = np.ones_like(a[:1])
        of_a = signal.lfilter(a_dot, one, z, axis=axis)
        of_b = signal.lfilter(b_dot, one, x, axis=axis)
        return signal.lfilter(b, a, x_dot, axis=axis) + signal.lfilter(
            one, a, of_b - of_a, axis=axis
        )

    return z, backward, tangent


@formula(lag_sums, linear="y x")
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

# What is linear in complex numbers, too

complex_too(signal.convolve, signal.fftconvolve, signal.oaconvolve, signal.lfilter, lag_sums)
