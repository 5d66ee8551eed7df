"""Choosing from the rows of an array, and the transpose of that."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast


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
