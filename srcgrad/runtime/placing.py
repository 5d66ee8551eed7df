"""Cotangents put where an index took values from: the transposes of indexing."""

from __future__ import annotations

from typing import Any

import numpy as np


def last_writes(x: Any, index: Any) -> tuple[Any, Any]:
    """Return which entry of ``v`` is at each place after ``x[index] = v``.

    Args:
        x: the array that is written.
        index: the index; it may name a position more than once.

    Returns:
        Two arrays of whole numbers in the shape of ``x[index]``: the entry of the flattened
        ``v`` that stays at the place, and the one that was written to it.
    """
    positions = places_in(x)[index]
    entries = places_in(positions)
    last = np.zeros_like(positions, shape=(x.size,))
    last[positions] = entries
    return last[positions], entries


def is_last_write(x: Any, index: Any) -> Any:
    """Return which entries of ``v`` remain after ``x[index] = v``.

    Args:
        x: the array that is written.
        index: the index; it may name a position more than once.

    Returns:
        An array of booleans in the shape of ``x[index]``, False where a later
        entry is written to the same position.
    """
    staying, entries = last_writes(x, index)
    return staying == entries


def with_diagonal(x: Any, v: Any, wrap: bool = False) -> Any:
    """Return a copy of a matrix with other numbers on its diagonal.

    Args:
        x: a matrix.
        v: a number, or one number for each element of the diagonal.
        wrap: whether the diagonal of a tall matrix starts again below its end.
    """
    z = x.copy()
    np.fill_diagonal(z, v, wrap=wrap)
    return z


def place(z_bar: Any, index: Any, x: Any) -> Any:
    """Return zeros like ``x`` with ``z_bar`` added at ``index``.

    This is the transpose of ``x[index]``. Entries that the index names more than
    once receive the sum of their cotangents.

    Args:
        z_bar: an array or scalar with the shape of ``x[index]``.
        index: any index that NumPy accepts.
        x: the array that was indexed; only its shape and dtype matter.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    if not may_repeat(index):
        out = _zeros(z_bar, x)
        out[index] = z_bar
        return out
    out = _zeros(z_bar, x, order="K" if isinstance(x, np.ndarray) else "C")
    add_at(out, index, z_bar)
    return out


def add_at(out: Any, index: Any, values: Any) -> None:
    """Add values at an index, which may name an entry more than once.

    This is ``np.add.at``. CuPy's takes neither tuples of indices, where NumPy hands it
    on, nor complex numbers: its arrays are added to by places of the flattened array.

    Args:
        out: the array, by rows in memory if it is not one of NumPy's.
        index: any index that NumPy accepts.
        values: an array or a number that broadcasts to the shape of ``out[index]``.
    """
    if isinstance(out, np.ndarray):
        np.add.at(out, index, values)
        return
    flat, places = out.reshape(-1), index
    if isinstance(index, tuple) or out.ndim > 1:
        places = places_in(out)[index]
    if np.iscomplexobj(out):
        np.add.at(flat.real, places, np.real(values))
        np.add.at(flat.imag, places, np.imag(values))
    else:
        np.add.at(flat, places, values)


def _zeros(z_bar: Any, x: Any, order: Any = "K") -> Any:
    """Zeros like an array, which may be real where its cotangent is complex: the result is, too."""
    if np.iscomplexobj(z_bar) and not np.iscomplexobj(x):
        return np.zeros_like(x, dtype=np.result_type(x, 1j), order=order)
    return np.zeros_like(x, order=order)


def places_in(x: Any) -> Any:
    """Return for each entry of an array its place in the flattened array.

    Args:
        x: the array; only its shape and the kind of array that it is matter.

    Returns:
        An array of whole numbers with the shape of ``x``.

    Example:
        >>> places_in(np.ones((2, 2)))
        array([[0, 1],
               [2, 3]])
    """
    if not hasattr(x, "__array_function__"):  # a number
        return np.zeros((), dtype=int)
    return np.arange(x.size, like=x).reshape(x.shape)


def may_repeat(index: Any) -> bool:
    """Tell whether an index may name an entry twice.

    Integers, slices, ``None``, ``...`` and boolean masks never do; a list or an
    array of integers may.
    """
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(part, (list, tuple, range))
        or (getattr(part, "ndim", 0) > 0 and part.dtype.kind != "b")
        for part in parts
    )


def place_flat(z_bar: Any, places: Any, x: Any) -> Any:
    """Return zeros like ``x`` with ``z_bar`` added at places of the flattened array.

    This is the transpose of ``np.take(x, places)``.

    Args:
        z_bar: an array with the shape of ``places``.
        places: an array of integers.
        x: the array that was read; only its shape and dtype matter.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    out = _zeros(z_bar, x, order="C")  # so that its flattened form is a view
    add_at(out.reshape(-1), places, z_bar)
    return out


def place_along(z_bar: Any, indices: Any, x: Any, axis: int) -> Any:
    """Return zeros like ``x`` with ``z_bar`` added at ``indices`` along an axis.

    This is the transpose of ``np.take(x, indices, axis=axis)``.

    Args:
        z_bar: an array with the shape of that result.
        indices: an integer or an array of integers.
        x: the array that was read; only its shape and dtype matter.
        axis: the axis, which may be negative.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    return place(z_bar, (slice(None),) * (axis % x.ndim) + (indices,), x)


def place_each_along(z_bar: Any, indices: Any, x: Any, axis: int) -> Any:
    """Return zeros like ``x`` with ``z_bar`` added at each row's own ``indices``.

    This is the transpose of ``np.take_along_axis(x, indices, axis=axis)``.

    Args:
        z_bar: an array with the shape of that result.
        indices: an array of integers with as many axes as ``x``.
        x: the array that was read; only its shape and dtype matter.
        axis: the axis, which may be negative.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    index: list[Any] = []
    for k, n in enumerate(x.shape):
        if k == axis % x.ndim:
            index.append(indices)
        else:
            column = [1] * x.ndim
            column[k] = n
            index.append(np.arange(n, like=x).reshape(column))
    return place(z_bar, tuple(index), x)


def place_diagonal(z_bar: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return zeros like ``x`` with ``z_bar`` on a diagonal.

    This is the transpose of ``np.diagonal(x, offset, axis1, axis2)``.

    Args:
        z_bar: an array that broadcasts to the shape of that diagonal.
        x: the array that the diagonal was read from; only its shape and dtype
            matter.
        offset: how far the diagonal stands above the main one.
        axis1: the axis of the rows.
        axis2: the axis of the columns.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    out = _zeros(z_bar, x)
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    rows, columns = matrices.shape[-2:]
    above, below = max(offset, 0), max(-offset, 0)
    length = max(min(rows - below, columns - above), 0)
    index = np.arange(length, like=x)
    matrices[..., index + below, index + above] = z_bar
    return out
