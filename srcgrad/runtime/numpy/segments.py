"""Which entries the methods ``accumulate`` and ``reduceat`` of ufuncs look at."""

from __future__ import annotations

from typing import Any

import numpy as np


def leaders(x: Any, z: Any, axis: int) -> Any:
    """Return where the running extrema of an array stand in it.

    Args:
        x: the array.
        z: its running maxima or minima along the axis.
        axis: the axis.

    Returns:
        Whole numbers in the shape of ``x``; of entries that tie, that of the first one.

    Example:
        >>> x = np.array([1.0, 3.0, 2.0, 3.0])
        >>> leaders(x, np.maximum.accumulate(x), axis=0)
        array([0, 1, 1, 1])
    """
    rows, extrema = np.moveaxis(x, axis, 0), np.moveaxis(z, axis, 0)
    places = np.arange(len(rows), like=x).reshape((-1,) + (1,) * (x.ndim - 1))
    comes = rows == extrema
    comes[1:] &= extrema[1:] != extrema[:-1]
    return np.moveaxis(np.maximum.accumulate(np.where(comes, places, 0), axis=0), 0, axis)


def segment_places(indices: Any, x: Any, axis: int) -> Any:
    """Return the places that each segment of ``np.ufunc.reduceat`` is made of.

    Args:
        indices: where the segments start; each goes on up to the next one, and is a single
            entry where the next one does not start behind it.
        x: the array; only its shape matters.
        axis: the axis along which the segments are.

    Returns:
        One row of places for each segment, in the length of the longest one; shorter ones
        go on with their last place.

    Example:
        >>> segment_places([0, 3, 1], np.zeros(4), axis=0)
        array([[0, 1, 2],
               [3, 3, 3],
               [1, 2, 3]])
    """
    starts, counts = _segments(indices, x.shape[axis])
    steps = np.arange(np.max(counts, initial=1))
    return starts[:, None] + np.minimum(steps, counts[:, None] - 1)


def segment_present(indices: Any, x: Any, axis: int) -> Any:
    """Return which of the ``segment_places`` belong to the segments.

    Args:
        indices: as for ``segment_places``.
        x: as for ``segment_places``.
        axis: as for ``segment_places``.

    Returns:
        Truth values in the shape of these places, and an axis of length 1 for each of the
        axes of ``x`` behind that one.
    """
    _, counts = _segments(indices, x.shape[axis])
    present = np.arange(np.max(counts, initial=1)) < counts[:, None]
    return present.reshape(present.shape + (1,) * (x.ndim - 1 - axis % x.ndim))


def _segments(indices: Any, length: int) -> tuple[Any, Any]:
    starts = np.asarray(indices)
    stops = np.append(starts[1:], length)
    return starts, np.maximum(stops - starts, 1)
