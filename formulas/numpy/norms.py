"""Derivatives of NumPy's norms and condition numbers, in batches too."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.axes import power_of_condition

from srcgrad.registry import formula, static
from srcgrad.runtime.special import unit_conjugate


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
        else:
            ratio = np.abs(x) / (size + (size == 0))
            unit = unit_conjugate(x) if np.iscomplexobj(x) else np.sign(x)
            x_bar = size_bar * unit * ratio ** (ord - 1)
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
        "two", "one", "extreme", "count" or "power" for vectors, "two", "sums" or
        "spectral" for matrices.
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
    return names.get(order, "power")


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
    """z = condition number; simple extreme singular values where p is None, 2 or -2."""
    z = np.linalg.cond(x, p=p)

    def backward(z_bar):
        scale = np.expand_dims(z_bar * z, (-2, -1))
        if power_of_condition(p):
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            top = u[..., :, :1] @ vh[..., :1, :] / s[..., :1, None]
            low = u[..., :, -1:] @ vh[..., -1:, :] / s[..., -1:, None]
            change = top - low if p != -2 else low - top
            x_bar = scale * change
        else:
            y = np.linalg.inv(x)
            yT = np.swapaxes(y, -1, -2)
            own = np.sum(x**2, axis=(-2, -1), keepdims=True)
            other = np.sum(y**2, axis=(-2, -1), keepdims=True)
            x_bar = scale * (x / own - yT @ y @ yT / other)
        return x_bar

    return z, backward
