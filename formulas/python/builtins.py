"""Derivatives of Python's built-in functions; ``abs`` and ``pow`` are operators."""

from __future__ import annotations

import bisect

import numpy as np

from srcgrad.registry import NO_ORDER, formula, nondifferentiable
from srcgrad.runtime.broadcasting import is_fixed


@formula(float)
def float_(x):
    """z = x as a Python number."""
    z = float(x)

    def backward(z_bar):
        return z_bar if np.ndim(x) == 0 else np.reshape(z_bar, x.shape)

    return z, backward


@formula(max, of_complex=NO_ORDER)
def max_(x, y):
    """z = the larger of two numbers, the first one where the other is nan; 1/2 each in a tie."""
    z = max(x, y)

    def backward(z_bar):
        if is_fixed(x) or is_fixed(y):
            x_bar = z_bar * (x > y) + 0.5 * z_bar * (x == y)
            y_bar = z_bar * (y > x) + 0.5 * z_bar * (x == y)
        else:  # z equals neither x nor y where these are computed again, and rounded otherwise
            y_bar = z_bar * (y > x) + 0.5 * z_bar * (x == y)
            x_bar = z_bar - y_bar
        return x_bar, y_bar

    return z, backward


@formula(min, of_complex=NO_ORDER)
def min_(x, y):
    """z = the smaller of two numbers, the first one where the other is nan; 1/2 each in a tie."""
    z = min(x, y)

    def backward(z_bar):
        if is_fixed(x) or is_fixed(y):
            x_bar = z_bar * (x < y) + 0.5 * z_bar * (x == y)
            y_bar = z_bar * (y < x) + 0.5 * z_bar * (x == y)
        else:  # z equals neither x nor y where these are computed again, and rounded otherwise
            y_bar = z_bar * (y < x) + 0.5 * z_bar * (x == y)
            x_bar = z_bar - y_bar
        return x_bar, y_bar

    return z, backward


@formula(sum, linear="x")
def sum_(x):
    """z = sum of an array over its first axis."""
    return sum(x), lambda z_bar: np.broadcast_to(z_bar, x.shape)


# Whole numbers, truth values, text: piecewise constant

nondifferentiable(
    round, int, len, bool, all, any,
    isinstance, issubclass, callable, type, id, hash, hasattr,
    range, str, repr, format, print, bisect.bisect_left, bisect.bisect_right,
)  # fmt: skip
