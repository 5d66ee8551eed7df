"""Derivatives of NumPy's extrema; where entries tie, they share evenly."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast


@formula(np.maximum)
def maximum(x, y):
    """z = the larger of x and y; slope 1/2 each where they tie."""
    z = np.maximum(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x > y) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y > x) + 0.5 * z_bar * (x == y)
        return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(np.max, np.amax)
def max_(x, *, axis=None, keepdims=False, initial=None, where=True):
    """z = the largest entry along some axes; ties share evenly."""
    if initial is None:
        z = np.max(x, axis=axis, keepdims=keepdims)
    else:
        z = np.max(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        if initial is not None:
            wide = z if axis is None or keepdims else np.expand_dims(z, axis)
            wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
            ties = (x == wide) & where
            # none ties where the initial value is beyond all entries
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype) + (wide == initial)
            x_bar = wide_bar / count * ties
        elif axis is None or keepdims:
            ties = x == z
            count = np.sum(ties, axis=axis, keepdims=keepdims, dtype=x.dtype)
            x_bar = z_bar / count * ties
        else:
            ties = x == np.expand_dims(z, axis)
            count = np.sum(ties, axis=axis, dtype=x.dtype)
            x_bar = np.expand_dims(z_bar / count, axis) * ties
        return x_bar

    return z, backward


@formula(np.nanmax)
def nanmax(x, *, axis=None, keepdims=False, initial=None, where=True):
    """z = the largest of what is no nan along some axes; ties share evenly."""
    if initial is None:
        z = np.nanmax(x, axis=axis, keepdims=keepdims)
    else:
        z = np.nanmax(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        wide = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        ties = x == wide if initial is None else (x == wide) & where
        count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
        if initial is not None:  # none ties where it is beyond all entries
            count = count + (wide == initial)
        return wide_bar / count * ties

    return z, backward


@formula(np.fmax)
def fmax(x, y):
    """z = the larger of x and y, or the one that is no nan; 1/2 each in a tie."""
    z = np.fmax(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x == z) - 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y == z) - 0.5 * z_bar * (x == y)
        return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(np.minimum)
def minimum(x, y):
    """z = the smaller of x and y; slope 1/2 each where they tie."""
    z = np.minimum(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x < y) + 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y < x) + 0.5 * z_bar * (x == y)
        return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(np.min, np.amin)
def min_(x, *, axis=None, keepdims=False, initial=None, where=True):
    """z = the smallest entry along some axes; ties share evenly."""
    if initial is None:
        z = np.min(x, axis=axis, keepdims=keepdims)
    else:
        z = np.min(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        if initial is not None:
            wide = z if axis is None or keepdims else np.expand_dims(z, axis)
            wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
            ties = (x == wide) & where
            # none ties where the initial value is beyond all entries
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype) + (wide == initial)
            x_bar = wide_bar / count * ties
        elif axis is None or keepdims:
            ties = x == z
            count = np.sum(ties, axis=axis, keepdims=keepdims, dtype=x.dtype)
            x_bar = z_bar / count * ties
        else:
            ties = x == np.expand_dims(z, axis)
            count = np.sum(ties, axis=axis, dtype=x.dtype)
            x_bar = np.expand_dims(z_bar / count, axis) * ties
        return x_bar

    return z, backward


@formula(np.nanmin)
def nanmin(x, *, axis=None, keepdims=False, initial=None, where=True):
    """z = the smallest of what is no nan along some axes; ties share evenly."""
    if initial is None:
        z = np.nanmin(x, axis=axis, keepdims=keepdims)
    else:
        z = np.nanmin(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        wide = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        ties = x == wide if initial is None else (x == wide) & where
        count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
        if initial is not None:  # none ties where it is beyond all entries
            count = count + (wide == initial)
        return wide_bar / count * ties

    return z, backward


@formula(np.fmin)
def fmin(x, y):
    """z = the smaller of x and y, or the one that is no nan; 1/2 each in a tie."""
    z = np.fmin(x, y)

    def backward(z_bar):
        x_bar = z_bar * (x == z) - 0.5 * z_bar * (x == y)
        y_bar = z_bar * (y == z) - 0.5 * z_bar * (x == y)
        return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(np.ptp)
def ptp(x, *, axis=None, keepdims=False):
    """z = largest minus smallest entry along some axes; ties share evenly."""
    z = np.ptp(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        tops = x == np.max(x, axis=axis, keepdims=True)
        ends = x == np.min(x, axis=axis, keepdims=True)
        count = np.sum(tops, axis=axis, keepdims=True, dtype=x.dtype)
        below = np.sum(ends, axis=axis, keepdims=True, dtype=x.dtype)
        return wide / count * tops - wide / below * ends

    return z, backward
