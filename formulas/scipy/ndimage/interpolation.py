"""Derivatives of SciPy's interpolation of images.

A spline of any order is linear in the image, and its slope is one of an order less:
M. Unser, A. Aldroubi, M. Eden, "B-spline signal processing", 1993.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from srcgrad.formulas.numpy.arrays.axes import following

from srcgrad.registry import formula, option_as_argument
from srcgrad.runtime.scipy.ndimage.samples import sample_slopes, samples_beyond, samples_transpose

option_as_argument(ndimage.map_coordinates, "cval", samples_beyond)


@formula(ndimage.map_coordinates)
def map_coordinates(input, coordinates, *, order=3, mode="constant", cval=0.0, prefilter=True):
    """z = input, read at points between its entries.

    Where the slope in the coordinates jumps, at the edge of a cell in the order 1, it is
    that within the next one; in the order 0, and outside of the input in the mode
    "constant", it is 0.
    """
    z = ndimage.map_coordinates(
        input, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
    )

    def backward(z_bar):
        input_bar = samples_transpose(
            z_bar, input, coordinates, order=order, mode=mode, prefilter=prefilter
        )
        slopes = sample_slopes(
            input, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
        )
        return input_bar, z_bar * slopes

    def tangent(input_dot, coordinates_dot):
        moved = ndimage.map_coordinates(
            input_dot, coordinates, order=order, mode=mode, prefilter=prefilter
        )
        slopes = sample_slopes(
            input, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
        )
        return moved + np.sum(coordinates_dot * slopes, axis=0)

    return z, backward, tangent


@formula(samples_beyond)
def samples_beyond_(input, coordinates, cval, *, order=3, mode="constant", prefilter=True):
    """z = input, read at points, with cval beyond its edges; see ``map_coordinates``."""
    z = samples_beyond(input, coordinates, cval, order=order, mode=mode, prefilter=prefilter)

    def backward(z_bar):
        input_bar = samples_transpose(
            z_bar, input, coordinates, order=order, mode=mode, prefilter=prefilter
        )
        slopes = sample_slopes(
            input, coordinates, cval, order=order, mode=mode, prefilter=prefilter
        )
        nothing = np.zeros_like(input)
        parts = ndimage.map_coordinates(
            nothing, coordinates, order=order, mode=mode, cval=1.0, prefilter=prefilter
        )
        return input_bar, z_bar * slopes, np.sum(z_bar * parts)

    def tangent(input_dot, coordinates_dot, cval_dot):
        moved = samples_beyond(
            input_dot, coordinates, cval_dot, order=order, mode=mode, prefilter=prefilter
        )
        slopes = sample_slopes(
            input, coordinates, cval, order=order, mode=mode, prefilter=prefilter
        )
        return moved + np.sum(coordinates_dot * slopes, axis=0)

    return z, backward, tangent


@formula(sample_slopes)
def sample_slopes_(
    input, coordinates, cval=0.0, *, order=3, mode="constant", prefilter=True, times=1
):
    """w = derivatives of ``map_coordinates`` in the coordinates."""
    w = sample_slopes(
        input, coordinates, cval, order=order, mode=mode, prefilter=prefilter, times=times
    )

    def backward(w_bar):
        input_bar = samples_transpose(
            w_bar, input, coordinates, order=order, mode=mode, prefilter=prefilter, times=times
        )
        slopes = sample_slopes(
            input, coordinates, cval, order=order, mode=mode, prefilter=prefilter, times=times + 1
        )
        nothing = np.zeros_like(input)
        parts = sample_slopes(
            nothing, coordinates, 1.0, order=order, mode=mode, prefilter=prefilter, times=times
        )
        coordinates_bar = np.sum(w_bar * slopes, axis=following(1, times))
        return input_bar, coordinates_bar, np.sum(w_bar * parts)

    def tangent(input_dot, coordinates_dot, cval_dot):
        moved = sample_slopes(
            input_dot, coordinates, cval_dot, order=order, mode=mode, prefilter=prefilter,
            times=times,
        )  # fmt: skip
        slopes = sample_slopes(
            input, coordinates, cval, order=order, mode=mode, prefilter=prefilter, times=times + 1
        )
        along = np.expand_dims(coordinates_dot, following(1, times))
        return moved + np.sum(along * slopes, axis=0)

    return w, backward, tangent


@formula(samples_transpose, shaped_like=1)
def samples_transpose_(
    z_bar, input, coordinates, *, order=3, mode="constant", prefilter=True, times=0
):
    """w = the transpose of samples, or of ``sample_slopes``, applied to z_bar."""
    w = samples_transpose(
        z_bar, input, coordinates, order=order, mode=mode, prefilter=prefilter, times=times
    )

    def backward(w_bar):
        z_bar_bar = sample_slopes(
            w_bar, coordinates, order=order, mode=mode, prefilter=prefilter, times=times
        )
        slopes = sample_slopes(
            w_bar, coordinates, order=order, mode=mode, prefilter=prefilter, times=times + 1
        )
        if times == 0:
            coordinates_bar = z_bar * slopes
        else:
            coordinates_bar = np.sum(z_bar * slopes, axis=following(1, times))
        return z_bar_bar, None, coordinates_bar

    def tangent(z_bar_dot, input_dot, coordinates_dot):
        moved = samples_transpose(
            z_bar_dot, input, coordinates, order=order, mode=mode, prefilter=prefilter, times=times
        )
        if times == 0:
            along = coordinates_dot * z_bar
        else:
            along = np.expand_dims(coordinates_dot, following(1, times)) * z_bar
        return moved + samples_transpose(
            along, input, coordinates, order=order, mode=mode, prefilter=prefilter, times=times + 1
        )

    return w, backward, tangent
