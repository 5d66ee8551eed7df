"""Derivatives of NumPy's discrete Fourier transforms of real or of Hermitian arrays.

These compute half of a spectrum, or read half of one. The cotangent of what was
real is the real part of a transform of the half that there is. The cotangent of half
a spectrum is half a transform, twice for each entry that stands for two of them.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import transformed

from srcgrad.registry import formula
from srcgrad.runtime.transposes import resized, twice_inside

# One axis


@formula(np.fft.rfft, linear="x")
def rfft(x, *, n=None, axis=-1, norm=None):
    """z = the first half of fft(x), for real x."""
    z = np.fft.rfft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        size = x.shape[axis] if n is None else n
        whole = np.fft.fft(z_bar, n=size, axis=axis, norm=norm).real
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(np.fft.irfft, linear="x")
def irfft(x, *, n=None, axis=-1, norm=None):
    """z = the real array of which x is half the spectrum."""
    z = np.fft.irfft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        half = np.fft.ihfft(z_bar, axis=axis, norm=norm)
        x_bar = twice_inside(half, z_bar.shape[axis], axis=axis)
        own_bar = x_bar if n is None else resized(x_bar, x.shape)
        return own_bar if np.iscomplexobj(x) else np.real(own_bar)

    return z, backward


@formula(np.fft.hfft, linear="x")
def hfft(x, *, n=None, axis=-1, norm=None):
    """z = the real spectrum of an array of which x is half, and the rest its mirror image."""
    z = np.fft.hfft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        half = np.fft.rfft(z_bar, axis=axis, norm=norm)
        x_bar = twice_inside(half, z_bar.shape[axis], axis=axis)
        own_bar = x_bar if n is None else resized(x_bar, x.shape)
        return own_bar if np.iscomplexobj(x) else np.real(own_bar)

    return z, backward


@formula(np.fft.ihfft, linear="x")
def ihfft(x, *, n=None, axis=-1, norm=None):
    """z = the first half of ifft(x), for real x."""
    z = np.fft.ihfft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        size = x.shape[axis] if n is None else n
        whole = np.fft.ifft(z_bar, n=size, axis=axis, norm=norm).real
        return whole if n is None else resized(whole, x.shape)

    return z, backward


# Two axes


@formula(np.fft.rfft2, linear="x")
def rfft2(x, *, s=None, axes=(-2, -1), norm=None):
    """z = fft2(x) for real x, the first half along the last of the axes."""
    z = np.fft.rfft2(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        along = transformed(s, axes, x.ndim, half=True)
        size = x.shape[along[-1]] if s is None or s[-1] == -1 else s[-1]
        rows = np.fft.fft(z_bar, n=size, axis=along[-1], norm=norm)
        whole = np.fft.fftn(rows, axes=along[:-1], norm=norm).real
        return whole if s is None else resized(whole, x.shape)

    return z, backward


@formula(np.fft.irfft2, linear="x")
def irfft2(x, *, s=None, axes=(-2, -1), norm=None):
    """z = the real array of which x is half the spectrum along two axes."""
    z = np.fft.irfft2(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        along = transformed(s, axes, x.ndim, half=True)
        half = np.fft.ihfft(z_bar, axis=along[-1], norm=norm)
        rows = twice_inside(half, z_bar.shape[along[-1]], axis=along[-1])
        x_bar = np.fft.ifftn(rows, axes=along[:-1], norm=norm)
        own_bar = x_bar if s is None else resized(x_bar, x.shape)
        return own_bar if np.iscomplexobj(x) else np.real(own_bar)

    return z, backward


# Any axes


@formula(np.fft.rfftn, linear="x")
def rfftn(x, *, s=None, axes=None, norm=None):
    """z = fftn(x) for real x, the first half along the last of the axes."""
    z = np.fft.rfftn(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        along = transformed(s, axes, x.ndim, half=True)
        size = x.shape[along[-1]] if s is None or s[-1] == -1 else s[-1]
        rows = np.fft.fft(z_bar, n=size, axis=along[-1], norm=norm)
        whole = np.fft.fftn(rows, axes=along[:-1], norm=norm).real
        return whole if s is None else resized(whole, x.shape)

    return z, backward


@formula(np.fft.irfftn, linear="x")
def irfftn(x, *, s=None, axes=None, norm=None):
    """z = the real array of which x is half the spectrum along some axes."""
    z = np.fft.irfftn(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        along = transformed(s, axes, x.ndim, half=True)
        half = np.fft.ihfft(z_bar, axis=along[-1], norm=norm)
        rows = twice_inside(half, z_bar.shape[along[-1]], axis=along[-1])
        x_bar = np.fft.ifftn(rows, axes=along[:-1], norm=norm)
        own_bar = x_bar if s is None else resized(x_bar, x.shape)
        return own_bar if np.iscomplexobj(x) else np.real(own_bar)

    return z, backward


@formula(twice_inside, linear="spectrum")
def twice_inside_(spectrum, n, *, axis=-1):
    """w = spectrum, doubled but for its ends."""
    w = twice_inside(spectrum, n, axis=axis)
    return w, lambda w_bar: (twice_inside(w_bar, n, axis=axis), None)
