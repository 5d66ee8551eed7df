"""Reading quantiles from an array, and the transpose of that.

A quantile is read from one or two neighbours among the sorted entries. Which
ones, and in which proportion, NumPy is asked: the quantile of 0, 1, 2, … is the
place itself. Entries that are nan are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.placing import add_at


def read_ranked(
    values: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    slope: bool = False,
    weights: Any = None,
) -> Any:
    """Return the values that belong to the entries of ``x`` with certain ranks.

    With ``values`` the same as ``x`` these are the quantiles of ``x``. It is
    linear in ``values``.

    Args:
        values: an array with the shape of ``x``.
        x: the array whose entries are ranked.
        q: one quantile, or an array of them, between 0 and 1.
        axis: the axes of ``np.quantile``.
        method: that of ``np.quantile``.
        keepdims: that of ``np.quantile``.
        slope: whether to return the derivative with respect to ``q`` instead.
        weights: those of ``np.quantile``.

    Returns:
        An array with the shape of ``np.quantile(x, q, ...)``; zeros where ``x`` is empty.
    """
    if np.size(x) == 0:
        return np.zeros_like(values, shape=_shape(x, q, axis, keepdims))[()]
    columns = _columns(values, axis)
    below, above, of_below, of_above, _ = _ranked(x, q, axis, method, slope, weights)
    every = np.arange(columns.shape[1], like=columns)
    out = of_below * columns[below, every] + of_above * columns[above, every]
    return out.astype(getattr(values, "dtype", float), copy=False).reshape(
        _shape(x, q, axis, keepdims)
    )[()]


def place_ranked(
    z_bar: Any,
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    slope: bool = False,
    weights: Any = None,
) -> Any:
    """Return zeros like ``x`` with ``z_bar`` at the entries with certain ranks.

    This is the transpose of ``read_ranked`` as a linear function of its values.

    Args:
        z_bar: an array with the shape of ``np.quantile(x, q, ...)``.
        x: the array whose entries are ranked.
        q: one quantile, or an array of them, between 0 and 1.
        axis: the axes of ``np.quantile``.
        method: that of ``np.quantile``.
        keepdims: that of ``np.quantile``.
        slope: as for ``read_ranked``.
        weights: those of ``np.quantile``.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    if np.size(x) == 0:
        return np.zeros_like(x)
    below, above, of_below, of_above, count = _ranked(x, q, axis, method, slope, weights)
    columns = np.zeros_like(x, shape=(count, below.shape[1]))
    bars = np.reshape(np.asarray(z_bar, like=columns), below.shape)
    every = np.arange(below.shape[1], like=columns)
    add_at(columns, (below, every), of_below * bars)
    add_at(columns, (above, every), of_above * bars)
    axes = _axes(x, axis)
    kept = [k for k in range(np.ndim(x)) if k not in axes]
    moved = columns.reshape([np.shape(x)[k] for k in (*axes, *kept)])
    return np.moveaxis(moved, range(len(axes)), axes)


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(np.ndim(x)))
    return tuple(k % np.ndim(x) for k in (axis if isinstance(axis, tuple | list) else (axis,)))


def _columns(x: Any, axis: Any) -> Any:
    """Return an array with the reduced axes as its first one, the others as its second."""
    axes = _axes(x, axis)
    moved = np.moveaxis(x, axes, range(len(axes)))
    count = math.prod(np.shape(x)[k] for k in axes)
    return moved.reshape(count, math.prod(moved.shape[len(axes) :]))


def _shape(x: Any, q: Any, axis: Any, keepdims: bool) -> tuple[int, ...]:
    axes = _axes(x, axis)
    if keepdims:
        return (*np.shape(q), *(1 if k in axes else n for k, n in enumerate(np.shape(x))))
    return (*np.shape(q), *(n for k, n in enumerate(np.shape(x)) if k not in axes))


def _ranked(x: Any, q: Any, axis: Any, method: Any, slope: bool, weights: Any) -> tuple[Any, ...]:
    """Return which rows of the columns of ``x`` the quantiles are read from, and how."""
    if weights is not None:
        return _ranked_by_weight(x, q, axis, method, slope, weights)
    # how fast the place moves with q: the number of entries plus this
    stretch = {
        "linear": -1.0,
        "weibull": 1.0,
        "hazen": 0.0,
        "interpolated_inverted_cdf": 0.0,
        "median_unbiased": 1 / 3,
        "normal_unbiased": 1 / 4,
    }
    columns = _columns(x, axis)
    order = np.argsort(columns, axis=0)
    present = np.sum(~np.isnan(columns), axis=0)
    flat = np.ravel(np.asarray(q, dtype=float, like=columns))
    place = np.zeros((flat.size, columns.shape[1]), like=columns)
    speed = np.zeros_like(place)
    for count in set(present.tolist()) - {0}:
        places = np.quantile(np.arange(float(count), like=columns), flat, method=method)[:, None]
        moving = (flat[:, None] < 1) if count > 1 else False
        if method != "linear":
            entries = np.arange(float(count), like=columns)
            nearby = np.quantile(entries, np.clip(flat + 1e-9, 0, 1), method=method)
            moving = nearby[:, None] != places
        place[:, present == count] = places
        speed[:, present == count] = moving * (count + stretch.get(method, -count))
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, np.maximum(present - 1, 0))
    part = place - below
    every = np.arange(columns.shape[1], like=columns)
    weights = (-speed, speed) if slope else (1 - part, part)
    return order[below, every], order[above, every], *weights, columns.shape[0]


def _ranked_by_weight(
    x: Any, q: Any, axis: Any, method: str, slope: bool, weights: Any
) -> tuple[Any, ...]:
    """Return for each column of ``x`` which of its rows the weighted quantiles are."""
    columns = _columns(x, axis)
    heavy = np.asarray(weights, like=columns)
    if heavy.ndim < np.ndim(x):  # one weight for each entry along the axes
        axes = _axes(x, axis)
        heavy = np.expand_dims(heavy, tuple(k for k in range(np.ndim(x)) if k not in axes))
    heavy = _columns(np.broadcast_to(heavy, np.shape(x)), axis)
    order = np.argsort(columns, axis=0)
    flat = np.ravel(np.asarray(q, dtype=float, like=columns))
    place = np.zeros((flat.size, columns.shape[1]), dtype=int, like=columns)
    for k, count in enumerate(np.sum(~np.isnan(columns), axis=0).tolist()):
        if count:
            sorted_weights = heavy[order[:count, k], k]
            entries = np.arange(count, like=columns)
            place[:, k] = np.quantile(entries, flat, method=method, weights=sorted_weights)  # pyright: ignore[reportCallIssue, reportArgumentType]
    rows = order[place, np.arange(columns.shape[1], like=columns)]
    none = np.zeros(place.shape, like=columns)
    return rows, rows, none if slope else none + 1, none, columns.shape[0]
