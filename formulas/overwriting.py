"""Derivatives of copies of arrays in which some entries are others."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import cast_like
from srcgrad.runtime.overwriting import (
    add_entries,
    entries_of,
    read_entries,
    with_masked,
    with_placed,
    with_put,
    with_put_along,
)


@formula(with_put)
def with_put_(x, places, v, *, mode="raise"):
    """z = x with v at places; of two numbers for one place, the last stays."""
    z = with_put(x, places, v, mode=mode)

    def backward(z_bar):
        sources = with_put(np.full_like(x, -1, dtype=int), places, entries_of(v), mode=mode)
        v_bar = cast_like(add_entries(z_bar, sources, v), v)
        return np.where(sources < 0, z_bar, 0), None, v_bar

    def tangent(x_dot, places_dot, v_dot):
        return with_put(x_dot, places, v_dot, mode=mode)

    return z, backward, tangent


@formula(with_put_along)
def with_put_along_(x, indices, v, *, axis):
    """z = x with v at each row's own indices along an axis; the last number for a place stays."""
    z = with_put_along(x, indices, v, axis=axis)

    def backward(z_bar):
        sources = with_put_along(np.full_like(x, -1, dtype=int), indices, entries_of(v), axis=axis)
        v_bar = cast_like(add_entries(z_bar, sources, v), v)
        return np.where(sources < 0, z_bar, 0), None, v_bar

    def tangent(x_dot, indices_dot, v_dot):
        return with_put_along(x_dot, indices, v_dot, axis=axis)

    return z, backward, tangent


@formula(with_placed)
def with_placed_(x, mask, v):
    """z = x with the entries of v, one after the other, where mask is true."""
    z = with_placed(x, mask, v)

    def backward(z_bar):
        sources = with_placed(np.full_like(x, -1, dtype=int), mask, entries_of(v))
        v_bar = cast_like(add_entries(z_bar, sources, v), v)
        return np.where(sources < 0, z_bar, 0), None, v_bar

    def tangent(x_dot, mask_dot, v_dot):
        return with_placed(x_dot, mask, v_dot)

    return z, backward, tangent


@formula(with_masked)
def with_masked_(x, mask, v):
    """z = x with the entries of v that have the same place where mask is true."""
    z = with_masked(x, mask, v)

    def backward(z_bar):
        sources = with_masked(np.full_like(x, -1, dtype=int), mask, entries_of(v))
        v_bar = cast_like(add_entries(z_bar, sources, v), v)
        return np.where(sources < 0, z_bar, 0), None, v_bar

    def tangent(x_dot, mask_dot, v_dot):
        return with_masked(x_dot, mask, v_dot)

    return z, backward, tangent


@formula(add_entries, linear="z_bar")
def add_entries_(z_bar, sources, v):
    """w = zeros like v, with each entry of z_bar added where it comes from."""
    w = add_entries(z_bar, sources, v)

    def backward(w_bar):
        return read_entries(w_bar, sources), None, None

    return w, backward


@formula(read_entries, linear="v")
def read_entries_(v, sources):
    """z = the entries of v that sources names, and 0 for -1."""
    z = read_entries(v, sources)

    def backward(z_bar):
        return add_entries(z_bar, sources, v), None

    return z, backward


nondifferentiable(entries_of)
