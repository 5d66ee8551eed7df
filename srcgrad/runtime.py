"""The few functions that generated code may call at run time.

Each is a plain function of arrays, linear in its first argument unless it says
otherwise, with a derivative formula of its own in ``formulas/runtime.py``, so
that generated code can be differentiated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(x_bar: Any, x: Any) -> Any:
    """Sum a cotangent over the axes along which its array was broadcast.

    Args:
        x_bar: a cotangent with the shape that ``x`` was broadcast to.
        x: the array or scalar before it was broadcast.

    Returns:
        ``x_bar`` itself where the shapes agree, else its sum, in the shape of ``x``.
    """
    shape = getattr(x, "shape", ())
    wide = getattr(x_bar, "shape", ())
    if wide == shape:
        return x_bar
    if not shape:
        return x_bar.sum()
    lead = len(wide) - len(shape)
    stretched = [lead + k for k, n in enumerate(shape) if n == 1 and wide[lead + k] != 1]
    return x_bar.sum(axis=(*range(lead), *stretched), keepdims=True).reshape(shape)


def cast_like(z_bar: Any, x: Any) -> Any:
    """Return a cotangent in the dtype of the array it belongs to.

    Args:
        z_bar: a cotangent.
        x: the array, or the Python number, whose dtype is wanted.

    Returns:
        ``z_bar`` itself where it has that dtype already, or has none; the real part
        of a complex one, where the array is real.
    """
    dtype = getattr(x, "dtype", None)
    if dtype is None or not hasattr(z_bar, "astype"):
        return z_bar
    if dtype.kind == "f":
        z_bar = z_bar.real
    return z_bar.astype(dtype, copy=False)


def is_last_write(x: Any, index: Any) -> Any:
    """Return which entries of ``v`` remain after ``x[index] = v``.

    Args:
        x: the array that is written.
        index: the index; it may name a position more than once.

    Returns:
        An array of booleans in the shape of ``x[index]``, False where a later
        entry is written to the same position.
    """
    positions = places_in(x)[index]
    entries = places_in(positions)
    last = np.zeros_like(positions, shape=x.size)
    last[positions] = entries
    return last[positions] == entries


def with_diagonal(x: Any, v: Any) -> Any:
    """Return a copy of a matrix with other numbers on its diagonal.

    Args:
        x: a matrix.
        v: a number, or one number for each element of the diagonal.
    """
    z = x.copy()
    np.fill_diagonal(z, v)
    return z


def list_along(x: Any, axis: int = 0) -> list[Any]:
    """Return the parts of an array along an axis, as a list."""
    return list(np.moveaxis(x, axis, 0))


def list_like(z_bar: Any, arrays: list[Any], axis: int = 0) -> list[Any]:
    """Cut a cotangent into pieces shaped like the elements of a list that were joined."""
    return list(split_like(z_bar, arrays, axis=axis))


def spread_over(z_bar: Any, values: list[Any]) -> list[Any]:
    """Return the cotangents of values from that of their sum."""
    return [unbroadcast(z_bar, value) for value in values]


def add_lists(first: list[Any], second: list[Any]) -> list[Any]:
    """Return the sums of the elements of two lists of one length."""
    return [a + b for a, b in zip(first, second, strict=True)]


def object_of(cls: Any, /, **attributes: Any) -> Any:
    """Return an object of a class with these attributes, without calling its ``__init__``.

    The derivative with respect to an object has the object's structure; what has
    no derivative is None.
    """
    made = object.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def tree_of(cls: Any, aux: Any, parts: tuple[Any, ...]) -> Any:
    """Return a value of a class that was registered as a tree."""
    from srcgrad.structures import registered

    return registered(cls)[1](aux, parts)


def zeros_of(residuals: Any) -> Any:
    """Return zeros in the structure of what was kept.

    Args:
        residuals: a list, or nested tuples, of arrays, numbers and None.

    Returns:
        The same list or tuples, of zeros; None where there is None.
    """
    if isinstance(residuals, tuple | list):
        return type(residuals)(zeros_of(part) for part in residuals)
    if hasattr(residuals, "shape"):
        return np.zeros_like(residuals, dtype=np.result_type(residuals, np.float32))
    return None if residuals is None else 0.0


def zeros_in(values: Any) -> list[Any]:
    """Return a list of zeros, one for each value of a list or tuple."""
    return [zeros_of(value) for value in values]


def zeros_of_active(items: Any, active: Any) -> list[Any]:
    """Return zeros for the parts of a list's elements that have cotangents.

    Args:
        items: a list.
        active: what an element is made of: True for a part that has a cotangent,
            False for one that has none, a tuple of these, or a list with one of
            these for a list.

    Returns:
        For each element the zero of its only such part, or a tuple of the zeros
        of all of them.

    Example:
        >>> zeros_of_active([(0.5, 3, [1.5])], (True, False, [True]))
        [(0.0, [0.0])]
    """
    made = []
    for item in items:
        parts = _active_zeros(item, active)
        made.append(parts[0] if len(parts) == 1 else tuple(parts))
    return made


def _active_zeros(value: Any, active: Any) -> list[Any]:
    if isinstance(active, tuple):
        pairs = zip(value, active, strict=True)
        return [zero for part, kind in pairs for zero in _active_zeros(part, kind)]
    if isinstance(active, list):
        return [zeros_of_active(value, active[0])]
    return [zeros_of(value)] if active else []


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """Return an array in another dtype, as its method of the same name does."""
    return x.astype(dtype, copy=copy)


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
    out = np.zeros_like(x)
    if may_repeat(index):
        np.add.at(out, index, z_bar)
    else:
        out[index] = z_bar
    return out


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


def arange_like(x: Any, start: int, stop: int, step: int = 1) -> Any:
    """Return ``np.arange`` with the dtype of an array, as an array of the same kind.

    Args:
        x: the array; only its dtype and the kind of array that it is matter.
        start: the first number.
        stop: where the numbers end; it is not one of them.
        step: how far they are apart.

    Example:
        >>> arange_like(np.ones(2), 3, 0, -1)
        array([3., 2., 1.])
    """
    return np.arange(start, stop, step, dtype=x.dtype, like=x)


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
    out = np.zeros_like(x, order="C")  # so that its flattened form is a view
    np.add.at(out.reshape(-1), places, z_bar)
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
    out = np.zeros_like(x)
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    rows, columns = matrices.shape[-2:]
    above, below = max(offset, 0), max(-offset, 0)
    length = max(min(rows - below, columns - above), 0)
    index = np.arange(length, like=x)
    matrices[..., index + below, index + above] = z_bar
    return out


def split_like(z_bar: Any, arrays: Any, axis: int = 0) -> tuple[Any, ...]:
    """Cut a cotangent into pieces shaped like the arrays that were joined.

    This is the transpose of ``np.concatenate(arrays, axis=axis)``, and of the
    stacking functions that first give their arrays more axes.

    Args:
        z_bar: an array with the shape of the joined arrays.
        arrays: the arrays or scalars; only their shapes matter. One with fewer
            axes than ``z_bar`` has length 1 along ``axis``.
        axis: the axis along which they were joined.

    Returns:
        One piece for each of the arrays, in its shape.
    """
    pieces = []
    start = 0
    before = (slice(None),) * (axis % z_bar.ndim)
    for array in arrays:
        shape = getattr(array, "shape", ())
        full = len(shape) == z_bar.ndim
        stop = start + (shape[axis] if full else 1)
        piece = z_bar[(*before, slice(start, stop))]
        pieces.append(piece if full else piece.reshape(shape))
        start = stop
    return tuple(pieces)


def join_like(pieces: Any, z: Any, axis: int = 0) -> Any:
    """Join pieces to an array with as many axes as ``z``.

    This is the transpose of ``split_like``.

    Args:
        pieces: arrays or scalars that ``split_like`` could have given.
        z: the array that would be split; only its shape matters.
        axis: the axis along which the pieces are joined.

    Returns:
        An array with the shape of ``z``.
    """
    other = list(z.shape)
    other[axis] = -1
    wide = [p if np.ndim(p) == z.ndim else np.reshape(p, other) for p in pieces]
    return np.concatenate(wide, axis=axis)


def sum_tiles(z_bar: Any, x: Any, reps: Any) -> Any:
    """Return the sum of the copies of ``x`` that ``np.tile(x, reps)`` is made of.

    Args:
        z_bar: an array with the shape of that result.
        x: the array that was tiled; only its shape matters.
        reps: how many copies along each axis.

    Returns:
        An array with the shape of ``x``.
    """
    counts = tuple(reps) if isinstance(reps, tuple | list) else (reps,)
    rank = max(len(counts), x.ndim)
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - x.ndim) + x.shape
    pairs = [n for pair in zip(counts, shape, strict=True) for n in pair]
    return z_bar.reshape(pairs).sum(axis=tuple(range(0, 2 * rank, 2))).reshape(x.shape)


def sum_repeats(z_bar: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return the sums of the copies that ``np.repeat(x, repeats, axis)`` made.

    Args:
        z_bar: an array with the shape of that result.
        x: the array whose entries were repeated; only its shape and dtype matter.
        repeats: how many copies of each entry; a number, or one for each entry.
        axis: the axis; None for the flattened ``x``.

    Returns:
        An array with the shape of ``x``.
    """
    if axis is None:
        return sum_repeats(z_bar, x.reshape(-1), repeats, 0).reshape(x.shape)
    along: int = axis % x.ndim
    if np.size(repeats) == 1:
        count = int(np.reshape(repeats, ()))
        pairs = (*x.shape[: along + 1], count, *x.shape[along + 1 :])
        return z_bar.reshape(pairs).sum(axis=along + 1)
    return place_along(z_bar, np.repeat(np.arange(x.shape[along], like=x), repeats), x, along)


def first_columns(z_bar: Any, count: int) -> Any:
    """Return the first columns of a cotangent whose other columns are zero.

    Args:
        z_bar: the cotangent of matrices, of which only some columns are determined.
        count: how many are.

    Raises:
        ValueError: when another column has a cotangent.
    """
    if np.any(z_bar[..., count:]):
        raise ValueError(
            "the singular vectors that full_matrices=True adds have no derivative; "
            "call np.linalg.svd with full_matrices=False"
        )
    return z_bar[..., :count]


def require_scalar(value: Any) -> None:
    """Refuse a value that is not one real number.

    Args:
        value: the result of a function whose gradient is asked for.

    Raises:
        TypeError: when it has more than one element, or is complex. This runs in saved
            modules too, which have no other errors than Python's.
    """
    if np.ndim(value) != 0 or np.iscomplexobj(value):
        kind = f"of the shape {np.shape(value)}" if np.ndim(value) else "complex"
        raise TypeError(
            f"the result is {kind}; a gradient asks for one real number: sum it, index it, "
            "take its real part, or use vjp"
        )


def require_contiguous(x: Any) -> None:
    """Refuse an array whose reshaped form is a copy, where that is written into.

    Args:
        x: the array that is reshaped.

    Raises:
        ValueError: when its elements do not lie row after row in memory. This runs in
            saved modules too, which have no other errors than Python's.

    Examples:
        >>> require_contiguous(np.zeros((2, 3)))
    """
    if not x.flags.c_contiguous:
        raise ValueError(
            "an array is written through reshape or ravel, which made a copy of it, since it is "
            "not contiguous in memory: write into the array itself, or make it contiguous with "
            "np.ascontiguousarray"
        )


def require_separate(name: str, written: Any, **others: Any) -> None:
    """Refuse an argument that is written and shares memory with another one.

    Args:
        name: the parameter that is written.
        written: its array.
        others: the other arrays that the function reads, by name.

    Raises:
        ValueError: when two of them share memory. This runs in saved modules too, which
            have no other errors than Python's.

    Examples:
        >>> x = np.zeros(3)
        >>> require_separate("x", x, y=x.copy())
    """
    for other, value in others.items():
        parts = value if isinstance(value, tuple | list) else (value,)
        if any(np.may_share_memory(written, part) for part in parts if hasattr(part, "shape")):
            raise ValueError(
                f"{name} is written in place and shares memory with {other}, which the "
                f"derivative was not generated for: pass {other}.copy()"
            )


def stop_gradient(x: Any) -> Any:
    """Return a value unchanged, as a constant of differentiation.

    Args:
        x: any value.

    Returns:
        ``x`` itself.

    Example:
        >>> from srcgrad import grad, stop_gradient
        >>> float(grad(lambda x: stop_gradient(x) * x)(3.0))
        3.0
    """
    return x


def require_no_added_vectors(x_dot: Any, full: bool) -> Any:
    """Return the tangent of matrices none of whose singular vectors were added.

    Args:
        x_dot: the tangent of the matrices that were decomposed.
        full: whether vectors were added where the matrices are not square.

    Raises:
        ValueError: where there are added vectors, as they have no derivative.
    """
    if full and x_dot.shape[-2] != x_dot.shape[-1]:
        raise ValueError(
            "the singular vectors that full_matrices=True adds have no derivative; "
            "call np.linalg.svd with full_matrices=False"
        )
    return x_dot
