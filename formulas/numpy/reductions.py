"""Derivatives of NumPy's sums, products, differences and averages."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.axes import leading, padding

from srcgrad.registry import formula
from srcgrad.runtime import (
    cast_like,
    exclusive_cumprod,
    product_of_others,
    reversed_recurrence,
)

# Products, sums, differences


@formula(np.prod)
def prod(x, *, axis=None, keepdims=False):
    """z = product of x over some axes; zeros in x are no exception."""
    z = np.prod(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None:
            others = np.reshape(product_of_others(np.ravel(x), axis=0), x.shape)
        elif isinstance(axis, tuple):
            moved = np.moveaxis(x, axis, leading(len(axis)))
            rows = np.reshape(moved, (-1, *moved.shape[len(axis) :]))
            apart = np.reshape(product_of_others(rows, axis=0), moved.shape)
            others = np.moveaxis(apart, leading(len(axis)), axis)
        else:
            others = product_of_others(x, axis=axis)
        if axis is None or keepdims:
            x_bar = z_bar * others
        else:
            x_bar = np.expand_dims(z_bar, axis) * others
        return x_bar

    return z, backward


@formula(np.sum, linear="x")
def sum_(x, *, axis=None, dtype=None, keepdims=False):
    """z = sum of x over some axes, in some precision."""
    z = np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)

    def backward(z_bar):
        if axis is None or keepdims:
            x_bar = np.broadcast_to(z_bar, x.shape)
        else:
            x_bar = np.broadcast_to(np.expand_dims(z_bar, axis), x.shape)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.cumprod)
def cumprod(x, *, axis=None):
    """z = the products of x up to each entry; zeros in x are no exception."""
    z = np.cumprod(x, axis=axis)

    def backward(z_bar):
        if axis is None:
            flat = np.ravel(x)
            total = reversed_recurrence(flat, z_bar, axis=0)
            x_bar = np.reshape(total * exclusive_cumprod(flat, axis=0), x.shape)
        else:
            total = reversed_recurrence(x, z_bar, axis=axis)
            x_bar = total * exclusive_cumprod(x, axis=axis)
        return x_bar

    return z, backward


@formula(np.cumsum, linear="x")
def cumsum(x, *, axis=None):
    """z = the sums of x up to each entry."""
    z = np.cumsum(x, axis=axis)

    def backward(z_bar):
        if axis is None:
            x_bar = np.reshape(np.cumsum(z_bar[::-1])[::-1], x.shape)
        else:
            x_bar = np.flip(np.cumsum(np.flip(z_bar, axis), axis=axis), axis)
        return x_bar

    return z, backward


@formula(np.diff, linear="x")
def diff(x, *, n=1, axis=-1):
    """z = the differences of neighbours along an axis, n times over."""
    z = np.diff(x, n=n, axis=axis)

    def backward(z_bar):
        wide = np.pad(z_bar, padding(n, axis, x.ndim))
        return (-1) ** n * np.diff(wide, n=n, axis=axis)

    return z, backward


# Averages and variances


@formula(np.mean, linear="x")
def mean(x, *, axis=None, keepdims=False):
    """z = mean of x over some axes."""
    z = np.mean(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None:
            x_bar = np.broadcast_to(z_bar / x.size, x.shape)
        else:
            count = x.shape[axis] if isinstance(axis, int) else x.size // z.size
            share = z_bar / count if keepdims else np.expand_dims(z_bar / count, axis)
            x_bar = np.broadcast_to(share, x.shape)
        return x_bar

    return z, backward


@formula(np.average, linear="x")
def average(x, *, axis=None, weights=None, keepdims=False):
    """z = weighted mean of x over some axes; the weights are constants."""
    z = np.average(x, axis=axis, weights=weights, keepdims=keepdims)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        if weights is None:
            x_bar = np.broadcast_to(wide / (x.size // z.size), x.shape)
        elif isinstance(axis, int) and np.ndim(weights) == 1:
            share = np.moveaxis(np.ones_like(x), axis, -1) * weights / np.sum(weights)
            x_bar = wide * np.moveaxis(share, -1, axis)
        else:
            x_bar = wide * weights / np.sum(weights, axis=axis, keepdims=True)
        return x_bar

    return z, backward


@formula(np.var)
def var(x, *, axis=None, ddof=0, keepdims=False):
    """z = variance of x over some axes, with divisor n - ddof."""
    z = np.var(x, axis=axis, ddof=ddof, keepdims=keepdims)

    def backward(z_bar):
        if axis is None:
            x_bar = 2 * z_bar / (x.size - ddof) * (x - np.mean(x))
        else:
            count = x.shape[axis] if isinstance(axis, int) else x.size // z.size
            scale = 2 * z_bar / (count - ddof)
            wide = scale if keepdims else np.expand_dims(scale, axis)
            x_bar = wide * (x - np.mean(x, axis=axis, keepdims=True))
        return x_bar

    return z, backward


@formula(np.std)
def std(x, *, axis=None, ddof=0, keepdims=False):
    """z = standard deviation of x over some axes; slope 0 where it is 0."""
    z = np.std(x, axis=axis, ddof=ddof, keepdims=keepdims)

    def backward(z_bar):
        if axis is None:
            scale = z_bar / (z + (z == 0)) / (x.size - ddof)
            x_bar = scale * (x - np.mean(x))
        else:
            count = x.shape[axis] if isinstance(axis, int) else x.size // z.size
            scale = z_bar / (z + (z == 0)) / (count - ddof)
            wide = scale if keepdims else np.expand_dims(scale, axis)
            x_bar = wide * (x - np.mean(x, axis=axis, keepdims=True))
        return x_bar

    return z, backward
