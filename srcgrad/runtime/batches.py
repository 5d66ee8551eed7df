"""What generated loops over batches call: their length, and how results become arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def batch_length(*arrays: Any, axes: tuple[int, ...]) -> int:
    """Return the common length of arrays, each along an axis of its own.

    Args:
        *arrays: the arrays.
        axes: one axis for each of them.

    Raises:
        TypeError: where one of them is no array.
        ValueError: where they have different lengths, or none has an axis.

    Example:
        >>> batch_length(np.zeros((2, 3)), np.zeros(3), axes=(1, 0))
        3
    """
    lengths = []
    for array, axis in zip(arrays, axes, strict=True):
        if not hasattr(array, "shape") or isinstance(array, np.matrix):
            kind = type(array).__name__
            raise TypeError(f"vmap goes along axes of arrays, and an argument is a {kind}")
        if not -len(array.shape) <= axis < len(array.shape):
            raise ValueError(f"an array of the shape {array.shape} has no axis {axis} for vmap")
        lengths.append(array.shape[axis])
    if len(set(lengths)) > 1:
        raise ValueError(f"vmap goes along axes of one length, and these have {lengths}")
    if lengths[0] == 0:
        raise ValueError("vmap goes along an axis of length 0: what it gives there is not known")
    return lengths[0]


def require_results(first: Any) -> None:
    """Raise TypeError where a result is nothing that can be stacked.

    Args:
        first: what the function gave for one example.
    """
    if not hasattr(first, "shape") and not isinstance(
        first, int | float | complex | tuple | list | dict
    ):
        raise TypeError(f"vmap stacks arrays and numbers, not a {type(first).__name__}")


def stacked(rows: Any, axis: int = 0) -> Any:
    """Return results as one: arrays with one more axis, in tuples, lists or dicts of them.

    Args:
        rows: a list of results of the same structure.
        axis: the place of the axis along which they are in the arrays.

    Example:
        >>> stacked([(1.0, np.zeros(2)), (2.0, np.ones(2))])
        (array([1., 2.]), array([[0., 0.],
               [1., 1.]]))
    """
    first = rows[0]
    if not isinstance(first, (tuple, list, dict)):
        require_results(first)
        return np.stack(rows, axis=axis)
    if isinstance(first, dict):
        return {key: stacked([row[key] for row in rows], axis) for key in first}
    parts = [stacked([row[k] for row in rows], axis) for k in range(len(first))]
    if isinstance(first, list):
        return parts
    return tuple(parts) if type(first) is tuple else type(first)(*parts)
