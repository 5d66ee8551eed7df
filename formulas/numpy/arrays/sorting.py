"""Derivatives of NumPy's sorting, and of what it reads from sorted entries."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import all_from

from srcgrad.registry import NO_ORDER, formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.numpy.quantiles import place_ranked, read_ranked


@formula(np.sort, of_complex=NO_ORDER)
def sort(x, *, axis=-1, kind=None, stable=None):
    """z = x in ascending order along an axis, flattened if it is None.

    Where entries tie, each keeps the cotangent of the place that argsort gives it.
    """
    z = np.sort(x, axis=axis, kind=kind, stable=stable)

    def backward(z_bar):
        # the order of the order is where each entry went
        if axis is None:
            places = np.argsort(np.argsort(x, axis=None))
            x_bar = np.reshape(z_bar[places], x.shape)
        elif x.ndim == 1:
            x_bar = z_bar[np.argsort(np.argsort(x))]
        else:
            places = np.argsort(np.argsort(x, axis=axis), axis=axis)
            x_bar = np.take_along_axis(z_bar, places, axis=axis)
        return x_bar

    def tangent(x_dot):
        if axis is None:
            z_dot = np.ravel(x_dot)[np.argsort(x, axis=None)]
        elif x.ndim == 1:
            z_dot = x_dot[np.argsort(x)]
        else:
            z_dot = np.take_along_axis(x_dot, np.argsort(x, axis=axis), axis=axis)
        return z_dot

    return z, backward, tangent


@formula(np.partition, of_complex=NO_ORDER, sequences="kth")
def partition(x, kth, *, axis=-1):
    """z = x in an order in which what is before an entry kth is no larger.

    Where entries tie, each keeps the cotangent of one of their places.
    """
    z = np.partition(x, kth, axis=axis)

    def backward(z_bar):
        # an entry is found again by its rank in x and in z
        if axis is None:
            ranks = np.argsort(np.argsort(x, axis=None))
            x_bar = np.reshape(z_bar[np.argsort(z)[ranks]], x.shape)
        else:
            ranks = np.argsort(np.argsort(x, axis=axis), axis=axis)
            places = np.take_along_axis(np.argsort(z, axis=axis), ranks, axis=axis)
            x_bar = np.take_along_axis(z_bar, places, axis=axis)
        return x_bar, None

    return z, backward


@formula(np.quantile, of_complex=NO_ORDER)
def quantile(x, q, *, axis=None, method="linear", keepdims=False, weights=None):
    """z = the quantiles of x; at a jump of the slope in q, the slope above."""
    z = np.quantile(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)

    def backward(z_bar):
        x_bar = place_ranked(
            z_bar, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights
        )
        slope = read_ranked(
            as_floats(x),
            x,
            q,
            axis=axis,
            method=method,
            keepdims=keepdims,
            weights=weights,
            slope=True,
        )
        return x_bar, np.sum(z_bar * slope, axis=all_from(np.ndim(q), z.ndim))

    return z, backward


@formula(np.percentile, of_complex=NO_ORDER)
def percentile(x, q, *, axis=None, method="linear", keepdims=False, weights=None):
    """z = the percentiles of x; at a jump of the slope in q, the slope above."""
    z = np.percentile(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)

    def backward(z_bar):
        x_bar = place_ranked(
            z_bar, x, q / 100, axis=axis, method=method, keepdims=keepdims, weights=weights
        )
        slope = read_ranked(
            as_floats(x),
            x,
            q / 100,
            axis=axis,
            method=method,
            keepdims=keepdims,
            weights=weights,
            slope=True,
        )
        return x_bar, np.sum(z_bar * slope, axis=all_from(np.ndim(q), z.ndim)) / 100

    return z, backward


@formula(np.median, of_complex=NO_ORDER)
def median(x, *, axis=None, keepdims=False):
    """z = the middle entry of x, or the mean of the two middle ones."""
    z = np.median(x, axis=axis, keepdims=keepdims)
    return z, lambda z_bar: place_ranked(z_bar, x, 0.5, axis=axis, keepdims=keepdims)


@formula(np.nanquantile, of_complex=NO_ORDER)
def nanquantile(x, q, *, axis=None, method="linear", keepdims=False, weights=None):
    """z = the quantiles of what is no nan in x; slope 0 in nan."""
    z = np.nanquantile(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)

    def backward(z_bar):
        x_bar = place_ranked(
            z_bar, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights
        )
        slope = read_ranked(
            as_floats(x),
            x,
            q,
            axis=axis,
            method=method,
            keepdims=keepdims,
            weights=weights,
            slope=True,
        )
        return x_bar, np.sum(z_bar * slope, axis=all_from(np.ndim(q), z.ndim))

    return z, backward


@formula(np.nanpercentile, of_complex=NO_ORDER)
def nanpercentile(x, q, *, axis=None, method="linear", keepdims=False, weights=None):
    """z = the percentiles of what is no nan in x; slope 0 in nan."""
    z = np.nanpercentile(x, q, axis=axis, method=method, keepdims=keepdims, weights=weights)

    def backward(z_bar):
        x_bar = place_ranked(
            z_bar, x, q / 100, axis=axis, method=method, keepdims=keepdims, weights=weights
        )
        slope = read_ranked(
            as_floats(x),
            x,
            q / 100,
            axis=axis,
            method=method,
            keepdims=keepdims,
            weights=weights,
            slope=True,
        )
        return x_bar, np.sum(z_bar * slope, axis=all_from(np.ndim(q), z.ndim)) / 100

    return z, backward


@formula(np.nanmedian, of_complex=NO_ORDER)
def nanmedian(x, *, axis=None, keepdims=False):
    """z = the middle of what is no nan in x; slope 0 in nan."""
    z = np.nanmedian(x, axis=axis, keepdims=keepdims)
    return z, lambda z_bar: place_ranked(z_bar, x, 0.5, axis=axis, keepdims=keepdims)


@formula(read_ranked, of_complex=NO_ORDER)
def read_ranked_(
    values, x, q, *, axis=None, method="linear", keepdims=False, slope=False, weights=None
):
    """z = the values that belong to the entries of x that quantiles are read from."""
    z = read_ranked(
        values, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights, slope=slope
    )

    def backward(z_bar):
        values_bar = place_ranked(
            z_bar, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights, slope=slope
        )
        if slope:
            q_bar = None
        else:
            step = read_ranked(
                values,
                x,
                q,
                axis=axis,
                method=method,
                keepdims=keepdims,
                weights=weights,
                slope=True,
            )
            q_bar = np.sum(z_bar * step, axis=all_from(np.ndim(q), z.ndim))
        return values_bar, None, q_bar

    return z, backward


@formula(place_ranked, of_complex=NO_ORDER, shaped_like=1)
def place_ranked_(
    z_bar, x, q, *, axis=None, method="linear", keepdims=False, slope=False, weights=None
):
    """w = zeros like x, with z_bar at the entries that quantiles are read from."""
    w = place_ranked(
        z_bar, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights, slope=slope
    )

    def backward(w_bar):
        z_bar_bar = read_ranked(
            w_bar, x, q, axis=axis, method=method, keepdims=keepdims, weights=weights, slope=slope
        )
        if slope:
            q_bar = None
        else:
            step = read_ranked(
                w_bar,
                x,
                q,
                axis=axis,
                method=method,
                keepdims=keepdims,
                weights=weights,
                slope=True,
            )
            q_bar = np.sum(z_bar * step, axis=all_from(np.ndim(q), np.ndim(z_bar)))
        return z_bar_bar, None, q_bar

    return w, backward
