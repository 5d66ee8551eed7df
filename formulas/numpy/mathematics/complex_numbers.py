"""Derivatives of NumPy's functions for complex numbers.

For a real function f of z = x + iy the gradient is df/dx - i df/dy, as in
autograd and JAX: f changes by the real part of z_bar dz. A cotangent therefore
goes through a function that is differentiable in the complex sense by its
derivative, without conjugation. What a cotangent of something real has for an
imaginary part is dropped where it arrives.
"""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.scipy.special import unit, unit_conjugate


@formula(np.angle)
def angle(x, *, deg=False):
    """z = argument of x, for complex x != 0; for real x the slope is 0.

    It is the imaginary part of log(x), so that its slope is -i / x.
    """
    z = np.angle(x, deg=deg)

    def backward(z_bar):
        if np.iscomplexobj(x):
            turned = -1j * z_bar / x
            return turned * (180 / np.pi) if deg else turned
        return np.zeros_like(x)

    return z, backward


@formula(np.real, linear="x")
def real(x):
    """z = real part of x."""
    return np.real(x), lambda z_bar: z_bar


@formula(np.imag, linear="x")
def imag(x):
    """z = imaginary part of x; of a real x it is 0."""
    z = np.imag(x)

    def backward(z_bar):
        return -1j * z_bar if np.iscomplexobj(x) else np.zeros_like(x)

    return z, backward


@formula(np.conjugate, linear="x")
def conjugate(x):
    """z = complex conjugate of x."""
    z = np.conjugate(x)
    return z, lambda z_bar: np.conj(z_bar) if np.iscomplexobj(x) else z_bar


@formula(np.real_if_close)
def real_if_close(x):
    """z = x, without imaginary parts that are all close to 0."""
    return np.real_if_close(x), lambda z_bar: z_bar


@formula(complex)
def complex_(x, y=0.0):
    """z = x + iy, as a number of Python's."""
    z = complex(x, y)
    return z, lambda z_bar: (z_bar, 1j * z_bar)


@formula(np.complex64)
def complex64(x):
    """z = x in single precision."""
    return np.complex64(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.complex128)
def complex128(x):
    """z = x in double precision."""
    return np.complex128(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.clongdouble)
def clongdouble(x):
    """z = x in extended precision."""
    return np.clongdouble(x), lambda z_bar: cast_like(z_bar, x)


@formula(unit)
def unit_(x):
    """z = x / |x|, which only turns with x; slope 0 at 0."""
    z = unit(x)
    return z, lambda z_bar: 1j * np.imag(z_bar * z) * unit_conjugate(x) / (np.abs(x) + (x == 0))


@formula(unit_conjugate)
def unit_conjugate_(x):
    """z = conj(x) / |x|, which only turns with x; slope 0 at 0."""
    z = unit_conjugate(x)
    return z, lambda z_bar: -1j * z * np.imag(z * z_bar) / (np.abs(x) + (x == 0))
