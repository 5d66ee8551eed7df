"""NumPy's functions with one of their options as a positional argument, which can be active.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.sum(x, initial=initial, **options)``."""
    return np.sum(x, initial=initial, **options)


def prod_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.prod(x, initial=initial, **options)``."""
    return np.prod(x, initial=initial, **options)


def nansum_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.nansum(x, initial=initial, **options)``."""
    return np.nansum(x, initial=initial, **options)


def nanprod_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.nanprod(x, initial=initial, **options)``."""
    return np.nanprod(x, initial=initial, **options)


def max_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.max(x, initial=initial, **options)``."""
    return np.max(x, initial=initial, **options)


def min_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.min(x, initial=initial, **options)``."""
    return np.min(x, initial=initial, **options)


def nanmax_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.nanmax(x, initial=initial, **options)``."""
    return np.nanmax(x, initial=initial, **options)


def nanmin_from(x: Any, initial: Any, **options: Any) -> Any:
    """Return ``np.nanmin(x, initial=initial, **options)``."""
    return np.nanmin(x, initial=initial, **options)


def unwrap_by(x: Any, period: Any, discont: Any = None, axis: int = -1) -> Any:
    """Return ``np.unwrap(x, discont, axis, period=period)``."""
    return np.unwrap(x, discont, axis, period=period)


def pad_with(x: Any, values: Any, pad_width: Any, mode: str = "constant") -> Any:
    """Return ``np.pad`` with constants around x, or with ramps that end in them.

    Args:
        x: an array.
        values: a number, one for each of both sides, or such a pair for each axis.
        pad_width: as ``np.pad`` takes it.
        mode: "constant" or "linear_ramp".
    """
    named = {"constant": "constant_values", "linear_ramp": "end_values"}[mode]
    return np.pad(x, pad_width, mode, **{named: values})  # type: ignore[call-overload]


def border_transpose(z_bar: Any, x: Any, values: Any, pad_width: Any, mode: str) -> Any:
    """Return the transpose of ``pad_with`` in its values, applied to an array.

    Args:
        z_bar: an array with the shape of what was padded.
        x: the array before; only its shape and dtype matter.
        values: the values; only their shape matters.
        pad_width: how much was added.
        mode: "constant" or "linear_ramp".

    Returns:
        A number for a number, an array with the shape of ``values`` for an array.
    """
    within = np.zeros_like(x)
    shape = np.shape(values)
    parts = []
    for place in np.ndindex(*shape):
        unit: Any = 1.0  # lists around it, so that no array of NumPy's meets another kind
        for k, length in zip(place[::-1], shape[::-1], strict=True):
            zero: Any = 0.0 if isinstance(unit, float) else [0.0] * len(unit)
            unit = [unit if j == k else zero for j in range(length)]
        parts.append(np.sum(z_bar * pad_with(within, unit, pad_width, mode)))
    if not shape:
        return parts[0]
    return np.reshape(np.stack(parts), shape)
