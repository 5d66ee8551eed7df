"""Derivatives of NumPy's trigonometric functions."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import formula


@formula(np.sin)
def sin(x):
    """z = sin(x)."""
    return np.sin(x), lambda z_bar: z_bar * np.cos(x)


@formula(np.cos)
def cos(x):
    """z = cos(x)."""
    return np.cos(x), lambda z_bar: -z_bar * np.sin(x)


@formula(np.tan)
def tan(x):
    """z = tan(x); x is no odd multiple of pi / 2."""
    z = np.tan(x)
    return z, lambda z_bar: z_bar * (1 + z**2)


@formula(np.arcsin)
def arcsin(x):
    """z = arcsin(x); |x| < 1."""
    return np.arcsin(x), lambda z_bar: z_bar / np.sqrt((1 - x) * (1 + x))


@formula(np.arccos)
def arccos(x):
    """z = arccos(x); |x| < 1."""
    return np.arccos(x), lambda z_bar: -z_bar / np.sqrt((1 - x) * (1 + x))


@formula(np.arctan)
def arctan(x):
    """z = arctan(x)."""
    return np.arctan(x), lambda z_bar: z_bar / (1 + x * x)


@formula(np.hypot)
def hypot(x, y):
    """z = sqrt(x ** 2 + y ** 2); slopes 0 at the origin."""
    z = np.hypot(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x / (z + (z == 0)))
        y_bar = z_bar * (y / (z + (z == 0)))
        return x_bar, y_bar

    return z, backward


@formula(np.arctan2)
def arctan2(y, x):
    """z = the angle of the point (x, y); not the origin."""
    z = np.arctan2(y, x)

    def backward(z_bar):
        r = np.hypot(x, y)
        y_bar = z_bar * (x / r) / r
        x_bar = -z_bar * (y / r) / r
        return y_bar, x_bar

    return z, backward


@formula(np.unwrap)
def unwrap(x, *, discont=None, axis=-1, period=2 * math.pi):
    """z = x plus whole periods, which keep neighbours close; slope 1."""
    z = np.unwrap(x, discont=discont, axis=axis, period=period)
    return z, lambda z_bar: z_bar


@formula(np.degrees, np.rad2deg, linear="x")
def degrees(x):
    """z = x * 180 / pi."""
    z = np.degrees(x)

    def backward(z_bar):
        return np.degrees(z_bar)

    return z, backward


@formula(np.radians, np.deg2rad, linear="x")
def radians(x):
    """z = x * pi / 180."""
    z = np.radians(x)

    def backward(z_bar):
        return np.radians(z_bar)

    return z, backward
