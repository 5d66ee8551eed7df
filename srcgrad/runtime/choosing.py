"""Choosing from the rows of an array, and the transpose of that."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.placing import place


def choose_row(index: Any, x: Any, mode: str = "raise") -> Any:
    """Return ``np.choose(index, x, mode=mode)``; the choices are the rows of an array.

    Args:
        index: whole numbers; which of the choices each entry of the result is from.
        x: an array; its first axis goes along the choices.
        mode: that of ``np.choose``: what numbers beyond the choices mean.
    """
    return np.choose(index, x, mode=mode)  # type: ignore[call-overload]


def place_chosen(z_bar: Any, index: Any, x: Any, mode: str = "raise") -> Any:
    """Return zeros like ``x`` with ``z_bar`` at the choices that the index names.

    This is the transpose of ``np.choose(index, x, mode=mode)``.

    Args:
        z_bar: an array with the shape of that result.
        index: as for ``choose_row``.
        x: as for ``choose_row``; only its shape and dtype matter.
        mode: as for ``choose_row``.

    Returns:
        An array with the shape of ``x``.

    Example:
        >>> place_chosen(np.array([5.0, 6.0]), np.array([1, 0]), np.zeros((2, 2)))
        array([[0., 6.],
               [5., 0.]])
    """
    count = x.shape[0]
    if mode == "wrap":
        index = np.mod(index, count)
    elif mode == "clip":
        index = np.clip(index, 0, count - 1)
    z_bar = np.asarray(z_bar, like=x)
    rows = [unbroadcast(np.where(index == k, z_bar, 0), row) for k, row in enumerate(x)]
    return np.stack(rows).astype(np.result_type(z_bar, x), copy=False)


def between_zeros(y: Any, x: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Return the entries of ``y`` at the places that ``np.trim_zeros(x, trim, axis)`` keeps.

    Example:
        >>> between_zeros(np.array([5.0, 6.0, 7.0]), np.array([0.0, 2.0, 0.0]))
        array([6.])
    """
    return y[_kept(x, trim, axis)]


def with_zeros(z_bar: Any, x: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Return the transpose of ``between_zeros``: zeros like ``x`` around ``z_bar``.

    Example:
        >>> with_zeros(np.array([6.0]), np.array([0.0, 2.0, 0.0]))
        array([0., 6., 0.])
    """
    return place(z_bar, _kept(x, trim, axis), x)


def _kept(x: Any, trim: str, axis: Any) -> tuple[slice, ...]:
    """The index of what ``np.trim_zeros`` keeps."""
    some = range(np.ndim(x)) if axis is None else np.atleast_1d(axis) % np.ndim(x)
    kept = []
    for k, places in enumerate(np.nonzero(x)):
        start, stop = (int(places.min()), int(places.max()) + 1) if places.size else (0, 0)
        if k not in some or "f" not in trim.lower():
            start = 0
        if k not in some or ("b" not in trim.lower() and places.size):
            stop = x.shape[k]
        kept.append(slice(start, stop))
    return tuple(kept)
