"""Derivatives of NumPy's tiling, padding, adding, removing and rearranging of entries."""

from __future__ import annotations

import inspect

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import (
    negated,
    one_axis,
    pads_oddly,
    pads_with_entries,
    pads_with_extrema,
    pads_with_sums,
    unpadded,
)

from srcgrad.registry import NO_ORDER, formula, nondifferentiable, primal
from srcgrad.runtime import (
    cast_like,
    place_along,
    place_flat,
    places_in,
    sum_repeats,
    sum_tiles,
    sum_windows,
)
from srcgrad.runtime.choosing import between_zeros, with_zeros
from srcgrad.runtime.numpy.padding import (
    odd_padding_transpose,
    pad_with_medians,
    pad_with_medians_transpose,
)
from srcgrad.runtime.transposes import padding_transpose, places_of_extrema

# Repeating and padding


@formula(np.tile, linear="x")
def tile(x, *, reps):
    """z = copies of x side by side."""
    return np.tile(x, reps), lambda z_bar: sum_tiles(z_bar, x, reps=reps)


@formula(np.repeat, linear="x")
def repeat(x, *, repeats, axis=None):
    """z = x with each entry several times in a row."""
    z = np.repeat(x, repeats, axis=axis)

    def backward(z_bar):
        return sum_repeats(z_bar, x, repeats=repeats, axis=axis)

    return z, backward


@formula(np.lib.stride_tricks.sliding_window_view, linear="x")
def sliding_window_view(x, *, window_shape, axis=None):
    """z = a view of x, with a window of a shape at each place where one fits."""
    z = np.lib.stride_tricks.sliding_window_view(x, window_shape, axis=axis)

    def backward(z_bar):
        return sum_windows(z_bar, x, window_shape=window_shape, axis=axis)

    return z, backward


@formula(np.pad)
def pad(
    x,
    *,
    pad_width,
    mode="constant",
    constant_values=0,
    end_values=0,
    stat_length=None,
    reflect_type="even",
):
    """z = x with a border: of constants, of entries of x, of means, or of ramps to constants.

    Of entries that tie for an extremum the first one has the slope. The border of
    the mode "empty" depends on nothing.
    """
    if pads_oddly(mode, reflect_type):
        z = np.pad(x, pad_width, mode=mode, reflect_type=reflect_type)
    elif mode == "median":
        z = np.pad(x, pad_width, mode=mode, stat_length=stat_length)
    elif mode == "constant":
        z = np.pad(x, pad_width, constant_values=constant_values)
    elif mode == "linear_ramp":
        z = np.pad(x, pad_width, mode=mode, end_values=end_values)
    elif mode == "mean" or pads_with_extrema(mode):
        z = np.pad(x, pad_width, mode=mode, stat_length=stat_length)
    elif mode == "empty":
        z = np.pad(x, pad_width)  # of what is in the border nothing is known
    else:
        z = np.pad(x, pad_width, mode=mode)

    def backward(z_bar):
        if pads_with_sums(mode):
            x_bar = padding_transpose(z_bar, x, pad_width, mode=mode, stat_length=stat_length)
        elif pads_with_extrema(mode):
            places = places_of_extrema(x, pad_width, mode=mode, stat_length=stat_length)
            x_bar = place_flat(z_bar, places, x)
        elif pads_with_entries(mode, reflect_type):
            x_bar = place_flat(z_bar, np.pad(places_in(x), pad_width, mode=mode), x)
        elif pads_oddly(mode, reflect_type):
            x_bar = odd_padding_transpose(z_bar, x, pad_width, mode=mode)
        elif mode == "median":
            x_bar = pad_with_medians_transpose(z_bar, x, pad_width, stat_length=stat_length)
        else:
            x_bar = z_bar[unpadded(pad_width, x.ndim)]
        return x_bar

    def tangent(x_dot):
        if mode == "constant" or mode == "empty":
            z_dot = np.pad(x_dot, pad_width)
        elif pads_with_extrema(mode):
            places = places_of_extrema(x, pad_width, mode=mode, stat_length=stat_length)
            z_dot = np.take(x_dot, places)
        elif mode == "mean":
            z_dot = np.pad(x_dot, pad_width, mode=mode, stat_length=stat_length)
        elif mode == "median":
            z_dot = pad_with_medians(x_dot, x, pad_width, stat_length=stat_length)
        elif pads_oddly(mode, reflect_type):
            z_dot = np.pad(x_dot, pad_width, mode=mode, reflect_type=reflect_type)
        else:
            z_dot = np.pad(x_dot, pad_width, mode=mode)
        return z_dot

    return z, backward, tangent


@formula(padding_transpose, linear="z_bar")
def padding_transpose_(z_bar, x, pad_width, *, mode, stat_length=None):
    """w = the transpose of ``np.pad``, applied to z_bar."""
    w = padding_transpose(z_bar, x, pad_width, mode=mode, stat_length=stat_length)

    def backward(w_bar):
        if mode == "mean":
            z_bar_bar = np.pad(w_bar, pad_width, mode=mode, stat_length=stat_length)
        else:
            z_bar_bar = np.pad(w_bar, pad_width, mode=mode)
        return z_bar_bar, None, None

    return w, backward


nondifferentiable(places_of_extrema)


@formula(odd_padding_transpose, linear="z_bar")
def odd_padding_transpose_(z_bar, x, pad_width, *, mode):
    """w = the transpose of ``np.pad`` with reflect_type="odd", applied to z_bar."""
    w = odd_padding_transpose(z_bar, x, pad_width, mode=mode)

    def backward(w_bar):
        return np.pad(w_bar, pad_width, mode=mode, reflect_type="odd"), None, None

    return w, backward


@formula(pad_with_medians, linear="x_dot")
def pad_with_medians_(x_dot, x, pad_width, *, stat_length=None):
    """z_dot = the tangent of ``np.pad`` with the mode "median"."""
    z_dot = pad_with_medians(x_dot, x, pad_width, stat_length=stat_length)

    def backward(z_bar):
        x_bar = pad_with_medians_transpose(z_bar, x, pad_width, stat_length=stat_length)
        return x_bar, None, None

    return z_dot, backward


@formula(pad_with_medians_transpose, linear="z_bar")
def pad_with_medians_transpose_(z_bar, x, pad_width, *, stat_length=None):
    """w = the transpose of ``pad_with_medians``, applied to z_bar."""
    w = pad_with_medians_transpose(z_bar, x, pad_width, stat_length=stat_length)

    def backward(w_bar):
        return pad_with_medians(w_bar, x, pad_width, stat_length=stat_length), None, None

    return w, backward


# Adding and removing


@formula(np.delete)
def delete(x, *, obj, axis=None):
    """z = x without some entries along an axis, or of the flattened x."""
    z = np.delete(x, obj, axis=axis)

    def backward(z_bar):
        if axis is None:
            x_bar = place_flat(z_bar, np.delete(np.ravel(places_in(x)), obj), x)
        else:
            x_bar = place_flat(z_bar, np.delete(places_in(x), obj, axis=axis), x)
        return x_bar

    return z, backward


@formula(np.insert, sequences="obj")
def insert(x, obj, values, *, axis=None):
    """z = x with values before some entries along an axis, or of the flattened x."""
    z = np.insert(x, obj, values, axis=axis)

    def backward(z_bar):
        # where z has its entries from: first those of x, then those of values
        own = np.reshape(np.arange(x.size), x.shape)
        new = np.reshape(x.size + np.arange(np.size(values)), np.shape(values))
        places = np.insert(own, obj, new, axis=axis)
        both = np.zeros(x.size + np.size(values), dtype=z.dtype)
        both_bar = place_flat(z_bar, places, both)
        x_bar = np.reshape(both_bar[: x.size], x.shape)
        return x_bar, None, np.reshape(both_bar[x.size :], np.shape(values))

    def tangent(x_dot, obj_dot, values_dot):
        return np.insert(x_dot, obj, values_dot, axis=axis)

    return z, backward, tangent


@formula(np.resize, linear="x")
def resize(x, *, new_shape):
    """z = the entries of x, over and over, in another shape; zeros if x has none."""
    z = np.resize(x, new_shape)

    def backward(z_bar):
        if x.size == 0:
            x_bar = np.zeros_like(x)
        else:
            x_bar = place_flat(z_bar, np.resize(places_in(x), new_shape), x)
        return x_bar

    return z, backward


if "axis" in inspect.signature(np.trim_zeros).parameters:  # since NumPy 2.2

    @formula(np.trim_zeros)
    def trim_zeros(x, *, trim="fb", axis=None):
        """z = x without the zeros at its ends, along all axes or some."""
        z = np.trim_zeros(x, trim, axis=axis)

        def backward(z_bar):
            return with_zeros(z_bar, x, trim=trim, axis=axis)

        def tangent(x_dot):
            return between_zeros(x_dot, x, trim=trim, axis=axis)

        return z, backward, tangent

else:

    @formula(np.trim_zeros)
    def trim_zeros(x, *, trim="fb"):
        """z = a vector x without the zeros at its ends."""
        z = np.trim_zeros(x, trim)

        def backward(z_bar):
            return with_zeros(z_bar, x, trim=trim)

        def tangent(x_dot):
            return between_zeros(x_dot, x, trim=trim)

        return z, backward, tangent


@formula(with_zeros, linear="z_bar")
def with_zeros_(z_bar, x, *, trim="fb", axis=None):
    """w = z_bar, with the zeros around it that ``np.trim_zeros`` drops."""
    w = with_zeros(z_bar, x, trim=trim, axis=axis)
    return w, lambda w_bar: (between_zeros(w_bar, x, trim=trim, axis=axis), None)


@formula(between_zeros, linear="y", views="y")
def between_zeros_(y, x, *, trim="fb", axis=None):
    """z = what ``np.trim_zeros`` keeps of x, read from another array."""
    z = between_zeros(y, x, trim=trim, axis=axis)
    return z, lambda z_bar: (with_zeros(z_bar, x, trim=trim, axis=axis), None)


@formula(np.unique, getattr(np, "unique_values", np.unique), of_complex=NO_ORDER)
def unique(
    x,
    *,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    equal_nan=True,
    sorted=True,
):
    """z = the different entries of x, in whatever order, and perhaps where they are.

    Equal ones share evenly. Along an axis, they are slices of x.
    """
    z = np.unique(
        x,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axis,
        equal_nan=equal_nan,
    )

    def backward(z_bar):
        several = return_index or return_inverse or return_counts
        values = z[0] if several else z
        values_bar = z_bar[0] if several else z_bar
        if axis is None:
            order = np.argsort(values)
            place = order[np.searchsorted(values[order], x)]
            count = cast_like(np.bincount(np.ravel(place)), x)
            x_bar = (values_bar / count)[place]
        else:
            place = np.ravel(np.unique(x, return_inverse=True, axis=axis)[1])
            count = cast_like(np.bincount(place), x)
            share = values_bar / np.reshape(count, one_axis(axis, x.ndim))
            x_bar = np.take(share, place, axis=axis)
        return x_bar

    def tangent(x_dot):
        several = return_index or return_inverse or return_counts
        values = z[0] if several else z
        if axis is None:
            order = np.argsort(values)
            place = np.ravel(order[np.searchsorted(values[order], x)])
            total = np.bincount(place, weights=np.ravel(x_dot))
            values_dot = cast_like(total / np.bincount(place), x)
        else:
            place = np.ravel(np.unique(x, return_inverse=True, axis=axis)[1])
            count = cast_like(np.bincount(place), x)
            total = place_along(x_dot, place, values, axis=axis)
            values_dot = total / np.reshape(count, one_axis(axis, x.ndim))
        return (values_dot, None, None, None) if several else values_dot

    return z, backward, tangent


if hasattr(np, "unique_all"):  # since NumPy 2.0

    @formula(np.unique_all, np.unique_counts, np.unique_inverse)
    def unique_all(x):
        """z = the different entries of x, and where or how often they are; see ``np.unique``."""
        z = primal(x)

        def backward(z_bar):
            order = np.argsort(z[0])
            place = order[np.searchsorted(z[0][order], x)]
            count = cast_like(np.bincount(np.ravel(place)), x)
            return (z_bar[0] / count)[place]

        def tangent(x_dot):
            order = np.argsort(z[0])
            place = np.ravel(order[np.searchsorted(z[0][order], x)])
            total = np.bincount(place, weights=np.ravel(x_dot))
            return cast_like(total / np.bincount(place), x), None, None, None

        return z, backward, tangent


# Rearranging


@formula(np.flip, linear="x", views="m")
def flip(x, *, axis=None):
    """z = x in reversed order along some axes."""
    return np.flip(x, axis=axis), lambda z_bar: np.flip(z_bar, axis=axis)


@formula(np.fliplr, linear="x")
def fliplr(x):
    """z = x in reversed order along axis 1."""
    return np.fliplr(x), lambda z_bar: np.flip(z_bar, axis=1)


@formula(np.flipud, linear="x")
def flipud(x):
    """z = x in reversed order along axis 0."""
    return np.flipud(x), lambda z_bar: np.flip(z_bar, axis=0)


@formula(np.roll, linear="x")
def roll(x, *, shift, axis=None):
    """z = x moved on along some axes, what leaves at one end coming in at the other."""
    z = np.roll(x, shift, axis=axis)

    def backward(z_bar):
        return np.roll(z_bar, negated(shift), axis=axis)

    return z, backward


@formula(np.rot90, linear="x", views="m")
def rot90(x, *, k=1, axes=(0, 1)):
    """z = x turned by k right angles in the plane of two axes."""
    return np.rot90(x, k=k, axes=axes), lambda z_bar: np.rot90(z_bar, k=-k, axes=axes)
