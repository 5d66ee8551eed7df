"""Derivatives of the running sums and products that generated code calls."""

from __future__ import annotations

import numpy as np

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
        turned = np.flip(x, axis)
        before = exclusive_cumprod(x, axis=axis)
        after = exclusive_cumprod(turned, axis=axis)
        before_bar = advance(z_bar * np.flip(after, axis), axis=axis)
        after_bar = advance(np.flip(z_bar * before, axis), axis=axis)
        x_bar = before * reversed_recurrence(x, before_bar, axis=axis)
        turned_bar = after * reversed_recurrence(turned, after_bar, axis=axis)
        return x_bar + np.flip(turned_bar, axis)

    return z, backward
