"""Derivatives of NumPy's functions in what are options of them elsewhere."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.rearranging import unpadded

from srcgrad.registry import formula, option_as_argument, primal
from srcgrad.runtime import cast_like, unbroadcast
from srcgrad.runtime.numpy.initials import (
    border_transpose,
    max_from,
    min_from,
    nanmax_from,
    nanmin_from,
    nanprod_from,
    nansum_from,
    pad_with,
    prod_from,
    sum_from,
    unwrap_by,
)
from srcgrad.runtime.numpy.variances import (
    deviation_about,
    nan_deviation_about,
    nan_variance_about,
    variance_about,
)
from srcgrad.runtime.scans import product_of_others
from srcgrad.runtime.transposes import padding_transpose

option_as_argument(np.var, "mean", variance_about)
option_as_argument(np.std, "mean", deviation_about)
option_as_argument(np.nanvar, "mean", nan_variance_about)
option_as_argument(np.nanstd, "mean", nan_deviation_about)
option_as_argument(np.sum, "initial", sum_from)
option_as_argument(np.add.reduce, "initial", sum_from)
option_as_argument(np.prod, "initial", prod_from)
option_as_argument(np.multiply.reduce, "initial", prod_from)
option_as_argument(np.nansum, "initial", nansum_from)
option_as_argument(np.nanprod, "initial", nanprod_from)
option_as_argument(np.max, "initial", max_from)
option_as_argument(np.maximum.reduce, "initial", max_from)
option_as_argument(np.min, "initial", min_from)
option_as_argument(np.minimum.reduce, "initial", min_from)
option_as_argument(np.fmax.reduce, "initial", nanmax_from)
option_as_argument(np.fmin.reduce, "initial", nanmin_from)
option_as_argument(np.nanmax, "initial", nanmax_from)
option_as_argument(np.nanmin, "initial", nanmin_from)
option_as_argument(np.unwrap, "period", unwrap_by)
option_as_argument(np.pad, "constant_values", pad_with)
option_as_argument(np.pad, "end_values", pad_with)


# Sums and products that start from a number


@formula(sum_from)
def sum_from_(x, initial, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = initial plus the sum of x over some axes."""
    z = sum_from(x, initial, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        thin = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        wide = np.broadcast_to(thin, x.shape)
        x_bar = wide if where is True else np.where(where, wide, 0)
        return x_bar if dtype is None else cast_like(x_bar, x), np.sum(z_bar)

    def tangent(x_dot, initial_dot):
        return sum_from(x_dot, initial_dot, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    return z, backward, tangent


@formula(prod_from)
def prod_from_(x, initial, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = initial times the product of x over some axes."""
    z = prod_from(x, initial, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        factors = x if where is True else np.where(where, x, 1)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        total = initial * wide * product_of_others(factors, axis=axis)
        x_bar = total if where is True else np.where(where, total, 0)
        initial_bar = np.sum(z_bar * np.prod(factors, axis=axis, keepdims=keepdims))
        return x_bar if dtype is None else cast_like(x_bar, x), initial_bar

    return z, backward


@formula(nansum_from)
def nansum_from_(x, initial, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = initial plus the sum of what is no nan in x, over some axes."""
    z = nansum_from(x, initial, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        x_bar = np.where(~np.isnan(x) & where, wide, 0)
        return x_bar if dtype is None else cast_like(x_bar, x), np.sum(z_bar)

    return z, backward


@formula(nanprod_from)
def nanprod_from_(x, initial, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = initial times the product of what is no nan in x, over some axes."""
    z = nanprod_from(x, initial, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) & where
        factors = np.where(counted, x, 1)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        total = initial * wide * product_of_others(factors, axis=axis)
        x_bar = np.where(counted, total, 0)
        initial_bar = np.sum(z_bar * np.prod(factors, axis=axis, keepdims=keepdims))
        return x_bar if dtype is None else cast_like(x_bar, x), initial_bar

    return z, backward


# Extrema that start from a number


@formula(max_from, min_from, nanmax_from, nanmin_from)
def extremum_from(x, initial, *, axis=None, keepdims=False, where=True):
    """z = the largest or smallest of initial and the entries along some axes.

    Ties share evenly; what is nan has no share where NumPy leaves it out.
    """
    z = primal(x, initial, axis=axis, keepdims=keepdims, where=where)

    def backward(z_bar):
        wide = z if axis is None or keepdims else np.expand_dims(z, axis)
        wide_bar = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        ties = (x == wide) & where
        own = wide == initial
        share = wide_bar / (np.sum(ties, axis=axis, keepdims=True, dtype=z.dtype) + own)
        return share * ties, np.sum(share * own)

    return z, backward


# Periods and borders


@formula(unwrap_by)
def unwrap_by_(x, period, *, discont=None, axis=-1):
    """z = x plus whole periods, which keep neighbours close; slope 1 in x."""
    z = unwrap_by(x, period, discont=discont, axis=axis)

    def backward(z_bar):
        return z_bar, unbroadcast(z_bar * np.round((z - x) / period), period)

    return z, backward


@formula(pad_with)
def pad_with_(x, values, *, pad_width, mode="constant"):
    """z = x with a border of the values, or of ramps that end in them."""
    z = pad_with(x, values, pad_width=pad_width, mode=mode)

    def backward(z_bar):
        if mode == "linear_ramp":
            x_bar = padding_transpose(z_bar, x, pad_width, mode=mode)
        else:
            x_bar = z_bar[unpadded(pad_width, x.ndim)]
        return x_bar, border_transpose(z_bar, x, values, pad_width, mode=mode)

    def tangent(x_dot, values_dot):
        return pad_with(x_dot, values_dot, pad_width=pad_width, mode=mode)

    return z, backward, tangent


@formula(border_transpose, linear="z_bar")
def border_transpose_(z_bar, x, values, pad_width, *, mode):
    """w = the transpose of ``pad_with`` in its values, applied to z_bar."""
    w = border_transpose(z_bar, x, values, pad_width, mode=mode)

    def backward(w_bar):
        within = np.zeros_like(x, dtype=np.result_type(x, z_bar))
        z_bar_bar = pad_with(within, w_bar, pad_width=pad_width, mode=mode)
        return z_bar_bar, None, None, None

    return w, backward
