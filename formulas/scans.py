"""Derivatives of the running sums and products that generated code calls."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import flattened_first, leading

from srcgrad.registry import formula
from srcgrad.runtime.scans import (
    advance,
    delay,
    exclusive_cumprod,
    product_of_others,
    recurrence,
    reversed_recurrence,
)


@formula(delay, linear="x")
def delay_(x, *, axis):
    """z = x moved on by one place."""
    return delay(x, axis=axis), lambda z_bar: advance(z_bar, axis=axis)


@formula(advance, linear="x")
def advance_(x, *, axis):
    """z = x moved back by one place."""
    return advance(x, axis=axis), lambda z_bar: delay(z_bar, axis=axis)


@formula(recurrence)
def recurrence_(a, b, *, axis):
    """y[k] = a[k] y[k - 1] + b[k]."""
    y = recurrence(a, b, axis=axis)

    def backward(y_bar):
        b_bar = reversed_recurrence(a, y_bar, axis=axis)
        return b_bar * delay(y, axis=axis), b_bar

    return y, backward


@formula(reversed_recurrence)
def reversed_recurrence_(a, b, *, axis):
    """y[k] = a[k + 1] y[k + 1] + b[k]."""
    y = reversed_recurrence(a, b, axis=axis)

    def backward(y_bar):
        b_bar = recurrence(a, y_bar, axis=axis)
        return delay(b_bar, axis=axis) * y, b_bar

    return y, backward


@formula(exclusive_cumprod)
def exclusive_cumprod_(x, *, axis):
    """z[k] = product of the x[i] with i < k."""
    z = exclusive_cumprod(x, axis=axis)

    def backward(z_bar):
        return z * reversed_recurrence(x, advance(z_bar, axis=axis), axis=axis)

    return z, backward


@formula(product_of_others)
def product_of_others_(x, *, axis):
    """z[k] = product of the x[i] with i != k, as products before k and after it."""
    z = product_of_others(x, axis=axis)

    def backward(z_bar):
        if axis is None:
            along = 0
            rows, rows_bar = np.ravel(x), np.ravel(z_bar)
        elif isinstance(axis, tuple):
            along = 0
            moved = np.moveaxis(x, axis, leading(len(axis)))
            flat = flattened_first(moved.shape, len(axis))
            rows = np.reshape(moved, flat)
            rows_bar = np.reshape(np.moveaxis(z_bar, axis, leading(len(axis))), flat)
        else:
            along = axis
            rows, rows_bar = x, z_bar
        turned = np.flip(rows, along)
        before = exclusive_cumprod(rows, axis=along)
        after = exclusive_cumprod(turned, axis=along)
        before_bar = advance(rows_bar * np.flip(after, along), axis=along)
        after_bar = advance(np.flip(rows_bar * before, along), axis=along)
        of_before = before * reversed_recurrence(rows, before_bar, axis=along)
        of_after = after * reversed_recurrence(turned, after_bar, axis=along)
        total = of_before + np.flip(of_after, along)
        if axis is None:
            x_bar = np.reshape(total, x.shape)
        elif isinstance(axis, tuple):
            x_bar = np.moveaxis(np.reshape(total, moved.shape), leading(len(axis)), axis)
        else:
            x_bar = total
        return x_bar

    return z, backward
