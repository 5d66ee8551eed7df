"""Cotangents of lists of arrays, and of arrays that are made of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast


def list_along(x: Any, axis: int = 0) -> list[Any]:
    """Return the parts of an array along an axis, as a list."""
    return list(np.moveaxis(x, axis, 0))


def list_like(z_bar: Any, arrays: list[Any], axis: int = 0) -> list[Any]:
    """Cut a cotangent into pieces shaped like the elements of a list that were joined."""
    return list(split_like(z_bar, arrays, axis=axis))


def spread_over(z_bar: Any, values: list[Any]) -> list[Any]:
    """Return the cotangents of values from that of their sum."""
    return [unbroadcast(z_bar, value) for value in values]


def add_lists(first: list[Any], second: list[Any]) -> list[Any]:
    """Return the sums of the elements of two lists of one length; of lists and tuples, by part."""
    return [_sum(a, b) for a, b in zip(first, second, strict=True)]


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, list):
        return add_lists(a, b)
    if isinstance(a, tuple):
        return tuple(_sum(p, q) for p, q in zip(a, b, strict=True))
    return None if a is None else a + b


def split_like(z_bar: Any, arrays: Any, axis: int = 0) -> tuple[Any, ...]:
    """Cut a cotangent into pieces shaped like the arrays that were joined.

    This is the transpose of ``np.concatenate(arrays, axis=axis)``, and of the
    stacking functions that first give their arrays more axes.

    Args:
        z_bar: an array with the shape of the joined arrays.
        arrays: the arrays or scalars; only their shapes matter. One with fewer
            axes than ``z_bar`` has length 1 along ``axis``.
        axis: the axis along which they were joined.

    Returns:
        One piece for each of the arrays, in its shape.
    """
    pieces = []
    start = 0
    before = (slice(None),) * (axis % z_bar.ndim)
    for array in arrays:
        shape = np.shape(array)
        full = len(shape) == z_bar.ndim
        stop = start + (shape[axis] if full else 1)
        piece = z_bar[(*before, slice(start, stop))]
        pieces.append(piece if full else piece.reshape(shape))
        start = stop
    return tuple(pieces)


def join_like(pieces: Any, z: Any, axis: int = 0) -> Any:
    """Join pieces to an array with as many axes as ``z``.

    This is the transpose of ``split_like``.

    Args:
        pieces: arrays or scalars that ``split_like`` could have given.
        z: the array that would be split; only its shape matters.
        axis: the axis along which the pieces are joined.

    Returns:
        An array with the shape of ``z``.
    """
    other = list(z.shape)
    other[axis] = 1  # of a piece with fewer axes
    wide = [p if np.ndim(p) == z.ndim else np.reshape(p, other) for p in pieces]
    return np.concatenate(wide, axis=axis)
