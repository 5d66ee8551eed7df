"""Borders of ``np.pad`` that are computed from entries, and their transposes.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.transposes import widths_of_axes


def padding_matrix(x: Any, axis: int, width: Any, mode: str, reflect_type: str) -> Any:
    """Return the matrix that ``np.pad`` multiplies an array by along one axis.

    Args:
        x: the array; only its length along the axis and its dtype matter.
        axis: the axis.
        width: how much is added before and after.
        mode: a mode in which the border is linear in the entries.
        reflect_type: "even" or "odd".
    """
    one = np.identity(x.shape[axis], dtype=x.dtype, like=x)
    options = {"reflect_type": reflect_type} if mode in ("reflect", "symmetric") else {}
    return np.pad(one, (tuple(width), (0, 0)), mode=mode, **options)  # type: ignore[call-overload]


def odd_padding_transpose(z_bar: Any, x: Any, pad_width: Any, mode: str) -> Any:
    """Return the transpose of ``np.pad(x, pad_width, mode, reflect_type="odd")``.

    Args:
        z_bar: an array with the shape of what was padded.
        x: the array before; only its shape and dtype matter.
        pad_width: how much was added.
        mode: "reflect" or "symmetric".
    """
    widths = widths_of_axes(pad_width, x.ndim)
    for axis, width in enumerate(widths):
        matrix = padding_matrix(x, axis, width, mode, "odd")
        z_bar = np.moveaxis(np.tensordot(matrix, z_bar, axes=(0, axis)), 0, axis)
    return z_bar


def _middle(rows: Any) -> list[Any]:
    """Return the places along the first axis of the one or two entries in the middle."""
    order = np.argsort(rows, axis=0, kind="stable")
    n = len(rows)
    return [order[k : k + 1] for k in ((n - 1) // 2, n // 2)]


def _ends(n: int, lengths: Any) -> list[tuple[int, int]]:
    """Return where the entries start and end that the two borders are computed from."""
    counts = [n if length is None else min(int(length), n) for length in lengths]
    return [(0, counts[0]), (n - counts[1], n)]


def pad_with_medians(x_dot: Any, x: Any, pad_width: Any, stat_length: Any = None) -> Any:
    """Return the tangent of ``np.pad(x, pad_width, mode="median", stat_length=...)``.

    Args:
        x_dot: the tangent of the array.
        x: the array.
        pad_width: how much is added.
        stat_length: how many entries the medians are of; all if None.

    Example:
        >>> pad_with_medians(np.array([1.0, 2.0, 4.0]), np.array([0.0, 7.0, 5.0]), (1, 0))
        array([4., 1., 2., 4.])
    """
    widths = widths_of_axes(pad_width, x.ndim)
    counts = np.broadcast_to(np.asarray(stat_length, dtype=object), (x.ndim, 2)).tolist()
    for axis, (pair, lengths) in enumerate(zip(widths, counts, strict=True)):
        rows, rows_dot = np.moveaxis(x, axis, 0), np.moveaxis(x_dot, axis, 0)
        borders, borders_dot = [], []
        for width, (start, end) in zip(pair, _ends(len(rows), lengths), strict=True):
            near, near_dot = rows[start:end], rows_dot[start:end]
            places = _middle(near)
            found = sum(np.take_along_axis(near, k, axis=0) for k in places) / 2
            found_dot = sum(np.take_along_axis(near_dot, k, axis=0) for k in places) / 2
            borders.append(np.repeat(found, width, axis=0))
            borders_dot.append(np.repeat(found_dot, width, axis=0))
        x = np.moveaxis(np.concatenate((borders[0], rows, borders[1])), 0, axis)
        x_dot = np.moveaxis(np.concatenate((borders_dot[0], rows_dot, borders_dot[1])), 0, axis)
    return x_dot


def pad_with_medians_transpose(z_bar: Any, x: Any, pad_width: Any, stat_length: Any = None) -> Any:
    """Return the transpose of ``pad_with_medians`` as a function of its first argument."""
    widths = widths_of_axes(pad_width, x.ndim)
    counts = np.broadcast_to(np.asarray(stat_length, dtype=object), (x.ndim, 2)).tolist()
    before = [x]  # after so many axes
    for axis, (pair, lengths) in enumerate(zip(widths, counts, strict=True)):
        only = [pair if k == axis else [0, 0] for k in range(x.ndim)]
        some = [lengths if k == axis else [None, None] for k in range(x.ndim)]
        before.append(pad_with_medians(before[-1], before[-1], only, some))
    for axis in reversed(range(x.ndim)):
        rows, rows_bar = np.moveaxis(before[axis], axis, 0), np.moveaxis(z_bar, axis, 0)
        first, n = widths[axis][0], len(rows)
        out = rows_bar[first : first + n].copy()
        borders = rows_bar[:first], rows_bar[first + n :]
        for border, (start, end) in zip(borders, _ends(n, counts[axis]), strict=True):
            near, near_bar = rows[start:end], np.zeros_like(out[start:end])
            for places in _middle(near):
                share = np.zeros_like(near_bar)
                np.put_along_axis(share, places, np.sum(border, axis=0, keepdims=True) / 2, axis=0)
                near_bar += share
            out[start:end] += near_bar
        z_bar = np.moveaxis(out, 0, axis)
    return z_bar
