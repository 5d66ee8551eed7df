"""Derivatives of SciPy's discrete Fourier, cosine and sine transforms.

See those of NumPy for the Fourier transforms. A cosine or sine transform is real and
linear, so that a cotangent goes through its transpose.
"""

from __future__ import annotations

import numpy as np
from scipy import fft
from srcgrad.formulas.numpy.arrays.axes import transformed

from srcgrad.registry import formula, in_python, nondifferentiable, primal
from srcgrad.runtime.scipy import spectra
from srcgrad.runtime.scipy.cosines import (
    dct_transpose,
    dst_transpose,
    idct_transpose,
    idst_transpose,
)
from srcgrad.runtime.transposes import resized, twice_inside

# Fourier transforms along one axis


@formula(fft.fft, linear="x", of_complex=True)
def fft_(x, *, n=None, axis=-1, norm=None, workers=None):
    """z_k = sum over j of x_j exp(-2 pi i j k / n)."""
    z = fft.fft(x, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = fft.fft(z_bar, axis=axis, norm=norm, workers=workers)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.ifft, linear="x", of_complex=True)
def ifft_(x, *, n=None, axis=-1, norm=None, workers=None):
    """z_k = 1 / n sum over j of x_j exp(2 pi i j k / n)."""
    z = fft.ifft(x, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = fft.ifft(z_bar, axis=axis, norm=norm, workers=workers)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.rfft, linear="x", of_complex=True)
def rfft(x, *, n=None, axis=-1, norm=None, workers=None):
    """z = the first half of fft(x), for real x."""
    z = fft.rfft(x, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        size = x.shape[axis] if n is None else n
        whole = fft.fft(z_bar, n=size, axis=axis, norm=norm, workers=workers).real
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.irfft, linear="x", of_complex=True)
def irfft(x, *, n=None, axis=-1, norm=None, workers=None):
    """z = the real array of which x is half the spectrum."""
    z = fft.irfft(x, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        half = np.fft.ihfft(z_bar, axis=axis, norm=norm)
        x_bar = twice_inside(half, z_bar.shape[axis], axis=axis)
        own_bar = x_bar if n is None else resized(x_bar, x.shape)
        return own_bar if np.iscomplexobj(x) else np.real(own_bar)

    return z, backward


# Fourier transforms along several axes


@formula(fft.fft2, linear="x", of_complex=True)
def fft2(x, *, s=None, axes=(-2, -1), norm=None, workers=None):
    """z = transform of x along two axes."""
    z = fft.fft2(x, s=s, axes=axes, norm=norm, workers=workers)

    def backward(z_bar):
        if s is None:
            x_bar = fft.fft2(z_bar, axes=axes, norm=norm, workers=workers)
        else:
            along = transformed(s, axes, x.ndim)
            wide = fft.fft2(z_bar, axes=along, norm=norm, workers=workers)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


@formula(fft.ifft2, linear="x", of_complex=True)
def ifft2(x, *, s=None, axes=(-2, -1), norm=None, workers=None):
    """z = inverse transform of x along two axes."""
    z = fft.ifft2(x, s=s, axes=axes, norm=norm, workers=workers)

    def backward(z_bar):
        if s is None:
            x_bar = fft.ifft2(z_bar, axes=axes, norm=norm, workers=workers)
        else:
            along = transformed(s, axes, x.ndim)
            wide = fft.ifft2(z_bar, axes=along, norm=norm, workers=workers)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


@formula(fft.fftn, linear="x", of_complex=True)
def fftn(x, *, s=None, axes=None, norm=None, workers=None):
    """z = transform of x along some axes."""
    z = fft.fftn(x, s=s, axes=axes, norm=norm, workers=workers)

    def backward(z_bar):
        if s is None:
            x_bar = fft.fftn(z_bar, axes=axes, norm=norm, workers=workers)
        else:
            along = transformed(s, axes, x.ndim)
            wide = fft.fftn(z_bar, axes=along, norm=norm, workers=workers)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


@formula(fft.ifftn, linear="x", of_complex=True)
def ifftn(x, *, s=None, axes=None, norm=None, workers=None):
    """z = inverse transform of x along some axes."""
    z = fft.ifftn(x, s=s, axes=axes, norm=norm, workers=workers)

    def backward(z_bar):
        if s is None:
            x_bar = fft.ifftn(z_bar, axes=axes, norm=norm, workers=workers)
        else:
            along = transformed(s, axes, x.ndim)
            wide = fft.ifftn(z_bar, axes=along, norm=norm, workers=workers)
            x_bar = resized(wide, x.shape)
        return x_bar

    return z, backward


# Cosine and sine transforms


@formula(fft.dct, linear="x")
def dct(x, *, type=2, n=None, axis=-1, norm=None, workers=None):
    """z = a cosine transform of x along an axis."""
    z = fft.dct(x, type=type, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = dct_transpose(z_bar, type=type, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.idct, linear="x")
def idct(x, *, type=2, n=None, axis=-1, norm=None, workers=None):
    """z = an inverse cosine transform of x along an axis."""
    z = fft.idct(x, type=type, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = idct_transpose(z_bar, type=type, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.dst, linear="x")
def dst(x, *, type=2, n=None, axis=-1, norm=None, workers=None):
    """z = a sine transform of x along an axis."""
    z = fft.dst(x, type=type, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = dst_transpose(z_bar, type=type, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(fft.idst, linear="x")
def idst(x, *, type=2, n=None, axis=-1, norm=None, workers=None):
    """z = an inverse sine transform of x along an axis."""
    z = fft.idst(x, type=type, n=n, axis=axis, norm=norm, workers=workers)

    def backward(z_bar):
        whole = idst_transpose(z_bar, type=type, axis=axis, norm=norm)
        return whole if n is None else resized(whole, x.shape)

    return z, backward


@formula(dct_transpose, linear="z_bar")
def dct_transpose_(z_bar, *, type=2, axis=-1, norm=None):
    """w = the transpose of dct, applied to z_bar."""
    w = dct_transpose(z_bar, type=type, axis=axis, norm=norm)
    return w, lambda w_bar: fft.dct(w_bar, type=type, axis=axis, norm=norm)


@formula(idct_transpose, linear="z_bar")
def idct_transpose_(z_bar, *, type=2, axis=-1, norm=None):
    """w = the transpose of idct, applied to z_bar."""
    w = idct_transpose(z_bar, type=type, axis=axis, norm=norm)
    return w, lambda w_bar: fft.idct(w_bar, type=type, axis=axis, norm=norm)


@formula(dst_transpose, linear="z_bar")
def dst_transpose_(z_bar, *, type=2, axis=-1, norm=None):
    """w = the transpose of dst, applied to z_bar."""
    w = dst_transpose(z_bar, type=type, axis=axis, norm=norm)
    return w, lambda w_bar: fft.dst(w_bar, type=type, axis=axis, norm=norm)


@formula(idst_transpose, linear="z_bar")
def idst_transpose_(z_bar, *, type=2, axis=-1, norm=None):
    """w = the transpose of idst, applied to z_bar."""
    w = idst_transpose(z_bar, type=type, axis=axis, norm=norm)
    return w, lambda w_bar: fft.idst(w_bar, type=type, axis=axis, norm=norm)


# Shifts


@formula(fft.fftshift, linear="x", of_complex=True)
def fftshift(x, *, axes=None):
    """z = x with the frequency 0 in the middle."""
    return fft.fftshift(x, axes=axes), lambda z_bar: fft.ifftshift(z_bar, axes=axes)


@formula(fft.ifftshift, linear="x", of_complex=True)
def ifftshift(x, *, axes=None):
    """z = x with the frequency 0 in front."""
    return fft.ifftshift(x, axes=axes), lambda z_bar: fft.fftshift(z_bar, axes=axes)


nondifferentiable(fft.next_fast_len)


@formula(fft.fftfreq, fft.rfftfreq)
def frequencies(n, d=1.0, *, xp=None, device=None):
    """z = the frequencies of n samples, complex or real ones, at distance d."""
    z = primal(n, d, xp=xp, device=device)
    return z, lambda z_bar: (None, -np.sum(z_bar * z) / d)


# Transforms that are written down by others

BY_OTHERS = "hfft ihfft rfft2 irfft2 hfft2 ihfft2 rfftn irfftn hfftn ihfftn dctn idctn dstn idstn"
for name in BY_OTHERS.split():
    in_python(getattr(fft, name), getattr(spectra, name))
