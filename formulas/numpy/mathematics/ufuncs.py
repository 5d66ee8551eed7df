"""Derivatives of the methods of NumPy's ufuncs: reduce, accumulate, reduceat and outer.

``np.f.outer(x, y)`` of any other ufunc f that has a formula is understood as f of x with
as many more axes as y has.
"""

from __future__ import annotations

import numpy as np

from srcgrad.registry import NO_ORDER, formula, nondifferentiable, primal
from srcgrad.runtime import cast_like, place_along, place_each_along, stop_gradient
from srcgrad.runtime.numpy.segments import leaders, segment_places, segment_present
from srcgrad.runtime.scans import exclusive_cumprod, product_of_others, reversed_recurrence
from srcgrad.runtime.transposes import reduceat_transpose

# reduce


@formula(np.add.reduce, linear="x")
def add_reduce(x, *, axis=0, dtype=None, keepdims=False, initial=0, where=True):
    """z = sum of x over some axes."""
    z = np.add.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        thin = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        wide = np.broadcast_to(thin, x.shape)
        x_bar = wide if where is True else np.where(where, wide, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.multiply.reduce)
def multiply_reduce(x, *, axis=0, dtype=None, keepdims=False, initial=1, where=True):
    """z = product of x over some axes; zeros in x are no exception."""
    z = np.multiply.reduce(
        x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
    )

    def backward(z_bar):
        others = product_of_others(x if where is True else np.where(where, x, 1), axis=axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        total = initial * wide * others
        x_bar = total if where is True else np.where(where, total, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    def tangent(x_dot):
        others = product_of_others(x if where is True else np.where(where, x, 1), axis=axis)
        moves = x_dot if where is True else np.where(where, x_dot, 0)
        return np.sum(initial * others * moves, axis=axis, keepdims=keepdims)

    return z, backward, tangent


@formula(np.maximum.reduce, np.minimum.reduce, np.fmax.reduce, np.fmin.reduce, of_complex=NO_ORDER)
def extremum_reduce(x, *, axis=0, keepdims=False, initial=None, where=True):
    """z = largest or smallest entry of x over some axes; ties share the slope evenly."""
    if initial is None:
        z = primal(x, axis=axis, keepdims=keepdims)
    else:
        z = primal(x, axis=axis, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        best = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        hits = x == best if where is True else (x == best) & where
        count = np.sum(hits, axis=axis, keepdims=axis is not None, dtype=z.dtype)
        if initial is not None:  # none ties where it is beyond all entries
            count = count + (best == initial)
        return wide / count * hits

    return z, backward


@formula(np.logaddexp.reduce)
def logaddexp_reduce(x, *, axis=0, keepdims=False):
    """z = log of the sum of e**x over one axis or all of them."""
    z = np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        # large numbers lose what z is above it
        top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
        shares = np.exp(x - stop_gradient(top))
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        return wide * (shares / np.sum(shares, axis=axis, keepdims=True))

    return z, backward


@formula(np.hypot.reduce)
def hypot_reduce(x, *, axis=0, keepdims=False):
    """z = square root of the sum of x**2 over one axis or all of them; slope 0 where it is 0."""
    z = np.hypot.reduce(x, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        size = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        return wide * (x / (size + (size == 0)))

    return z, backward


# accumulate


@formula(np.add.accumulate, linear="x")
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


@formula(
    np.maximum.accumulate, np.minimum.accumulate, np.fmax.accumulate, np.fmin.accumulate,
of_complex=NO_ORDER)  # fmt: skip
def extremum_accumulate(x, *, axis=0):
    """z = the largest or smallest entry up to each one; of entries that tie, the first counts."""
    z = primal(x, axis=axis)
    return z, lambda z_bar: place_each_along(z_bar, leaders(x, z, axis=axis), x, axis=axis)


# reduceat


@formula(np.add.reduceat, linear="x", sequences="indices")
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


@formula(np.multiply.reduceat, sequences="indices")
def multiply_reduceat(x, indices, *, axis=0):
    """z = the products of x from each index on up to the next."""
    z = np.multiply.reduceat(x, indices, axis=axis)

    def backward(z_bar):
        along = axis % x.ndim
        places = segment_places(indices, x, axis=axis)
        present = segment_present(indices, x, axis=axis)
        rows = np.where(present, np.take(x, places, axis=along), 1)
        wide = np.expand_dims(z_bar, along + 1)
        rows_bar = np.where(present, wide * product_of_others(rows, axis=along + 1), 0)
        return place_along(rows_bar, places, x, axis=along), None

    def tangent(x_dot, indices_dot):
        along = axis % x.ndim
        places = segment_places(indices, x, axis=axis)
        present = segment_present(indices, x, axis=axis)
        rows = np.where(present, np.take(x, places, axis=along), 1)
        rows_dot = np.where(present, np.take(x_dot, places, axis=along), 0)
        return np.sum(product_of_others(rows, axis=along + 1) * rows_dot, axis=along + 1)

    return z, backward, tangent


@formula(
    np.maximum.reduceat,
    np.minimum.reduceat,
    np.fmax.reduceat,
    np.fmin.reduceat,
    of_complex=NO_ORDER,
    sequences="indices",
)
def extremum_reduceat(x, indices, *, axis=0):
    """z = the largest or smallest entries from each index on to the next; ties share evenly."""
    z = primal(x, indices, axis=axis)

    def backward(z_bar):
        along = axis % x.ndim
        places = segment_places(indices, x, axis=axis)
        present = segment_present(indices, x, axis=axis)
        rows = np.take(x, places, axis=along)
        hits = (rows == np.expand_dims(z, along + 1)) & present
        count = np.sum(hits, axis=along + 1, keepdims=True, dtype=x.dtype)
        rows_bar = np.expand_dims(z_bar, along + 1) / count * hits
        return place_along(rows_bar, places, x, axis=along), None

    def tangent(x_dot, indices_dot):
        along = axis % x.ndim
        places = segment_places(indices, x, axis=axis)
        present = segment_present(indices, x, axis=axis)
        rows = np.take(x, places, axis=along)
        hits = (rows == np.expand_dims(z, along + 1)) & present
        rows_dot = np.where(hits, np.take(x_dot, places, axis=along), 0)
        return np.sum(rows_dot, axis=along + 1) / np.sum(hits, axis=along + 1, dtype=x.dtype)

    return z, backward, tangent


nondifferentiable(leaders, segment_places, segment_present)

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
