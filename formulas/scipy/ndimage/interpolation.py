"""Derivatives of SciPy's interpolation of images."""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from srcgrad.formulas.numpy.axes import following
from srcgrad.formulas.scipy.ndimage.options import require_linear

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import place_flat
from srcgrad.runtime.images import sample_places, sample_weights


@formula(ndimage.map_coordinates)
def map_coordinates(input, coordinates, *, order=3, mode="constant", cval=0.0, prefilter=True):
    """z = input, read at points between its entries, in the order 0 or 1.

    At the edge of a cell, the slope in the coordinates is that within the next one;
    in the order 0, and outside of the input in the mode "constant", it is 0.
    """
    z = ndimage.map_coordinates(
        input, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
    )

    def backward(z_bar):
        require_linear(order)
        entries = np.pad(np.ravel(input), (0, 1), constant_values=cval)
        places = sample_places(coordinates, input.shape, mode=mode, order=order)
        if order == 0:
            entries_bar = place_flat(z_bar, places[0], entries)
            coordinates_bar = np.zeros_like(coordinates)
        else:
            weights = sample_weights(coordinates, input.shape, mode=mode)
            entries_bar = place_flat(z_bar * weights, places, entries)
            slopes = sample_weights(coordinates, input.shape, mode=mode, times=1)
            coordinates_bar = z_bar * np.sum(slopes * np.take(entries, places), axis=1)
        return np.reshape(entries_bar[:-1], input.shape), coordinates_bar

    def tangent(input_dot, coordinates_dot):
        require_linear(order)
        z_dot = ndimage.map_coordinates(input_dot, coordinates, order=order, mode=mode)
        if order == 1:
            entries = np.pad(np.ravel(input), (0, 1), constant_values=cval)
            places = sample_places(coordinates, input.shape, mode=mode)
            slopes = sample_weights(coordinates, input.shape, mode=mode, times=1)
            pulls = np.sum(slopes * np.take(entries, places), axis=1)
            z_dot = z_dot + np.sum(coordinates_dot * pulls, axis=0)
        return z_dot

    return z, backward, tangent


@formula(sample_weights)
def sample_weights_(coordinates, shape, *, mode="constant", times=0):
    """w = the weights of the corners in linear interpolation, or their derivatives."""
    w = sample_weights(coordinates, shape, mode=mode, times=times)

    def backward(w_bar):
        slopes = sample_weights(coordinates, shape, mode=mode, times=times + 1)
        return np.sum(w_bar * slopes, axis=following(1, times + 1)), None

    return w, backward


nondifferentiable(sample_places)
