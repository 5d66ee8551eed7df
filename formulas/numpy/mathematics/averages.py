"""Derivatives of NumPy's averages and variances."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import (
    all_axes_but,
    is_ascending,
    order_of_axes,
    places_of_axes,
    require_ascending,
)

from srcgrad.registry import formula
from srcgrad.runtime import cast_like, unbroadcast
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.numpy.variances import (
    deviation_about,
    nan_deviation_about,
    nan_variance_about,
    variance_about,
)


@formula(np.mean, linear="x")
def mean(x, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = mean of x over some axes."""
    z = np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        if where is not True:
            counted = np.broadcast_to(where, x.shape)
            count = np.sum(counted, axis=axis, keepdims=True, dtype=x.dtype)
            wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
            x_bar = np.where(counted, wide / count, 0)
        elif axis is None:
            x_bar = np.broadcast_to(z_bar / x.size, x.shape)
        else:
            if isinstance(axis, int):
                count = x.shape[axis]
            elif isinstance(axis, tuple) and len(axis) == 2:
                count = x.shape[axis[0]] * x.shape[axis[1]]
            else:
                count = x.size // max(z.size, 1)
            share = z_bar / count if keepdims else np.expand_dims(z_bar / count, axis)
            x_bar = np.broadcast_to(share, x.shape)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.average, sequences="axis")
def average(x, axis=None, weights=None, *, returned=False, keepdims=False):
    """z = weighted mean of x over some axes, and perhaps the sums of the weights.

    Weights with fewer axes than x are those of the entries along the axes, in their order.
    """
    z = np.average(x, axis=axis, weights=weights, returned=returned, keepdims=keepdims)

    def backward(z_bar):
        if returned:
            mean = z[0]
            mean_bar = np.zeros_like(z[0]) if z_bar[0] is None else z_bar[0]
            total_bar = np.zeros_like(z[0]) if z_bar[1] is None else z_bar[1]
        else:
            mean = z
            mean_bar = z_bar
            total_bar = 0.0
        wide = mean_bar if axis is None or keepdims else np.expand_dims(mean_bar, axis)
        if weights is None:
            count = x.size if axis is None else x.size // mean.size
            x_bar = np.broadcast_to(wide / count, x.shape)
            weights_bar = None
        elif np.ndim(weights) == x.ndim:
            require_ascending(axis)
            centre = mean if axis is None or keepdims else np.expand_dims(mean, axis)
            x_bar = wide * weights / np.sum(weights, axis=axis, keepdims=True)
            weights_bar = wide * (x - centre) / np.sum(weights, axis=axis, keepdims=True)
            if returned and (axis is None or keepdims):
                weights_bar = weights_bar + total_bar
            elif returned:
                weights_bar = weights_bar + np.expand_dims(total_bar, axis)
        else:
            centre = mean if keepdims else np.expand_dims(mean, axis)
            others = all_axes_but(axis, x.ndim)
            if is_ascending(axis, x.ndim):
                share = np.expand_dims(weights / np.sum(weights), others)
                weights_bar = np.sum(wide * (x - centre), axis=others) / np.sum(weights)
            else:
                turned = np.transpose(weights, order_of_axes(axis, x.ndim))
                share = np.expand_dims(turned / np.sum(weights), others)
                pull = np.sum(wide * (x - centre), axis=others) / np.sum(weights)
                weights_bar = np.transpose(pull, places_of_axes(axis, x.ndim))
            x_bar = wide * share
            if returned:
                weights_bar = weights_bar + np.sum(total_bar)
        return x_bar, None, weights_bar

    def tangent(x_dot, axis_dot, weights_dot):
        move = np.average(x_dot, axis=axis, weights=weights, keepdims=keepdims)
        if weights is None:
            mean_dot = move
            total_dot = np.zeros_like(move)
        else:
            mean = z[0] if returned else z
            centre = mean if axis is None or keepdims else np.expand_dims(mean, axis)
            if np.ndim(weights) == x.ndim:
                require_ascending(axis)
                wide = weights_dot
                total = np.sum(weights, axis=axis, keepdims=keepdims)
                change = np.sum(weights_dot, axis=axis, keepdims=keepdims)
            else:
                others = all_axes_but(axis, x.ndim)
                if is_ascending(axis, x.ndim):
                    wide = np.expand_dims(weights_dot, others)
                else:
                    turned = np.transpose(weights_dot, order_of_axes(axis, x.ndim))
                    wide = np.expand_dims(turned, others)
                total = np.sum(weights)
                change = np.sum(weights_dot)
            mean_dot = move + np.sum(wide * (x - centre), axis=axis, keepdims=keepdims) / total
            total_dot = np.zeros_like(mean) + change
        return (mean_dot, total_dot) if returned else mean_dot

    return z, backward, tangent


@formula(np.var)
def var(x, *, axis=None, dtype=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = variance of x over some axes, the mean of |x - mean|**2, with divisor n - ddof."""
    divisor = ddof if correction is None else correction
    z = np.var(x, axis=axis, dtype=dtype, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        if where is not True:
            counted = np.broadcast_to(where, x.shape)
            count = np.sum(counted, axis=axis, keepdims=True, dtype=x.dtype)
            wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
            apart = np.where(counted, x - np.mean(x, axis=axis, keepdims=True, where=counted), 0)
            centred = np.conj(apart) if np.iscomplexobj(x) else apart
            x_bar = 2 * wide / (count - divisor) * centred
        elif axis is None:
            centred = x - np.mean(x)
            x_bar = (
                2
                * z_bar
                / (x.size - divisor)
                * (np.conj(centred) if np.iscomplexobj(x) else centred)
            )
        else:
            count = x.shape[axis] if isinstance(axis, int) else x.size // max(z.size, 1)
            scale = 2 * z_bar / (count - divisor)
            wide = scale if keepdims else np.expand_dims(scale, axis)
            centred = x - np.mean(x, axis=axis, keepdims=True)
            x_bar = wide * (np.conj(centred) if np.iscomplexobj(x) else centred)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.std)
def std(x, *, axis=None, dtype=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = standard deviation of x over some axes; slope 0 where it is 0."""
    divisor = ddof if correction is None else correction
    z = np.std(x, axis=axis, dtype=dtype, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        if where is not True:
            counted = np.broadcast_to(where, x.shape)
            count = np.sum(counted, axis=axis, keepdims=True, dtype=x.dtype)
            scale = z_bar / (z + (z == 0))
            wide = scale if axis is None or keepdims else np.expand_dims(scale, axis)
            apart = np.where(counted, x - np.mean(x, axis=axis, keepdims=True, where=counted), 0)
            centred = np.conj(apart) if np.iscomplexobj(x) else apart
            x_bar = wide / (count - divisor) * centred
        elif axis is None:
            scale = z_bar / (z + (z == 0)) / (x.size - divisor)
            centred = x - np.mean(x)
            x_bar = scale * (np.conj(centred) if np.iscomplexobj(x) else centred)
        else:
            count = x.shape[axis] if isinstance(axis, int) else x.size // max(z.size, 1)
            scale = z_bar / (z + (z == 0)) / (count - divisor)
            wide = scale if keepdims else np.expand_dims(scale, axis)
            centred = x - np.mean(x, axis=axis, keepdims=True)
            x_bar = wide * (np.conj(centred) if np.iscomplexobj(x) else centred)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(variance_about)
def variance_about_(x, mean, *, axis=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = sum of |x - mean|**2 over some axes, by n - ddof, for a mean that is given."""
    divisor = ddof if correction is None else correction
    z = variance_about(x, mean, axis=axis, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = np.broadcast_to(where, x.shape)
        count = np.sum(counted, axis=axis, keepdims=True, dtype=as_floats(x).dtype)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        apart = np.where(counted, x - mean, 0)
        centred = np.conj(apart) if np.iscomplexobj(x) else apart
        x_bar = 2 * wide / (count - divisor) * centred
        return x_bar, unbroadcast(-x_bar, mean)

    return z, backward


@formula(deviation_about)
def deviation_about_(x, mean, *, axis=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = square root of ``variance_about``; slope 0 where it is 0."""
    divisor = ddof if correction is None else correction
    z = deviation_about(x, mean, axis=axis, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = np.broadcast_to(where, x.shape)
        count = np.sum(counted, axis=axis, keepdims=True, dtype=as_floats(x).dtype)
        scale = z_bar / (z + (z == 0))
        wide = scale if axis is None or keepdims else np.expand_dims(scale, axis)
        apart = np.where(counted, x - mean, 0)
        centred = np.conj(apart) if np.iscomplexobj(x) else apart
        x_bar = wide / (count - divisor) * centred
        return x_bar, unbroadcast(-x_bar, mean)

    return z, backward


@formula(nan_variance_about)
def nan_variance_about_(x, mean, *, axis=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = sum of |x - mean|**2 of what is no nan in x, by n - ddof, for a mean that is given."""
    divisor = ddof if correction is None else correction
    z = nan_variance_about(x, mean, axis=axis, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) & where
        count = np.sum(counted, axis=axis, keepdims=True, dtype=z.dtype)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        apart = np.conj(x - mean) if np.iscomplexobj(x) else x - mean
        x_bar = np.where(counted, 2 * wide / (count - divisor) * apart, 0)
        return x_bar, unbroadcast(-x_bar, mean)

    return z, backward


@formula(nan_deviation_about)
def nan_deviation_about_(
    x, mean, *, axis=None, ddof=0, keepdims=False, where=True, correction=None
):
    """z = square root of ``nan_variance_about``; slope 0 where it is 0."""
    divisor = ddof if correction is None else correction
    z = nan_deviation_about(x, mean, axis=axis, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) & where
        count = np.sum(counted, axis=axis, keepdims=True, dtype=z.dtype)
        scale = z_bar / (z + (z == 0))
        wide = scale if axis is None or keepdims else np.expand_dims(scale, axis)
        apart = np.conj(x - mean) if np.iscomplexobj(x) else x - mean
        x_bar = np.where(counted, wide / (count - divisor) * apart, 0)
        return x_bar, unbroadcast(-x_bar, mean)

    return z, backward


@formula(np.nanmean)
def nanmean(x, *, axis=None, dtype=None, keepdims=False, where=True):
    """z = mean of what is no nan in x, over some axes."""
    z = np.nanmean(x, axis=axis, dtype=dtype, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) if where is True else ~np.isnan(x) & where
        count = np.sum(counted, axis=axis, keepdims=True, dtype=z.dtype)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        x_bar = np.where(counted, wide / count, 0)
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.nanvar)
def nanvar(x, *, axis=None, dtype=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = variance of what is no nan in x, over some axes."""
    divisor = ddof if correction is None else correction
    z = np.nanvar(x, axis=axis, dtype=dtype, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) if where is True else ~np.isnan(x) & where
        count = np.sum(counted, axis=axis, keepdims=True, dtype=z.dtype)
        wide = z_bar if axis is None or keepdims else np.expand_dims(z_bar, axis)
        if where is True:
            centre = np.nanmean(x, axis=axis, keepdims=True)
        else:
            centre = np.nanmean(x, axis=axis, keepdims=True, where=where)
        centred = np.where(counted, x - centre, 0)
        slope = np.conj(centred) if np.iscomplexobj(x) else centred
        x_bar = 2 * wide / (count - divisor) * slope
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward


@formula(np.nanstd)
def nanstd(x, *, axis=None, dtype=None, ddof=0, keepdims=False, where=True, correction=None):
    """z = standard deviation of what is no nan in x; slope 0 where it is 0."""
    divisor = ddof if correction is None else correction
    z = np.nanstd(x, axis=axis, dtype=dtype, ddof=divisor, keepdims=keepdims, where=where)

    def backward(z_bar):
        counted = ~np.isnan(x) if where is True else ~np.isnan(x) & where
        count = np.sum(counted, axis=axis, keepdims=True, dtype=z.dtype)
        scale = z_bar / (z + (z == 0))
        wide = scale if axis is None or keepdims else np.expand_dims(scale, axis)
        if where is True:
            centre = np.nanmean(x, axis=axis, keepdims=True)
        else:
            centre = np.nanmean(x, axis=axis, keepdims=True, where=where)
        centred = np.where(counted, x - centre, 0)
        slope = np.conj(centred) if np.iscomplexobj(x) else centred
        x_bar = wide / (count - divisor) * slope
        return x_bar if dtype is None else cast_like(x_bar, x)

    return z, backward
