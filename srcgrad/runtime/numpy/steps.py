"""Numbers at equal distances: together with that distance, and the edges of bins."""

from __future__ import annotations

from typing import Any

import numpy as np


def linspace_and_step(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> tuple[Any, Any]:
    """Return ``np.linspace(start, stop, num, endpoint, retstep=True, dtype=dtype, axis=axis)``.

    Args:
        start: the first number, or an array of them.
        stop: the last one, or where the next one would be.
        num: how many.
        endpoint: whether ``stop`` is one of them.
        retstep: True; it stands here for calls that give it by position.
        dtype: the dtype of the numbers; that of their sum if None.
        axis: where they stand among the axes of ``start`` and ``stop``.

    Returns:
        The numbers, and how far they are apart, nan where there is only one.

    Example:
        >>> linspace_and_step(0.0, 1.0, 3)
        (array([0. , 0.5, 1. ]), np.float64(0.5))
    """
    count = num - 1 if endpoint else num
    way = np.subtract(stop, start)
    z = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    return z, way / count if count > 0 else way * np.nan


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:  # noqa: A002
    """Return ``np.histogram_bin_edges(a, bins, range)``, which reads no weights."""
    return np.histogram(a, bins, range)[1]
