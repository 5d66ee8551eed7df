"""Derivatives of NumPy's extrema; where entries tie, they share evenly."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import NO_ORDER, formula, primal


@formula(np.maximum, of_complex=NO_ORDER)
def maximum(x, y):
    """z = the larger of x and y; slope 1/2 each where they tie."""
    z = np.maximum(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x > y) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y > x) + 0.5 * z_bar * (x == y)
        return x_bar, y_bar

    return z, backward


@formula(np.minimum, of_complex=NO_ORDER)
def minimum(x, y):
    """z = the smaller of x and y; slope 1/2 each where they tie."""
    z = np.minimum(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x < y) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y < x) + 0.5 * z_bar * (x == y)
        return x_bar, y_bar

    return z, backward


@formula(np.fmax, of_complex=NO_ORDER)
def fmax(x, y):
    """z = the larger of x and y, or the one that is no nan; 1/2 each in a tie."""
    z = np.fmax(x, y)

    def backward(z_bar):
        x_bar = z_bar * ((x > y) | np.isnan(y)) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * ((y > x) | np.isnan(x)) + 0.5 * z_bar * (x == y)
        return x_bar, y_bar

    return z, backward


@formula(np.fmin, of_complex=NO_ORDER)
def fmin(x, y):
    """z = the smaller of x and y, or the one that is no nan; 1/2 each in a tie."""
    z = np.fmin(x, y)

    def backward(z_bar):
        x_bar = z_bar * ((x < y) | np.isnan(y)) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * ((y < x) | np.isnan(x)) + 0.5 * z_bar * (x == y)
        return x_bar, y_bar

    return z, backward


@formula(np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin, of_complex=NO_ORDER)
def extremum(x, *, axis=None, keepdims=False, initial=None, where=True):
    """z = the largest or smallest entry along some axes; ties share evenly.

    No entry ties with an initial value beyond all of them.
    """
    if initial is None:
        z = primal(x, axis=axis, keepdims=keepdims)
    else:
        z = primal(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        if initial is not None:
            wide = z if axis is None or keepdims else np.expand_dims(z, axis)
            wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
            ties = (x == wide) & where
            count = np.sum(ties, axis=axis, keepdims=True, dtype=z.dtype) + (wide == initial)
            x_bar = wide_bar / count * ties
        elif axis is None or keepdims:
            ties = x == z
            count = np.sum(ties, axis=axis, keepdims=keepdims, dtype=z.dtype)
            x_bar = z_bar / count * ties
        else:
            ties = x == np.expand_dims(z, axis)
            count = np.sum(ties, axis=axis, dtype=z.dtype)
            x_bar = np.expand_dims(z_bar / count, axis) * ties
        return x_bar

    return z, backward


@formula(np.ptp, of_complex=NO_ORDER)
def ptp(x, *, axis=None, keepdims=False):
    """z = largest minus smallest entry along some axes; ties share evenly."""
    z = np.ptp(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        tops = x == np.max(x, axis=axis, keepdims=True)
        ends = x == np.min(x, axis=axis, keepdims=True)
        count = np.sum(tops, axis=axis, keepdims=True, dtype=z.dtype)
        below = np.sum(ends, axis=axis, keepdims=True, dtype=z.dtype)
        return wide / count * tops - wide / below * ends

    return z, backward
