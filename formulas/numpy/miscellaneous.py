"""Derivatives of NumPy's remaining elementwise functions."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast


@formula(np.sqrt)
def sqrt(x):
    """z = square root of x; x > 0."""
    z = np.sqrt(x)
    return z, lambda z_bar: z_bar / (2 * z)


@formula(np.cbrt)
def cbrt(x):
    """z = cube root of x; x != 0."""
    z = np.cbrt(x)
    return z, lambda z_bar: z_bar / (3 * z**2)


@formula(np.square)
def square(x):
    """z = x ** 2."""
    return np.square(x), lambda z_bar: z_bar * 2 * x


@formula(np.reciprocal)
def reciprocal(x):
    """z = 1 / x; x != 0."""
    z = np.reciprocal(x)
    return z, lambda z_bar: -z_bar * z**2


@formula(np.fmod)
def fmod(x, y):
    """z = the remainder of x / y with the sign of x; at jumps, the slope beside."""
    z = np.fmod(x, y)

    def backward(z_bar):
        y_bar = -z_bar * np.trunc(x / y)
        return unbroadcast(z_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(np.copysign)
def copysign(x, y):
    """z = |x| with the sign of y; slope 0 at x == 0."""
    z = np.copysign(x, y)

    def backward(z_bar):
        x_bar = z_bar * np.sign(x) * np.sign(z)
        return unbroadcast(x_bar, x), None

    return z, backward


@formula(np.sinc)
def sinc(x):
    """z = sin(pi x) / (pi x), and 1 at x == 0; exact there to the third order."""
    z = np.sinc(x)

    def backward(z_bar):
        slope = (np.cos(math.pi * x) - z) / (x + (x == 0))
        return z_bar * np.where(x == 0, -(math.pi**2) / 3 * x, slope)

    return z, backward


@formula(np.clip)
def clip(x, low=None, high=None):
    """z = x, held between low and high; x passes at a bound. low <= high."""
    z = np.clip(x, low, high)

    def backward(z_bar):
        x_bar = z_bar * (x == z)
        low_bar = z_bar * ((x != z) & (z == low))
        high_bar = z_bar * ((x != z) & (z != low))
        return (
            unbroadcast(x_bar, x),
            unbroadcast(low_bar, low),
            unbroadcast(high_bar, high),
        )

    return z, backward


@formula(np.heaviside)
def heaviside(x, y):
    """z = 0 for x < 0, 1 for x > 0, y at x == 0; slope 0 in x."""
    z = np.heaviside(x, y)

    def backward(z_bar):
        return None, unbroadcast(z_bar * (x == 0), y)

    return z, backward


@formula(np.nan_to_num)
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None):
    """z = x with other numbers for nan and the infinities; slope 0 there."""
    z = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    return z, lambda z_bar: z_bar * np.isfinite(x)


@formula(np.conjugate, linear="x")
def conjugate(x):
    """z = x, for real x."""
    return np.conjugate(x), lambda z_bar: z_bar


@formula(np.real, linear="x")
def real(x):
    """z = x, for real x."""
    return np.real(x), lambda z_bar: z_bar
