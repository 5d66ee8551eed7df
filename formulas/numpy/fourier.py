"""Derivatives of NumPy's discrete Fourier transforms that are real: the shifts."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula


@formula(np.fft.fftshift)
def fftshift(x, *, axes=None):
    """z = x with the frequency 0 in the middle."""
    return np.fft.fftshift(x, axes=axes), lambda z_bar: np.fft.ifftshift(z_bar, axes=axes)


@formula(np.fft.ifftshift)
def ifftshift(x, *, axes=None):
    """z = x with the frequency 0 in front."""
    return np.fft.ifftshift(x, axes=axes), lambda z_bar: np.fft.fftshift(z_bar, axes=axes)
