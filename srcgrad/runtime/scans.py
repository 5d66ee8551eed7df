"""Running sums and products along an axis, and their transposes.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def delay(x: Any, axis: int) -> Any:
    """Return ``x`` moved on by one place along an axis, with 0 coming in."""
    out = np.zeros_like(x)
    np.moveaxis(out, axis, 0)[1:] = np.moveaxis(x, axis, 0)[:-1]
    return out


def advance(x: Any, axis: int) -> Any:
    """Return ``x`` moved back by one place along an axis, with 0 coming in."""
    out = np.zeros_like(x)
    np.moveaxis(out, axis, 0)[:-1] = np.moveaxis(x, axis, 0)[1:]
    return out


def recurrence(a: Any, b: Any, axis: int) -> Any:
    """Return y with ``y[k] = a[k] * y[k - 1] + b[k]`` along an axis; y[-1] is 0."""
    y = b.copy()
    rows, factors = np.moveaxis(y, axis, 0), np.moveaxis(a, axis, 0)
    for k in range(1, len(rows)):
        rows[k] += factors[k] * rows[k - 1]
    return y


def reversed_recurrence(a: Any, b: Any, axis: int) -> Any:
    """Return y with ``y[k] = a[k + 1] * y[k + 1] + b[k]`` along an axis.

    As a linear function of ``b`` it is the transpose of ``recurrence``.
    """
    y = b.copy()
    rows, factors = np.moveaxis(y, axis, 0), np.moveaxis(a, axis, 0)
    for k in range(len(rows) - 2, -1, -1):
        rows[k] += factors[k + 1] * rows[k + 1]
    return y


def exclusive_cumprod(x: Any, axis: int) -> Any:
    """Return, for each entry along an axis, the product of the entries before it."""
    out = np.ones_like(x)
    np.moveaxis(out, axis, 0)[1:] = np.moveaxis(np.cumprod(x, axis=axis), axis, 0)[:-1]
    return out


def product_of_others(x: Any, axis: int | tuple[int, ...] | None) -> Any:
    """Return, for each entry along some axes, the product of all the other entries.

    Zeros in ``x`` are no exception, which is why nothing is divided by ``x``.
    """
    if not isinstance(axis, int):
        axes = tuple(range(np.ndim(x))) if axis is None else axis
        moved = np.moveaxis(x, axes, range(len(axes)))
        rows = np.reshape(
            moved, (math.prod(moved.shape[: len(axes)]), math.prod(moved.shape[len(axes) :]))
        )
        others = np.reshape(product_of_others(rows, 0), moved.shape)
        return np.moveaxis(others, range(len(axes)), axes)
    after = np.flip(exclusive_cumprod(np.flip(x, axis), axis), axis)
    return exclusive_cumprod(x, axis) * after
