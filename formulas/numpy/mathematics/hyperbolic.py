"""Derivatives of NumPy's hyperbolic functions."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula


@formula(np.sinh)
def sinh(x):
    """z = sinh(x)."""
    return np.sinh(x), lambda z_bar: z_bar * np.cosh(x)


@formula(np.cosh)
def cosh(x):
    """z = cosh(x)."""
    return np.cosh(x), lambda z_bar: z_bar * np.sinh(x)


@formula(np.tanh)
def tanh(x):
    """z = tanh(x)."""
    z = np.tanh(x)
    return z, lambda z_bar: z_bar * (1 - z**2)


@formula(np.arcsinh)
def arcsinh(x):
    """z = arcsinh(x)."""
    z = np.arcsinh(x)

    def backward(z_bar):
        return z_bar / np.sqrt(x**2 + 1) if np.iscomplexobj(x) else z_bar / np.hypot(x, 1)

    return z, backward


@formula(np.arccosh)
def arccosh(x):
    """z = arccosh(x); x > 1."""
    return np.arccosh(x), lambda z_bar: z_bar / (np.sqrt(x - 1) * np.sqrt(x + 1))


@formula(np.arctanh)
def arctanh(x):
    """z = arctanh(x); |x| < 1."""
    return np.arctanh(x), lambda z_bar: z_bar / ((1 - x) * (1 + x))
