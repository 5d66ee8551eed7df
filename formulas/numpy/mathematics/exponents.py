"""Derivatives of NumPy's exponents and logarithms."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import formula


@formula(np.exp)
def exp(x):
    """z = e ** x."""
    z = np.exp(x)
    return z, lambda z_bar: z_bar * z


@formula(np.expm1)
def expm1(x):
    """z = e ** x - 1."""
    z = np.expm1(x)
    return z, lambda z_bar: z_bar * (z + 1)


@formula(np.exp2)
def exp2(x):
    """z = 2 ** x."""
    z = np.exp2(x)
    return z, lambda z_bar: z_bar * z * math.log(2)


@formula(np.log)
def log(x):
    """z = natural logarithm of x; x > 0."""
    return np.log(x), lambda z_bar: z_bar / x


@formula(np.log10)
def log10(x):
    """z = decimal logarithm of x; x > 0."""
    return np.log10(x), lambda z_bar: z_bar / (x * math.log(10))


@formula(np.log2)
def log2(x):
    """z = binary logarithm of x; x > 0."""
    return np.log2(x), lambda z_bar: z_bar / (x * math.log(2))


@formula(np.log1p)
def log1p(x):
    """z = log(1 + x); x > -1."""
    return np.log1p(x), lambda z_bar: z_bar / (1 + x)


@formula(np.logaddexp)
def logaddexp(x, y):
    """z = log(exp(x) + exp(y)); not both infinite with one sign.

    The slopes are 1 / (1 + exp(y - x)) and 1 / (1 + exp(x - y)), without overflow. They are not
    written with x - z, in which large numbers lose what z is above the larger of the two.
    """
    z = np.logaddexp(x, y)

    def backward(z_bar):
        x_bar = z_bar * np.exp(-np.logaddexp(0, y - x))
        y_bar = z_bar * np.exp(-np.logaddexp(0, x - y))
        return x_bar, y_bar

    return z, backward


@formula(np.logaddexp2)
def logaddexp2(x, y):
    """z = log2(2 ** x + 2 ** y); not both infinite with one sign."""
    z = np.logaddexp2(x, y)

    def backward(z_bar):
        x_bar = z_bar * np.exp2(-np.logaddexp2(0, y - x))
        y_bar = z_bar * np.exp2(-np.logaddexp2(0, x - y))
        return x_bar, y_bar

    return z, backward
