"""Cotangents in the shape and the type of what they belong to."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.runtime.placing import place_along


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
    if len(wide) < len(shape):  # it was written into fewer axes: its first ones have length 1
        wide = (1,) * (len(shape) - len(wide)) + wide
        x_bar = np.reshape(x_bar, wide)
    lead = len(wide) - len(shape)
    stretched = [lead + k for k, n in enumerate(shape) if n == 1 and wide[lead + k] != 1]
    return x_bar.sum(axis=(*range(lead), *stretched), keepdims=True).reshape(shape)


def is_fixed(x: Any) -> bool:
    """Tell whether something is no real number that might be differentiated.

    Whole numbers are, and numbers that stand in the program, of which that is known when
    code is generated.

    Example:
        >>> is_fixed(np.array([1, 2])), is_fixed(1.0)
        (True, False)
    """
    return np.result_type(x).kind in "biu"


def is_boolean(x: Any) -> bool:
    """Tell whether an array or a number is one of truth values.

    Args:
        x: an array or a number.

    Examples:
        >>> is_boolean(np.array([True, False])), is_boolean(1.0)
        (True, False)
    """
    return isinstance(x, bool) or (hasattr(x, "dtype") and x.dtype.kind == "b")


def as_floats(x: Any) -> Any:
    """Return whole numbers and truth values in double precision, anything else as it is.

    What a formula computes of an operand alone does so in the operand's own type, and small
    whole numbers overflow, or have logarithms in half precision.

    Args:
        x: an array or a number.

    Example:
        >>> as_floats(np.array([1, 2], dtype=np.int8)), as_floats(0.5)
        (array([1., 2.]), 0.5)
    """
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    return x.astype(np.float64) if kind and kind in "biu" else x


def cast_like(z_bar: Any, x: Any) -> Any:
    """Return a cotangent in the dtype of the array it belongs to.

    Args:
        z_bar: a cotangent.
        x: the array, or the Python number, whose dtype is wanted.

    Returns:
        ``z_bar`` itself where it has that dtype already; the real part of a complex one,
        where ``x`` is real; a number of double precision, where ``x`` is one of Python's.
    """
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        wide = isinstance(x, float | complex) and isinstance(z_bar, np.inexact)
        return cast_like(z_bar, np.asarray(x)[()]).item() if wide else z_bar
    if dtype.kind == "f":
        z_bar = z_bar.real
    if not hasattr(z_bar, "astype"):  # a number of Python's
        return z_bar if x.ndim or dtype.kind not in "fc" else dtype.type(z_bar)
    return z_bar.astype(dtype, copy=False)


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """Return an array in another dtype, as its method of the same name does."""
    return x.astype(dtype, copy=copy)


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
            "the orthonormal columns that are added to full matrices have no derivative; "
            'call svd with full_matrices=False, or qr with mode="economic"'
        )
    return z_bar[..., :count]


def outside_span(rest: Any, u: Any, s: Any) -> Any:
    """Return ``rest / s``, where ``rest`` is what lies outside of the span of the columns of u.

    Those of a square matrix span everything, so that ``rest`` is rounding: it gives zeros,
    however small the singular values are. Where there is no rest, it does not matter either.

    Args:
        rest: columns, as many as u has.
        u: orthonormal columns.
        s: a number for each column.
    """
    if u.shape[-2] == u.shape[-1]:
        return np.zeros_like(rest)
    return rest / np.where((rest == 0) & (s == 0), 1, s)


def over_gaps(p: Any, gaps: Any, own: Any = None) -> Any:
    """Return ``p / gaps``, with zeros where a gap is one to itself, and in columns of zeros.

    Such a column is that of a vector that nothing reads. So it does not matter how near its
    eigenvalue is to another one.

    Args:
        p: a column for each vector that may be read, shape (..., n, m).
        gaps: between its eigenvalue, or the square of its singular value, and all of them.
        own: which of all vectors each is, a truth value for each two; the diagonal by default.
    """
    own = np.identity(gaps.shape[-1], bool, like=gaps) if own is None else own
    counts = ~own & np.any(p != 0, axis=-2, keepdims=True)
    return np.where(counts, p / np.where(counts, gaps, 1), 0)


def with_added_columns(x_dot: Any, count: int) -> Any:
    """Return the tangent of columns, with nan for those that were added without a derivative.

    Args:
        x_dot: the tangent of orthonormal columns.
        count: how many there are with those that were added.
    """
    added = count - x_dot.shape[-1]
    if added == 0:
        return x_dot
    unknown = np.full_like(x_dot, np.nan, shape=(*x_dot.shape[:-1], added))
    return np.concatenate((x_dot, unknown), axis=-1)


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
    rank = max(len(counts), np.ndim(x))
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - np.ndim(x)) + np.shape(x)
    pairs = [n for pair in zip(counts, shape, strict=True) for n in pair]
    total = np.sum(np.reshape(z_bar, pairs), axis=tuple(range(0, 2 * rank, 2)))
    return np.reshape(total, np.shape(x)) if np.ndim(x) else np.reshape(total, ())[()]


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
        flat = sum_repeats(z_bar, np.reshape(x, -1), repeats, 0)
        return np.reshape(flat, np.shape(x)) if np.ndim(x) else flat[0]
    along: int = axis % x.ndim
    if np.size(repeats) == 1:
        count = int(np.reshape(repeats, ()))
        pairs = (*x.shape[: along + 1], count, *x.shape[along + 1 :])
        return z_bar.reshape(pairs).sum(axis=along + 1)
    return place_along(z_bar, np.repeat(np.arange(x.shape[along], like=x), repeats), x, along)


def sum_windows(z_bar: Any, x: Any, window_shape: Any, axis: Any = None) -> Any:
    """Return what windows that slide over an array hold of each entry, summed.

    Args:
        z_bar: an array with the shape of ``sliding_window_view(x, window_shape, axis)``.
        x: the array that the windows slide over; only its shape matters.
        window_shape: the lengths of a window, or its only one.
        axis: the axes that these belong to, or the only one; None for all axes in order.

    Returns:
        An array with the shape of ``x``.

    Example:
        >>> import numpy as np
        >>> sum_windows(np.ones((3, 2)), np.zeros(4), 2)
        array([1., 2., 2., 1.])
    """
    lengths = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    total = np.zeros_like(x, dtype=z_bar.dtype)
    for offsets in itertools.product(*map(range, lengths)):
        starts = [0] * x.ndim
        for along, offset in zip(axes, offsets, strict=True):
            starts[along] += offset
        pairs = zip(starts, z_bar.shape, strict=False)
        total[tuple(slice(k, k + n) for k, n in pairs)] += z_bar[(..., *offsets)]
    return total


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
