"""Derivatives of the methods of NumPy's ufuncs: reduce, accumulate and outer."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.scans import exclusive_cumprod, product_of_others, reversed_recurrence
from srcgrad.runtime.transposes import reduceat_transpose

# reduce


@formula(np.add.reduce)
def add_reduce(x, *, axis=0, dtype=None, keepdims=False, initial=0, where=True):
    """z = sum of x over some axes."""
    z = np.add.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        x_bar = np.broadcast_to(wide, x.shape) if where is True else np.where(where, wide, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.multiply.reduce)
def multiply_reduce(x, *, axis=0, keepdims=False):
    """z = product of x over one axis or all of them; zeros in x are no exception."""
    z = np.multiply.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None:
            others = np.reshape(product_of_others(np.ravel(x), axis=0), x.shape)
        else:
            others = product_of_others(x, axis=axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        return wide * others

    return z, backward


@formula(np.maximum.reduce)
def maximum_reduce(x, *, axis=0, keepdims=False):
    """z = largest entry of x over some axes; ties share the slope evenly."""
    z = np.maximum.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        top = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        hits = cast_like(x == top, x)
        return wide * hits / np.sum(hits, axis=axis, keepdims=axis is not None)

    return z, backward


@formula(np.minimum.reduce)
def minimum_reduce(x, *, axis=0, keepdims=False):
    """z = smallest entry of x over some axes; ties share the slope evenly."""
    z = np.minimum.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        low = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        hits = cast_like(x == low, x)
        return wide * hits / np.sum(hits, axis=axis, keepdims=axis is not None)

    return z, backward


@formula(np.logaddexp.reduce)
def logaddexp_reduce(x, *, axis=0, keepdims=False):
    """z = log of the sum of e**x over one axis or all of them."""
    z = np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        total = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        return wide * np.exp(x - total)

    return z, backward


# accumulate


@formula(np.add.accumulate)
def add_accumulate(x, *, axis=0):
    """z = the sums of x up to each entry."""
    z = np.add.accumulate(x, axis=axis)

    def backward(z_bar):
        return np.flip(np.cumsum(np.flip(z_bar, axis), axis=axis), axis)

    return z, backward


@formula(np.multiply.accumulate)
def multiply_accumulate(x, *, axis=0):
    """z = the products of x up to each entry; zeros in x are no exception."""
    z = np.multiply.accumulate(x, axis=axis)

    def backward(z_bar):
        return reversed_recurrence(x, z_bar, axis=axis) * exclusive_cumprod(x, axis=axis)

    return z, backward


# reduceat


@formula(np.add.reduceat, linear="x")
def add_reduceat(x, indices, *, axis=0):
    """z = the sums of x from each index on up to the next."""
    z = np.add.reduceat(x, indices, axis=axis)

    def backward(z_bar):
        return reduceat_transpose(z_bar, indices, x, axis=axis), None

    return z, backward


@formula(reduceat_transpose, linear="z_bar")
def reduceat_transpose_(z_bar, indices, x, *, axis=0):
    """w = the transpose of ``np.add.reduceat``, applied to z_bar."""
    w = reduceat_transpose(z_bar, indices, x, axis=axis)

    def backward(w_bar):
        return np.add.reduceat(w_bar, indices, axis=axis), None, None

    return w, backward


# outer


@formula(np.add.outer)
def add_outer(x, y):
    """z = x + y for each pair of entries."""
    z = np.add.outer(x, y)

    def backward(z_bar):
        x_bar = np.tensordot(z_bar, np.ones_like(y), axes=np.ndim(y))
        return x_bar, np.tensordot(np.ones_like(x), z_bar, axes=np.ndim(x))

    return z, backward


@formula(np.subtract.outer)
def subtract_outer(x, y):
    """z = x - y for each pair of entries."""
    z = np.subtract.outer(x, y)

    def backward(z_bar):
        x_bar = np.tensordot(z_bar, np.ones_like(y), axes=np.ndim(y))
        return x_bar, -np.tensordot(np.ones_like(x), z_bar, axes=np.ndim(x))

    return z, backward


@formula(np.multiply.outer)
def multiply_outer(x, y):
    """z = x y for each pair of entries."""
    z = np.multiply.outer(x, y)

    def backward(z_bar):
        x_bar = np.tensordot(z_bar, y, axes=np.ndim(y))
        return x_bar, np.tensordot(x, z_bar, axes=np.ndim(x))

    return z, backward


@formula(np.divide.outer)
def divide_outer(x, y):
    """z = x / y for each pair of entries; y != 0."""
    z = np.divide.outer(x, y)

    def backward(z_bar):
        x_bar = np.tensordot(z_bar, 1 / y, axes=np.ndim(y))
        return x_bar, -np.tensordot(x, z_bar, axes=np.ndim(x)) / y**2

    return z, backward
