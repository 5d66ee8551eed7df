"""Derivatives of NumPy's indexing and selecting functions."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import (
    place_along,
    place_diagonal,
    place_each_along,
    place_flat,
    places_in,
    unbroadcast,
)
from srcgrad.runtime.choosing import choose_row, place_chosen


@formula(np.where, elementwise=True)
def where(condition, x, y):
    """z = x where the condition holds, else y."""
    z = np.where(condition, x, y)

    def backward(z_bar):
        x_bar = np.where(condition, z_bar, 0)
        y_bar = np.where(condition, 0, z_bar)
        return None, x_bar, y_bar

    def tangent(condition_dot, x_dot, y_dot):
        return np.where(condition, x_dot, y_dot)

    return z, backward, tangent


@formula(np.select, sequences="choices conditions default")
def select(conditions, choices, default=0):
    """z = the first of the choices whose condition holds, else the default."""
    z = np.select(conditions, choices, default)

    def backward(z_bar):
        choices_bar = tuple(
            unbroadcast(np.select(conditions[: k + 1], (*(0 for _ in range(k)), z_bar)), x)
            for k, x in enumerate(choices)
        )
        default_bar = np.select(conditions, tuple(0 for _ in choices), z_bar)
        return None, choices_bar, unbroadcast(default_bar, default)

    return z, backward


@formula(np.choose, sequences="choices")
def choose(index, choices, *, mode="raise"):
    """z = for each entry, the choice that the index names."""
    z = np.choose(index, choices, mode=mode)

    def backward(z_bar):
        if mode == "raise":
            chosen = index
        elif mode == "wrap":
            chosen = index % len(choices)
        else:
            chosen = np.clip(index, 0, len(choices) - 1)
        choices_bar = tuple(
            unbroadcast(np.where(chosen == k, z_bar, 0), x) for k, x in enumerate(choices)
        )
        return None, choices_bar

    return z, backward


@formula(choose_row, linear="x")
def choose_row_(index, x, *, mode="raise"):
    """z = for each entry, that of the row of x that the index names."""
    z = choose_row(index, x, mode=mode)
    return z, lambda z_bar: (None, place_chosen(z_bar, index, x, mode=mode))


@formula(place_chosen, linear="z_bar")
def place_chosen_(z_bar, index, x, *, mode="raise"):
    """w = zeros like x, with z_bar at the choices that the index names."""
    w = place_chosen(z_bar, index, x, mode=mode)
    return w, lambda w_bar: (choose_row(index, w_bar, mode=mode), None, None)


@formula(np.compress, sequences="condition")
def compress(condition, x, *, axis=None):
    """z = the entries along an axis, or of the flattened x, where the condition holds."""
    z = np.compress(condition, x, axis=axis)

    def backward(z_bar):
        return None, place_flat(z_bar, np.compress(condition, places_in(x), axis=axis), x)

    return z, backward


@formula(np.extract, sequences="condition")
def extract(condition, x):
    """z = the entries of x where the condition holds."""
    z = np.extract(condition, x)

    def backward(z_bar):
        return None, place_flat(z_bar, np.extract(condition, places_in(x)), x)

    return z, backward


@formula(np.take, linear="x", sequences="indices")
def take(x, indices, *, axis=None, mode="raise"):
    """z = x read at indices along an axis, or in the flattened x."""
    z = np.take(x, indices, axis=axis, mode=mode)

    def backward(z_bar):
        length = x.size if axis is None else x.shape[axis]
        if mode == "raise":
            places = indices
        elif mode == "wrap":
            places = np.mod(indices, length)
        else:
            places = np.clip(indices, 0, length - 1)
        if axis is None:
            x_bar = place_flat(z_bar, places, x)
        else:
            x_bar = place_along(z_bar, places, x, axis=axis)
        return x_bar, None

    return z, backward


@formula(np.take_along_axis, linear="x")
def take_along_axis(x, indices, *, axis=-1):
    """z = x read at each row's own indices along an axis."""
    z = np.take_along_axis(x, indices, axis=axis)

    def backward(z_bar):
        if axis is None:
            x_bar = place_flat(z_bar, indices, x)
        else:
            x_bar = place_each_along(z_bar, indices, x, axis=axis)
        return x_bar, None

    return z, backward


@formula(np.diagonal, linear="x")
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """z = the entries of x on a diagonal of two of its axes, along a last axis."""
    z = np.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)

    def backward(z_bar):
        return place_diagonal(z_bar, x, offset=offset, axis1=axis1, axis2=axis2)

    return z, backward
