"""The methods ``outer``, ``reduce``, ``accumulate`` and ``reduceat`` of ufuncs.

What is called is any function of two arrays. Derivatives of ufuncs whose methods have no
formula of their own go through these.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def outer(function: Any, x: Any, y: Any) -> Any:
    """Return ``function(x[i], y[j])`` for all i and j.

    Args:
        function: a ufunc of two arrays or numbers.
        x: an array or a number.
        y: an array or a number.

    Example:
        >>> outer(np.power, np.array([2.0, 3.0]), np.array([1.0, 2.0]))
        array([[2., 4.],
               [3., 9.]])
    """
    return function(np.reshape(x, (*np.shape(x), *(1,) * np.ndim(y))), y)


def reduce(
    function: Any,
    x: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Return ``function(function(x[0], x[1]), x[2])`` and so on, along an axis.

    Args:
        function: a ufunc of two arrays or numbers.
        x: an array with at least one entry along the axis, or more than none and an initial.
        axis: the axis; None, or several, for the entries in the order of memory.
        dtype: the dtype in which it is computed; that of x if None.
        keepdims: whether the axis stays, with length 1.
        initial: a number that comes before the first entry; with ``where``, the ufunc's
            identity if None.
        where: for each entry, whether it is one of those that are gone through.

    Example:
        >>> reduce(np.subtract, np.array([7.0, 2.0, 1.0]))
        np.float64(4.0)
    """
    if dtype is not None:
        x = x.astype(dtype)
    rows = entries(x, axis)
    chosen = None if where is True else entries(np.broadcast_to(where, x.shape), axis)
    if chosen is not None and initial is None:
        initial = function.identity
    if initial is None:
        z = rows[0]
        first = 1
    else:
        z = initial + np.zeros_like(rows, shape=rows.shape[1:])
        first = 0
    for k in range(first, len(rows)):
        if chosen is None:
            z = function(z, rows[k])
        else:
            z = np.where(chosen[k], function(z, rows[k]), z)
    if keepdims and axis is None:
        z = np.reshape(z, (1,) * np.ndim(x))
    elif keepdims:
        z = np.expand_dims(z, axis)
    return z


def entries(x: Any, axis: Any) -> Any:
    """Return an array with the entries that a reduction goes through along its first axis.

    Args:
        x: an array.
        axis: the axis that is reduced; None, or several, for the entries in the order of memory.

    Example:
        >>> entries(np.arange(8).reshape(2, 2, 2), (0, 2))
        array([[0, 2],
               [1, 3],
               [4, 6],
               [5, 7]])
    """
    if axis is None:
        return np.ravel(x)
    if not isinstance(axis, tuple):
        return np.moveaxis(x, axis, 0)
    moved = np.moveaxis(x, axis, tuple(range(len(axis))))
    return np.reshape(moved, (-1,) + moved.shape[len(axis) :])  # noqa: RUF005 - its length is not known


def accumulate(function: Any, x: Any, axis: int = 0, dtype: Any = None) -> Any:
    """Return what ``reduce`` gives of the entries up to each one along an axis.

    Args:
        function: a function of two arrays or numbers.
        x: an array with at least one entry along the axis.
        axis: the axis.
        dtype: the dtype in which it is computed; that of x if None.

    Example:
        >>> accumulate(np.subtract, np.array([7.0, 2.0, 1.0]))
        array([7., 5., 4.])
    """
    rows = np.moveaxis(x if dtype is None else x.astype(dtype), axis, 0)
    z = rows[0]
    steps = [z]
    for k in range(1, len(rows)):
        z = function(z, rows[k])
        steps.append(z)
    return np.stack(steps, axis)


def reduceat(function: Any, x: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """Return what ``reduce`` gives of the entries from each index on up to the next.

    Args:
        function: a function of two arrays or numbers.
        x: an array.
        indices: where the parts begin; one whose next one does not begin behind it is a
            single entry.
        axis: the axis.
        dtype: the dtype in which it is computed; that of x if None.

    Example:
        >>> reduceat(np.subtract, np.array([7.0, 2.0, 1.0]), [0, 2])
        array([5., 1.])
    """
    rows = np.moveaxis(x if dtype is None else x.astype(dtype), axis, 0)
    ends = [*indices[1:], len(rows)]
    parts = []
    for start, end in zip(indices, ends, strict=True):
        z = rows[start]
        for k in range(start + 1, end):
            z = function(z, rows[k])
        parts.append(z)
    return np.stack(parts, axis)
