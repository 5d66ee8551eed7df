"""Derivatives of the functions that generated code calls at run time."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import (
    arange_like,
    cast_like,
    first_columns,
    is_last_write,
    join_like,
    outside_span,
    over_gaps,
    place,
    place_along,
    place_diagonal,
    place_each_along,
    place_flat,
    places_in,
    require_given,
    require_one_object,
    require_scalar,
    require_separate,
    split_like,
    stop_gradient,
    sum_repeats,
    sum_tiles,
    sum_windows,
    unbroadcast,
    with_added_columns,
    with_diagonal,
    zeros_in,
    zeros_of_active,
)
from srcgrad.runtime.batches import batch_length, require_results
from srcgrad.runtime.generators import same_draws
from srcgrad.runtime.intercepting import replacement, total_of_one_shape


@formula(unbroadcast, linear="x_bar", views="x_bar")
def unbroadcast_(x_bar, x):
    """z = x_bar, summed over the axes that x lacks or has length 1 along."""
    z = unbroadcast(x_bar, x)

    def backward(z_bar):
        return np.broadcast_to(z_bar, np.shape(x_bar)), None

    return z, backward


@formula(replacement, linear="new")
def replacement_(new, bar):
    """z = new, which is given in the place of another cotangent."""
    z = replacement(new, bar)

    def backward(z_bar):
        return z_bar, None

    return z, backward


@formula(total_of_one_shape)
def total_of_one_shape_(total, term):
    """z = total + term, where the total may be the number 0."""
    z = total_of_one_shape(total, term)

    def backward(z_bar):
        return unbroadcast(z_bar, total), z_bar

    return z, backward


@formula(cast_like, linear="z_bar")
def cast_like_(z_bar, x):
    """w = z_bar, in the dtype of x."""
    w = cast_like(z_bar, x)

    def backward(w_bar):
        return cast_like(w_bar, z_bar), None

    return w, backward


@formula(place, linear="z_bar")
def place_(z_bar, index, x):
    """w = zeros like x, with z_bar added at index."""
    w = place(z_bar, index, x)

    def backward(w_bar):
        return w_bar[index], None, None

    return w, backward


@formula(place_flat, linear="z_bar")
def place_flat_(z_bar, places, x):
    """w = zeros like x, with z_bar added at places in the flattened array."""
    w = place_flat(z_bar, places, x)

    def backward(w_bar):
        return np.take(w_bar, places), None, None

    return w, backward


@formula(place_along, linear="z_bar")
def place_along_(z_bar, indices, x, *, axis):
    """w = zeros like x, with z_bar added at indices along an axis."""
    w = place_along(z_bar, indices, x, axis=axis)

    def backward(w_bar):
        return np.take(w_bar, indices, axis=axis), None, None

    return w, backward


@formula(place_each_along, linear="z_bar")
def place_each_along_(z_bar, indices, x, *, axis):
    """w = zeros like x, with z_bar added at each row's own indices."""
    w = place_each_along(z_bar, indices, x, axis=axis)

    def backward(w_bar):
        return np.take_along_axis(w_bar, indices, axis=axis), None, None

    return w, backward


@formula(place_diagonal, linear="z_bar")
def place_diagonal_(z_bar, x, *, offset=0, axis1=0, axis2=1):
    """w = zeros like x, with z_bar on a diagonal, broadcast along it."""
    w = place_diagonal(z_bar, x, offset=offset, axis1=axis1, axis2=axis2)

    def backward(w_bar):
        z_bar_bar = np.diagonal(w_bar, offset=offset, axis1=axis1, axis2=axis2)
        return unbroadcast(z_bar_bar, z_bar), None

    return w, backward


@formula(split_like, linear="z_bar")
def split_like_(z_bar, arrays, *, axis=0):
    """pieces = z_bar, cut into the shapes of the arrays."""
    pieces = split_like(z_bar, arrays, axis=axis)

    def backward(pieces_bar):
        return join_like(pieces_bar, z_bar, axis=axis), None

    return pieces, backward


@formula(join_like, linear="pieces")
def join_like_(pieces, z, *, axis=0):
    """w = the pieces, joined to an array with as many axes as z."""
    w = join_like(pieces, z, axis=axis)

    def backward(w_bar):
        return split_like(w_bar, pieces, axis=axis), None

    return w, backward


@formula(sum_tiles, linear="z_bar")
def sum_tiles_(z_bar, x, *, reps):
    """w = sum of the copies of x in np.tile(x, reps)."""
    w = sum_tiles(z_bar, x, reps=reps)

    def backward(w_bar):
        return np.tile(w_bar, reps), None

    return w, backward


@formula(sum_repeats, linear="z_bar")
def sum_repeats_(z_bar, x, *, repeats, axis=None):
    """w = sums of the copies of the entries of x in np.repeat(x, repeats, axis)."""
    w = sum_repeats(z_bar, x, repeats=repeats, axis=axis)

    def backward(w_bar):
        return np.repeat(w_bar, repeats, axis=axis), None

    return w, backward


@formula(sum_windows, linear="z_bar")
def sum_windows_(z_bar, x, *, window_shape, axis=None):
    """w = what the windows over x hold of each entry, summed."""
    w = sum_windows(z_bar, x, window_shape=window_shape, axis=axis)

    def backward(w_bar):
        windows = np.lib.stride_tricks.sliding_window_view(w_bar, window_shape, axis=axis)
        return np.copy(windows), None

    return w, backward


@formula(first_columns, linear="z_bar")
def first_columns_(z_bar, count):
    """w = the first columns of z_bar; the other ones are zero, and have no slope: nan."""
    w = first_columns(z_bar, count)

    def backward(w_bar):
        return np.concatenate((w_bar, np.full_like(z_bar[..., count:], np.nan)), axis=-1), None

    return w, backward


@formula(outside_span)
def outside_span_(rest, u, s):
    """z = rest / s, or zeros; of u only the shape matters."""
    z = outside_span(rest, u, s)

    def backward(z_bar):
        s_bar = np.real(outside_span(-z_bar * z, u, s))
        return outside_span(z_bar, u, s), None, unbroadcast(s_bar, s)

    return z, backward


@formula(over_gaps)
def over_gaps_(p, gaps, *, own=None):
    """z = p / gaps, or zeros."""
    z = over_gaps(p, gaps, own)

    def backward(z_bar):
        gaps_bar = over_gaps(-z_bar * z, gaps, own)
        gaps_bar = gaps_bar if np.iscomplexobj(gaps) else np.real(gaps_bar)
        return over_gaps(z_bar, gaps, own), gaps_bar

    return z, backward


@formula(with_added_columns, linear="x_dot")
def with_added_columns_(x_dot, count):
    """w = x_dot and columns of nan; these have no cotangent."""
    w = with_added_columns(x_dot, count)
    return w, lambda w_bar: (first_columns(w_bar, x_dot.shape[-1]), None)


@formula(with_diagonal)
def with_diagonal_(x, v, *, wrap=False):
    """z = x with v on its diagonal."""
    z = with_diagonal(x, v, wrap=wrap)

    def backward(z_bar):
        if wrap and np.ndim(z_bar) == 2:
            diagonal = np.ravel(z_bar)[:: x.shape[1] + 1]
        elif np.ndim(z_bar) == 2:
            diagonal = np.diagonal(z_bar)
        else:
            diagonal = z_bar[(np.arange(len(z_bar)),) * np.ndim(z_bar)]
        if np.ndim(v) == 0 or np.size(v) == 1:
            v_bar = unbroadcast(diagonal, v)
        else:  # its entries come again and again, and some may never come
            entries = np.arange(np.size(diagonal)) % np.size(v)
            v_bar = np.reshape(place(diagonal, entries, np.ravel(v)), np.shape(v))
        return with_diagonal(z_bar, 0.0, wrap=wrap), v_bar

    def tangent(x_dot, v_dot):
        return with_diagonal(x_dot, v_dot, wrap=wrap)

    return z, backward, tangent


nondifferentiable(
    arange_like,
    batch_length,
    is_last_write,
    places_in,
    require_given,
    require_scalar,
    require_one_object,
    require_results,
    same_draws,
    require_separate,
    zeros_in,
    zeros_of_active,
)
nondifferentiable(stop_gradient, views="x")
