"""Derivatives of SciPy's linear filters in the value beyond the edges, too.

A call in which ``cval`` is differentiated is a call of one of these; see ``filters``.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from srcgrad.registry import formula, option_as_argument
from srcgrad.runtime.scipy.ndimage.images import (
    convolve1d_beyond,
    convolve_beyond,
    correlate1d_beyond,
    correlate_beyond,
    filter_slopes,
    filter_transpose,
    require_reals,
)

option_as_argument(ndimage.convolve, "cval", convolve_beyond)
option_as_argument(ndimage.correlate, "cval", correlate_beyond)
option_as_argument(ndimage.convolve1d, "cval", convolve1d_beyond)
option_as_argument(ndimage.correlate1d, "cval", correlate1d_beyond)


@formula(convolve_beyond, shaped_like=0)
def convolve_beyond_(input, weights, cval, *, mode="reflect", origin=0, axes=None):
    """z = ``scipy.ndimage.convolve``, with cval beyond the edges."""
    z = convolve_beyond(input, weights, cval, mode=mode, origin=origin, axes=axes)

    def backward(z_bar):
        input_bar = filter_transpose(
            z_bar, weights, mode=mode, origin=origin, turned=True, axes=axes
        )
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, turned=True, axes=axes
        )
        nothing = np.zeros_like(input)
        parts = ndimage.convolve(nothing, weights, mode=mode, cval=1.0, origin=origin, axes=axes)
        return input_bar, weights_bar, np.sum(z_bar * parts)

    def tangent(input_dot, weights_dot, cval_dot):
        moved = convolve_beyond(input_dot, weights, cval_dot, mode=mode, origin=origin, axes=axes)
        return moved + convolve_beyond(
            require_reals(input), weights_dot, cval, mode=mode, origin=origin, axes=axes
        )

    return z, backward, tangent


@formula(correlate_beyond, shaped_like=0)
def correlate_beyond_(input, weights, cval, *, mode="reflect", origin=0, axes=None):
    """z = ``scipy.ndimage.correlate``, with cval beyond the edges."""
    z = correlate_beyond(input, weights, cval, mode=mode, origin=origin, axes=axes)

    def backward(z_bar):
        input_bar = filter_transpose(z_bar, weights, mode=mode, origin=origin, axes=axes)
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, axes=axes
        )
        nothing = np.zeros_like(input)
        parts = ndimage.correlate(nothing, weights, mode=mode, cval=1.0, origin=origin, axes=axes)
        return input_bar, weights_bar, np.sum(z_bar * parts)

    def tangent(input_dot, weights_dot, cval_dot):
        moved = correlate_beyond(input_dot, weights, cval_dot, mode=mode, origin=origin, axes=axes)
        return moved + correlate_beyond(
            require_reals(input), weights_dot, cval, mode=mode, origin=origin, axes=axes
        )

    return z, backward, tangent


@formula(convolve1d_beyond, shaped_like=0)
def convolve1d_beyond_(input, weights, cval, *, axis=-1, mode="reflect", origin=0):
    """z = ``scipy.ndimage.convolve1d``, with cval beyond the ends."""
    z = convolve1d_beyond(input, weights, cval, axis=axis, mode=mode, origin=origin)

    def backward(z_bar):
        input_bar = filter_transpose(
            z_bar, weights, mode=mode, origin=origin, turned=True, axes=(axis,)
        )
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, turned=True, axes=(axis,)
        )
        nothing = np.zeros_like(input)
        parts = ndimage.convolve1d(nothing, weights, axis=axis, mode=mode, cval=1.0, origin=origin)
        return input_bar, weights_bar, np.sum(z_bar * parts)

    def tangent(input_dot, weights_dot, cval_dot):
        moved = convolve1d_beyond(input_dot, weights, cval_dot, axis=axis, mode=mode, origin=origin)
        return moved + convolve1d_beyond(
            require_reals(input), weights_dot, cval, axis=axis, mode=mode, origin=origin
        )

    return z, backward, tangent


@formula(correlate1d_beyond, shaped_like=0)
def correlate1d_beyond_(input, weights, cval, *, axis=-1, mode="reflect", origin=0):
    """z = ``scipy.ndimage.correlate1d``, with cval beyond the ends."""
    z = correlate1d_beyond(input, weights, cval, axis=axis, mode=mode, origin=origin)

    def backward(z_bar):
        input_bar = filter_transpose(z_bar, weights, mode=mode, origin=origin, axes=(axis,))
        weights_bar = filter_slopes(
            input, z_bar, weights, cval, mode=mode, origin=origin, axes=(axis,)
        )
        nothing = np.zeros_like(input)
        parts = ndimage.correlate1d(nothing, weights, axis=axis, mode=mode, cval=1.0, origin=origin)
        return input_bar, weights_bar, np.sum(z_bar * parts)

    def tangent(input_dot, weights_dot, cval_dot):
        moved = correlate1d_beyond(
            input_dot, weights, cval_dot, axis=axis, mode=mode, origin=origin
        )
        return moved + correlate1d_beyond(
            require_reals(input), weights_dot, cval, axis=axis, mode=mode, origin=origin
        )

    return z, backward, tangent
