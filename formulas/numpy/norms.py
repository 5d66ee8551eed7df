"""Derivatives of NumPy's norms and condition numbers, in batches too."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula, static
from srcgrad.runtime.scipy.special import unit_conjugate


@formula(np.linalg.norm)
def norm(x, *, ord=None, axis=None, keepdims=False):
    """z = norm of vectors or matrices; slope 0 where it is 0.

    Where entries, row sums or singular values tie for the largest or smallest,
    they share evenly.
    """
    z = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None or keepdims:
            size = z
            size_bar = z_bar
        else:
            size = np.expand_dims(z, axis)
            size_bar = np.expand_dims(z_bar, axis)
        kind = norm_kind(ord, axis, x.ndim)
        if kind == "two":
            own = np.conj(x) if np.iscomplexobj(x) else x
            x_bar = size_bar * (own / (size + (size == 0)))
        elif kind == "one":
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit
        elif kind == "extreme":
            ties = np.abs(x) == size
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar / count * ties * unit
        elif kind == "count":
            x_bar = np.zeros_like(x)
        elif kind == "power":
            ratio = np.abs(x) / (size + (size == 0))
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit * ratio ** (ord - 1)
        elif kind == "root":
            entries = np.abs(x)
            ratio = size / (entries + (entries == 0))
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit * ratio ** (1 - ord)
        elif kind == "sums":
            pair = matrix_axes(axis)
            along = pair[0] if ord in (1, -1) else pair[1]
            sums = np.sum(np.abs(x), axis=along, keepdims=True)
            ties = sums == size
            count = np.sum(ties, axis=pair, keepdims=True, dtype=x.dtype)
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar / count * ties * unit
        else:
            pair = matrix_axes(axis)
            matrices = np.moveaxis(x, pair, (-2, -1)) if must_move(pair, x.ndim) else x
            u, s, vh = np.linalg.svd(matrices, full_matrices=False)
            if ord == "nuc":
                share = np.sign(s)
            else:
                extreme = s[..., :1] if ord == 2 else s[..., -1:]
                ties = s == extreme
                count = np.sum(ties, axis=-1, keepdims=True, dtype=x.dtype)
                share = ties / count * np.sign(s)
            slopes = (u * share[..., None, :]) @ vh
            if must_move(pair, x.ndim):
                slopes = np.moveaxis(slopes, (-2, -1), pair)
            x_bar = size_bar * (np.conj(slopes) if np.iscomplexobj(x) else slopes)
        return x_bar

    return z, backward


@formula(np.linalg.vector_norm)
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    """z = norm of vectors, or of all entries; slope 0 where it is 0."""
    z = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def backward(z_bar):
        if axis is None or keepdims:
            size = z
            size_bar = z_bar
        else:
            size = np.expand_dims(z, axis)
            size_bar = np.expand_dims(z_bar, axis)
        kind = norm_kind(ord, 0, 1)
        if kind == "two":
            own = np.conj(x) if np.iscomplexobj(x) else x
            x_bar = size_bar * (own / (size + (size == 0)))
        elif kind == "one":
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit
        elif kind == "extreme":
            ties = np.abs(x) == size
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar / count * ties * unit
        elif kind == "count":
            x_bar = np.zeros_like(x)
        elif kind == "power":
            ratio = np.abs(x) / (size + (size == 0))
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit * ratio ** (ord - 1)
        else:
            entries = np.abs(x)
            ratio = size / (entries + (entries == 0))
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit * ratio ** (1 - ord)
        return x_bar

    return z, backward


@formula(np.linalg.matrix_norm)
def matrix_norm(x, *, keepdims=False, ord="fro"):
    """z = norm of the matrices in the last two axes; slope 0 where it is 0."""
    z = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)

    def backward(z_bar):
        size = z if keepdims else np.expand_dims(z, (-2, -1))
        size_bar = z_bar if keepdims else np.expand_dims(z_bar, (-2, -1))
        kind = norm_kind(ord, (-2, -1), 2)
        if kind == "two":
            own = np.conj(x) if np.iscomplexobj(x) else x
            x_bar = size_bar * (own / (size + (size == 0)))
        elif kind == "sums":
            sums = np.sum(np.abs(x), axis=-2 if ord in (1, -1) else -1, keepdims=True)
            ties = sums == size
            count = np.sum(ties, axis=(-2, -1), keepdims=True, dtype=x.dtype)
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar / count * ties * unit
        else:
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            if ord == "nuc":
                share = np.sign(s)
            else:
                extreme = s[..., :1] if ord == 2 else s[..., -1:]
                ties = s == extreme
                count = np.sum(ties, axis=-1, keepdims=True, dtype=x.dtype)
                share = ties / count * np.sign(s)
            slopes = (u * share[..., None, :]) @ vh
            x_bar = size_bar * (np.conj(slopes) if np.iscomplexobj(x) else slopes)
        return x_bar

    return z, backward


@static
def norm_kind(order, axis, rank):
    """Return which formula serves an order of ``np.linalg.norm``.

    Args:
        order: the option ``ord``.
        axis: the option ``axis``.
        rank: the number of dimensions of the array.

    Returns:
        "two", "one", "extreme", "count", "power" or, for orders below 1, "root" for
        vectors, "two", "sums" or "spectral" for matrices.
    """
    if order is None:
        return "two"
    of_matrices = rank == 2 if axis is None else not isinstance(axis, int)
    if of_matrices and isinstance(axis, tuple | list) and len(axis) == 1:
        of_matrices = False
    if of_matrices:
        names = {"fro": "two", "f": "two", 1: "sums", -1: "sums", np.inf: "sums", -np.inf: "sums"}
        return names.get(order, "spectral")
    names = {2: "two", 1: "one", np.inf: "extreme", -np.inf: "extreme", 0: "count"}
    return names.get(order, "power" if order > 1 else "root")


@static
def must_move(pair, rank):
    """Tell whether two axes of an array are others than its last two, in that order."""
    return tuple(axis % rank for axis in pair) != (rank - 2, rank - 1)


@static
def matrix_axes(axis):
    """Return the axes of rows and columns that a matrix norm is over."""
    return (0, 1) if axis is None else tuple(axis)


@formula(np.linalg.cond)
def cond(x, *, p=None):
    """z = condition number, the norm of x times that of its inverse.

    Where p is None, 2 or -2, the extreme singular values are simple ones; where row or
    column sums tie, they share evenly.
    """
    z = np.linalg.cond(x, p=p)

    def backward(z_bar):
        kind = kind_of_condition(p)
        wide = np.expand_dims(z_bar, (-2, -1))
        if kind == "ratio":
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            top = u[..., :, :1] @ vh[..., :1, :] / s[..., :1, None]
            low = u[..., :, -1:] @ vh[..., -1:, :] / s[..., -1:, None]
            change = top - low if p != -2 else low - top
            slopes = np.expand_dims(z_bar * z, (-2, -1)) * change
            x_bar = np.conj(slopes) if np.iscomplexobj(x) else slopes
        elif kind == "nuclear":
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            own, other = np.sum(s, axis=-1, keepdims=True), np.sum(1 / s, axis=-1, keepdims=True)
            slopes = wide * (u * (other - own / s**2)[..., None, :]) @ vh
            x_bar = np.conj(slopes) if np.iscomplexobj(x) else slopes
        else:
            y = np.linalg.inv(x)
            yT = np.swapaxes(y, -1, -2)
            own = np.linalg.norm(x, ord=p, axis=(-2, -1), keepdims=True)
            other = np.linalg.norm(y, ord=p, axis=(-2, -1), keepdims=True)
            if kind == "entries":
                x_slope = (np.conj(x) if np.iscomplexobj(x) else x) / own
                y_slope = (np.conj(y) if np.iscomplexobj(x) else y) / other
            else:
                along = -2 if p in (1, -1) else -1
                x_ties = np.sum(np.abs(x), axis=along, keepdims=True) == own
                y_ties = np.sum(np.abs(y), axis=along, keepdims=True) == other
                x_count = np.sum(x_ties, axis=(-2, -1), keepdims=True, dtype=own.dtype)
                y_count = np.sum(y_ties, axis=(-2, -1), keepdims=True, dtype=own.dtype)
                x_unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
                y_unit = unit_conjugate(y) if np.iscomplexobj(x) else np.sign(y)
                x_slope = x_ties / x_count * x_unit
                y_slope = y_ties / y_count * y_unit
            x_bar = wide * (other * x_slope - own * (yT @ y_slope @ yT))
        return x_bar

    return z, backward


@static
def kind_of_condition(p):
    """Return which norm ``np.linalg.cond`` is of: of singular values, entries or sums."""
    kinds = {None: "ratio", 2: "ratio", -2: "ratio", "fro": "entries", "nuc": "nuclear"}
    if p not in kinds and p not in (1, -1, np.inf, -np.inf):
        raise NotImplementedError(f"no formula for np.linalg.cond with p={p!r}")
    return kinds.get(p, "sums")
