"""Derivatives of the functions of ``numpy.emath``, which give complex numbers where they have to.

Whether the result is real depends on the numbers. Slopes are those of the complex functions
where these are continuous along the real axis, from which the results are taken.
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast


@formula(np.emath.sqrt)
def sqrt(x):
    """z = square root of x; x != 0."""
    z = np.emath.sqrt(x)
    return z, lambda z_bar: z_bar / (2 * z)


@formula(np.emath.log)
def log(x):
    """z = natural logarithm of x; x != 0."""
    return np.emath.log(x), lambda z_bar: z_bar / x


@formula(np.emath.log2)
def log2(x):
    """z = logarithm of x to base 2; x != 0."""
    return np.emath.log2(x), lambda z_bar: z_bar / (x * math.log(2))


@formula(np.emath.log10)
def log10(x):
    """z = logarithm of x to base 10; x != 0."""
    return np.emath.log10(x), lambda z_bar: z_bar / (x * math.log(10))


@formula(np.emath.logn)
def logn(n, x):
    """z = logarithm of x to base n; x, n != 0, n != 1."""
    z = np.emath.logn(n, x)

    def backward(z_bar):
        per_log = z_bar / np.emath.log(n)
        return unbroadcast(-per_log * z / n, n), unbroadcast(per_log / x, x)

    return z, backward


@formula(np.emath.power)
def power(x, p):
    """z = x to the power p; x != 0."""
    z = np.emath.power(x, p)

    def backward(z_bar):
        slope = z_bar * z
        return unbroadcast(slope * p / x, x), unbroadcast(slope * np.emath.log(x), p)

    return z, backward


@formula(np.emath.arccos)
def arccos(x):
    """z = the angle whose cosine is x; abs(x) != 1."""
    z = np.emath.arccos(x)
    return z, lambda z_bar: -z_bar / np.sin(z)


@formula(np.emath.arcsin)
def arcsin(x):
    """z = the angle whose sine is x; abs(x) != 1."""
    z = np.emath.arcsin(x)
    return z, lambda z_bar: z_bar / np.cos(z)


@formula(np.emath.arctanh)
def arctanh(x):
    """z = the number whose hyperbolic tangent is x; abs(x) != 1."""
    return np.emath.arctanh(x), lambda z_bar: z_bar / (1 - x * x)
