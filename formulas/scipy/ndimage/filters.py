"""Derivatives of SciPy's linear filters.

The derivative of a linear filter is the filter, and its transpose goes the other
way: what an entry was extended to beyond the edges goes back to it. A symmetric
filter is its own transpose in some modes of extending. The option ``output``, into
which SciPy writes, is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from srcgrad.formulas.scipy.ndimage.options import is_odd, turns_into_itself

from srcgrad.registry import formula
from srcgrad.runtime.scipy.ndimage.images import (
    convolve_beyond,
    correlate_beyond,
    edges_transpose,
    filter_slopes,
    filter_transpose,
    laplace_transpose,
    require_reals,
    uniform_transpose,
)


@formula(ndimage.convolve, of_complex=True, shaped_like=0)
def convolve(input, weights, *, mode="reflect", cval=0.0, origin=0, axes=None):
    """z[n] = sum of weights[k] input[n - k], the input extended beyond its edges."""
    z = ndimage.convolve(input, weights, mode=mode, cval=cval, origin=origin, axes=axes)

    def backward(z_bar):
        input_bar = filter_transpose(
            z_bar, weights, mode=mode, origin=origin, turned=True, axes=axes
        )
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, turned=True, axes=axes
        )
        return input_bar, weights_bar

    def tangent(input_dot, weights_dot):
        moved = ndimage.convolve(input_dot, weights, mode=mode, origin=origin, axes=axes)
        return moved + ndimage.convolve(
            require_reals(input), weights_dot, mode=mode, cval=cval, origin=origin, axes=axes
        )

    return z, backward, tangent


@formula(ndimage.correlate, shaped_like=0)
def correlate(input, weights, *, mode="reflect", cval=0.0, origin=0, axes=None):
    """z[n] = sum of weights[k] input[n + k], the input extended beyond its edges."""
    z = ndimage.correlate(input, weights, mode=mode, cval=cval, origin=origin, axes=axes)

    def backward(z_bar):
        input_bar = filter_transpose(z_bar, weights, mode=mode, origin=origin, axes=axes)
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, axes=axes
        )
        return input_bar, weights_bar

    def tangent(input_dot, weights_dot):
        moved = ndimage.correlate(input_dot, weights, mode=mode, origin=origin, axes=axes)
        return moved + ndimage.correlate(
            require_reals(input), weights_dot, mode=mode, cval=cval, origin=origin, axes=axes
        )

    return z, backward, tangent


@formula(ndimage.convolve1d, of_complex=True, shaped_like=0)
def convolve1d(input, weights, *, axis=-1, mode="reflect", cval=0.0, origin=0):
    """z[n] = sum of weights[k] input[n - k] along an axis, extended beyond its ends."""
    z = ndimage.convolve1d(input, weights, axis=axis, mode=mode, cval=cval, origin=origin)

    def backward(z_bar):
        input_bar = filter_transpose(
            z_bar, weights, mode=mode, origin=origin, turned=True, axes=(axis,)
        )
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, turned=True, axes=(axis,)
        )
        return input_bar, weights_bar

    def tangent(input_dot, weights_dot):
        moved = ndimage.convolve1d(input_dot, weights, axis=axis, mode=mode, origin=origin)
        return moved + ndimage.convolve1d(
            require_reals(input), weights_dot, axis=axis, mode=mode, cval=cval, origin=origin
        )

    return z, backward, tangent


@formula(ndimage.correlate1d, shaped_like=0)
def correlate1d(input, weights, *, axis=-1, mode="reflect", cval=0.0, origin=0):
    """z[n] = sum of weights[k] input[n + k] along an axis, extended beyond its ends."""
    z = ndimage.correlate1d(input, weights, axis=axis, mode=mode, cval=cval, origin=origin)

    def backward(z_bar):
        input_bar = filter_transpose(z_bar, weights, mode=mode, origin=origin, axes=(axis,))
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, axes=(axis,)
        )
        return input_bar, weights_bar

    def tangent(input_dot, weights_dot):
        moved = ndimage.correlate1d(input_dot, weights, axis=axis, mode=mode, origin=origin)
        return moved + ndimage.correlate1d(
            require_reals(input), weights_dot, axis=axis, mode=mode, cval=cval, origin=origin
        )

    return z, backward, tangent


@formula(filter_transpose, linear="z_bar weights", of_complex=True, shaped_like=0)
def filter_transpose_(z_bar, weights, *, mode="reflect", origin=0, turned=False, axes=None):
    """w = the transpose of a filter, applied to z_bar."""
    w = filter_transpose(z_bar, weights, mode=mode, origin=origin, turned=turned, axes=axes)

    def backward(w_bar):
        if turned:
            z_bar_bar = ndimage.convolve(w_bar, weights, mode=mode, origin=origin, axes=axes)
        else:
            z_bar_bar = ndimage.correlate(w_bar, weights, mode=mode, origin=origin, axes=axes)
        weights_bar = filter_slopes(
            w_bar, z_bar, weights, mode=mode, origin=origin, turned=turned, axes=axes
        )
        return z_bar_bar, weights_bar

    return w, backward


@formula(filter_slopes, of_complex=True, shaped_like=2)
def filter_slopes_(
    x, z_bar, weights, cval=0.0, *, mode="reflect", origin=0, turned=False, axes=None
):
    """w = the slopes of a filter of x in its weights, summed with z_bar."""
    w = filter_slopes(x, z_bar, weights, cval, mode=mode, origin=origin, turned=turned, axes=axes)

    def backward(w_bar):
        x_bar = filter_transpose(z_bar, w_bar, mode=mode, origin=origin, turned=turned, axes=axes)
        nothing = np.zeros_like(x)
        if turned:
            z_bar_bar = convolve_beyond(x, w_bar, cval, mode=mode, origin=origin, axes=axes)
            parts = convolve_beyond(nothing, w_bar, 1.0, mode=mode, origin=origin, axes=axes)
        else:
            z_bar_bar = correlate_beyond(x, w_bar, cval, mode=mode, origin=origin, axes=axes)
            parts = correlate_beyond(nothing, w_bar, 1.0, mode=mode, origin=origin, axes=axes)
        return x_bar, z_bar_bar, None, np.sum(z_bar * parts)

    def tangent(x_dot, z_bar_dot, weights_dot, cval_dot):
        moved = filter_slopes(
            x_dot, z_bar, weights, cval_dot, mode=mode, origin=origin, turned=turned, axes=axes
        )
        return moved + filter_slopes(
            x, z_bar_dot, weights, cval, mode=mode, origin=origin, turned=turned, axes=axes
        )

    return w, backward, tangent


@formula(ndimage.uniform_filter1d, of_complex=True, sequences="size")
def uniform_filter1d(input, size, *, axis=-1, mode="reflect", cval=0.0, origin=0):
    """z = means of input over windows of some size along an axis."""
    z = ndimage.uniform_filter1d(input, size, axis=axis, mode=mode, cval=cval, origin=origin)

    def backward(z_bar):
        if is_odd(size) and turns_into_itself(mode, origin):
            input_bar = ndimage.uniform_filter1d(z_bar, size, axis=axis, mode=mode)
        else:
            input_bar = uniform_transpose(z_bar, size, mode=mode, origin=origin, axes=axis)
        return input_bar, None

    return z, backward


@formula(ndimage.uniform_filter, of_complex=True, sequences="size")
def uniform_filter(input, size=3, *, mode="reflect", cval=0.0, origin=0, axes=None):
    """z = means of input over windows of some size."""
    z = ndimage.uniform_filter(input, size, mode=mode, cval=cval, origin=origin, axes=axes)

    def backward(z_bar):
        if is_odd(size) and turns_into_itself(mode, origin):
            input_bar = ndimage.uniform_filter(z_bar, size, mode=mode, axes=axes)
        else:
            input_bar = uniform_transpose(z_bar, size, mode=mode, origin=origin, axes=axes)
        return input_bar, None

    return z, backward


@formula(uniform_transpose, linear="z_bar")
def uniform_transpose_(z_bar, size=3, *, mode="reflect", origin=0, axes=None):
    """w = the transpose of ``uniform_filter``, applied to z_bar."""
    w = uniform_transpose(z_bar, size, mode=mode, origin=origin, axes=axes)

    def backward(w_bar):
        return ndimage.uniform_filter(w_bar, size, mode=mode, origin=origin, axes=axes), None

    return w, backward


@formula(ndimage.prewitt, of_complex=True)
def prewitt(input, *, axis=-1, mode="reflect", cval=0.0):
    """z = differences of input along an axis, summed over three along the others."""
    z = ndimage.prewitt(input, axis=axis, mode=mode, cval=cval)

    def backward(z_bar):
        return edges_transpose(z_bar, axis=axis, mode=mode, middle=1)

    return z, backward


@formula(ndimage.sobel, of_complex=True)
def sobel(input, *, axis=-1, mode="reflect", cval=0.0):
    """z = differences of input along an axis, with sums weighted 1, 2, 1 along the others."""
    z = ndimage.sobel(input, axis=axis, mode=mode, cval=cval)

    def backward(z_bar):
        return edges_transpose(z_bar, axis=axis, mode=mode)

    return z, backward


@formula(edges_transpose, linear="z_bar", of_complex=True)
def edges_transpose_(z_bar, *, axis=-1, mode="reflect", middle=2):
    """w = the transpose of ``sobel``, or of ``prewitt``, applied to z_bar."""
    w = edges_transpose(z_bar, axis=axis, mode=mode, middle=middle)

    def backward(w_bar):
        if middle == 2:
            z_bar_bar = ndimage.sobel(w_bar, axis=axis, mode=mode)
        else:
            z_bar_bar = ndimage.prewitt(w_bar, axis=axis, mode=mode)
        return z_bar_bar

    return w, backward


@formula(ndimage.laplace, of_complex=True)
def laplace(input, *, mode="reflect", cval=0.0):
    """z = sum of second differences of input along all axes."""
    z = ndimage.laplace(input, mode=mode, cval=cval)

    def backward(z_bar):
        if turns_into_itself(mode):
            input_bar = ndimage.laplace(z_bar, mode=mode)
        else:
            input_bar = laplace_transpose(z_bar, mode=mode)
        return input_bar

    return z, backward


@formula(laplace_transpose, linear="z_bar")
def laplace_transpose_(z_bar, *, mode="reflect"):
    """w = the transpose of ``laplace``, applied to z_bar."""
    w = laplace_transpose(z_bar, mode=mode)

    def backward(w_bar):
        return ndimage.laplace(w_bar, mode=mode)

    return w, backward


@formula(require_reals, of_complex=True)
def require_reals_(x):
    """w = x, an image of real numbers."""
    return require_reals(x), lambda w_bar: w_bar
