"""Derivatives of NumPy's sums, products and running totals."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import one_before, without_first

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.scans import (
    exclusive_cumprod,
    product_of_others,
    recurrence,
    reversed_recurrence,
)

# Over axes


@formula(np.prod)
def prod(x, *, axis=None, dtype=None, keepdims=False, initial=1, where=True):
    """z = product of x over some axes; zeros in x are no exception."""
    z = np.prod(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        factors = x if where is True else np.where(where, x, 1)
        others = product_of_others(factors, axis=axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        total = initial * wide * others
        x_bar = total if where is True else np.where(where, total, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    def tangent(x_dot):
        factors = x if where is True else np.where(where, x, 1)
        moves = x_dot if where is True else np.where(where, x_dot, 0)
        others = product_of_others(factors, axis=axis)
        return np.sum(initial * others * moves, axis=axis, keepdims=keepdims)

    return z, backward, tangent


@formula(np.sum, linear="x")
def sum_(x, *, axis=None, dtype=None, keepdims=False, initial=0, where=True):
    """z = sum of x over some axes, in some precision."""
    z = np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        if axis is None or keepdims:
            total = np.broadcast_to(z_bar, x.shape)
        else:
            total = np.broadcast_to(np.expand_dims(z_bar, axis), x.shape)
        x_bar = total if where is True else np.where(where, total, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.nanprod)
def nanprod(x, *, axis=None, dtype=None, keepdims=False, initial=1, where=True):
    """z = product of what is no nan in x, over some axes."""
    z = np.nanprod(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) if where is True else where & ~np.isnan(x)
        factors = np.where(counted, x, 1)
        others = product_of_others(factors, axis=axis)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        total = initial * wide * others
        x_bar = np.where(counted, total, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.nansum)
def nansum(x, *, axis=None, dtype=None, keepdims=False, initial=0, where=True):
    """z = sum of what is no nan in x, over some axes."""
    z = np.nansum(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        counted = ~np.isnan(x) if where is True else where & ~np.isnan(x)
        x_bar = np.where(counted, wide, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


# Up to each entry


@formula(np.cumprod)
def cumprod(x, *, axis=None, dtype=None):
    """z = the products of x up to each entry; zeros in x are no exception."""
    z = np.cumprod(x, axis=axis, dtype=dtype)

    def backward(z_bar):
        if axis is None:
            flat = np.ravel(x)
            total = reversed_recurrence(flat, z_bar, axis=0)
            x_bar = np.reshape(total * exclusive_cumprod(flat, axis=0), x.shape)
        else:
            total = reversed_recurrence(x, z_bar, axis=axis)
            x_bar = total * exclusive_cumprod(x, axis=axis)
        return x_bar if dtype is None else cast_like(x_bar, x)

    def tangent(x_dot):
        along = 0 if axis is None else axis
        rows = np.ravel(x) if axis is None else x
        rows_dot = np.ravel(x_dot) if axis is None else x_dot
        return recurrence(rows, rows_dot * exclusive_cumprod(rows, axis=along), axis=along)

    return z, backward, tangent


@formula(np.cumsum, linear="x")
def cumsum(x, *, axis=None, dtype=None):
    """z = the sums of x up to each entry."""
    z = np.cumsum(x, axis=axis, dtype=dtype)

    def backward(z_bar):
        if axis is None:
            x_bar = np.reshape(np.cumsum(z_bar[::-1])[::-1], x.shape)
        else:
            x_bar = np.flip(np.cumsum(np.flip(z_bar, axis), axis=axis), axis)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.nancumprod)
def nancumprod(x, *, axis=None, dtype=None):
    """z = the products of what is no nan in x, up to each entry."""
    z = np.nancumprod(x, axis=axis, dtype=dtype)

    def backward(z_bar):
        along = 0 if axis is None else axis
        factors = np.where(np.isnan(x), 1, x)
        rows = np.ravel(factors) if axis is None else factors
        total = reversed_recurrence(rows, z_bar, axis=along) * exclusive_cumprod(rows, axis=along)
        x_bar = np.where(np.isnan(x), 0, np.reshape(total, x.shape))
        return x_bar if dtype is None else cast_like(x_bar, x)

    def tangent(x_dot):
        along = 0 if axis is None else axis
        factors = np.where(np.isnan(x), 1, x)
        moves = np.where(np.isnan(x), 0, x_dot)
        rows = np.ravel(factors) if axis is None else factors
        rows_dot = np.ravel(moves) if axis is None else moves
        return recurrence(rows, rows_dot * exclusive_cumprod(rows, axis=along), axis=along)

    return z, backward, tangent


@formula(np.nancumsum)
def nancumsum(x, *, axis=None, dtype=None):
    """z = the sums of what is no nan in x, up to each entry."""
    z = np.nancumsum(x, axis=axis, dtype=dtype)

    def backward(z_bar):
        along = 0 if axis is None else axis
        total = np.flip(np.cumsum(np.flip(z_bar, along), axis=along), along)
        x_bar = np.where(np.isnan(x), 0, np.reshape(total, x.shape))
        return x_bar if dtype is None else cast_like(x_bar, x)

    def tangent(x_dot):
        return np.cumsum(np.where(np.isnan(x), 0, x_dot), axis=axis, dtype=dtype)

    return z, backward, tangent


if hasattr(np, "cumulative_sum"):  # since NumPy 2.1

    @formula(np.cumulative_prod)
    def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False):
        """z = the products of x up to each entry, perhaps with a 1 in front."""
        z = np.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)

        def backward(z_bar):
            along = 0 if axis is None else axis
            if x.ndim == 0:
                x_bar = z_bar[-1]
            else:
                own = z_bar[without_first(along, x.ndim)] if include_initial else z_bar
                total = reversed_recurrence(x, own, axis=along)
                x_bar = total * exclusive_cumprod(x, axis=along)
            return x_bar if dtype is None else cast_like(x_bar, x)

        def tangent(x_dot):
            along = 0 if axis is None else axis
            if x.ndim == 0:
                total = np.reshape(x_dot, 1)
            else:
                total = recurrence(x, x_dot * exclusive_cumprod(x, axis=along), axis=along)
            return np.pad(total, one_before(along, z.ndim)) if include_initial else total

        return z, backward, tangent

    @formula(np.cumulative_sum, linear="x")
    def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False):
        """z = the sums of x up to each entry, perhaps with a 0 in front."""
        z = np.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)

        def backward(z_bar):
            along = 0 if axis is None else axis
            if x.ndim == 0:
                x_bar = z_bar[-1]
            else:
                own = z_bar[without_first(along, x.ndim)] if include_initial else z_bar
                x_bar = np.flip(np.cumsum(np.flip(own, along), axis=along), along)
            return x_bar if dtype is None else cast_like(x_bar, x)

        return z, backward
