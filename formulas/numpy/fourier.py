"""Derivatives of NumPy's discrete Fourier transforms between complex arrays, and the shifts.

The matrix of a transform is symmetric, so that a cotangent goes through the same
transform. Where an array was cropped or padded with zeros first, its cotangent is
padded or cropped at the end.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import transformed

from srcgrad.registry import formula
from srcgrad.runtime.transposes import resized

# One axis


@formula(np.fft.fft, linear="x")
def fft(x, *, n=None, axis=-1, norm=None):
    """z_k = sum over j of x_j exp(-2 pi i j k / n)."""
    z = np.fft.fft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        whole = np.fft.fft(z_bar, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(np.fft.ifft, linear="x")
def ifft(x, *, n=None, axis=-1, norm=None):
    """z_k = 1 / n sum over j of x_j exp(2 pi i j k / n)."""
    z = np.fft.ifft(x, n=n, axis=axis, norm=norm)

    def backward(z_bar):
        whole = np.fft.ifft(z_bar, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


# Two axes


@formula(np.fft.fft2, linear="x")
def fft2(x, *, s=None, axes=(-2, -1), norm=None):
    """z = transform of x along two axes."""
    z = np.fft.fft2(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        if s is None:
            x_bar = np.fft.fft2(z_bar, axes=axes, norm=norm)
        else:
            wide = np.fft.fft2(z_bar, axes=transformed(s, axes, x.ndim), norm=norm)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


@formula(np.fft.ifft2, linear="x")
def ifft2(x, *, s=None, axes=(-2, -1), norm=None):
    """z = inverse transform of x along two axes."""
    z = np.fft.ifft2(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        if s is None:
            x_bar = np.fft.ifft2(z_bar, axes=axes, norm=norm)
        else:
            wide = np.fft.ifft2(z_bar, axes=transformed(s, axes, x.ndim), norm=norm)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


# Any axes


@formula(np.fft.fftn, linear="x")
def fftn(x, *, s=None, axes=None, norm=None):
    """z = transform of x along some axes."""
    z = np.fft.fftn(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        if s is None:
            x_bar = np.fft.fftn(z_bar, axes=axes, norm=norm)
        else:
            wide = np.fft.fftn(z_bar, axes=transformed(s, axes, x.ndim), norm=norm)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


@formula(np.fft.ifftn, linear="x")
def ifftn(x, *, s=None, axes=None, norm=None):
    """z = inverse transform of x along some axes."""
    z = np.fft.ifftn(x, s=s, axes=axes, norm=norm)

    def backward(z_bar):
        if s is None:
            x_bar = np.fft.ifftn(z_bar, axes=axes, norm=norm)
        else:
            wide = np.fft.ifftn(z_bar, axes=transformed(s, axes, x.ndim), norm=norm)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


# Shifts


@formula(np.fft.fftshift, linear="x")
def fftshift(x, *, axes=None):
    """z = x with the frequency 0 in the middle."""
    return np.fft.fftshift(x, axes=axes), lambda z_bar: np.fft.ifftshift(z_bar, axes=axes)


@formula(np.fft.ifftshift, linear="x")
def ifftshift(x, *, axes=None):
    """z = x with the frequency 0 in front."""
    return np.fft.ifftshift(x, axes=axes), lambda z_bar: np.fft.fftshift(z_bar, axes=axes)


@formula(resized, linear="z_bar")
def resized_(z_bar, shape):
    """w = z_bar, cropped or padded with zeros at the ends of its axes."""
    w = resized(z_bar, shape)
    return w, lambda w_bar: (resized(w_bar, np.shape(z_bar)), None)


# Frequencies


@formula(np.fft.fftfreq)
def fftfreq(n, d=1.0):
    """z = the frequencies of n samples at distance d."""
    z = np.fft.fftfreq(n, d)
    return z, lambda z_bar: (None, -np.sum(z_bar * z) / d)


@formula(np.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    """z = the frequencies of n real samples at distance d."""
    z = np.fft.rfftfreq(n, d)
    return z, lambda z_bar: (None, -np.sum(z_bar * z) / d)
