"""What the derivatives of matrix functions of NumPy and SciPy call at run time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.late import late
from srcgrad.runtime.broadcasting import unbroadcast


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Return the solution of ``a @ x == b`` for a regular triangular matrix.

    With SciPy it costs a half to a fifth of ``np.linalg.solve``, which factorizes the matrix.

    Args:
        a: a triangular matrix, shape (..., n, n), with zeros in the other triangle.
        b: shape (..., n, m).
        lower: which triangle it is.
    """
    plain = type(a) is np.ndarray and type(b) is np.ndarray and a.ndim == b.ndim == 2
    solve = _blas() if plain and a.dtype == b.dtype == np.float64 and b.size else None
    return np.linalg.solve(a, b) if solve is None else solve(1.0, a, b, lower=lower)


@functools.cache
def _blas() -> Any:
    """SciPy's function for triangular matrices of float64; None where there is no SciPy."""
    try:
        return late("dtrsm")
    except ImportError:
        return None


def require_real(z: Any) -> Any:
    """Return a result of a function of real matrices that is real.

    Raises:
        ValueError: where it is complex, as its derivative is not known.
    """
    if np.iscomplexobj(z):
        raise ValueError("the result is complex, and its derivative is not known")
    return z


def require_tall(u: Any) -> Any:
    """Return the orthogonal factor of a polar decomposition whose other one is not singular.

    Raises:
        ValueError: where ``u`` has more columns than rows.
    """
    if u.shape[-2] < u.shape[-1]:
        raise ValueError(
            "the symmetric factor of this polar decomposition is singular, and has no derivative; "
            "call scipy.linalg.polar with the other side"
        )
    return u


def require_whole(z: Any, x: Any) -> Any:
    """Return a pseudo-inverse that leaves out no singular value but those that are 0.

    Args:
        z: the pseudo-inverse.
        x: the matrix, or several.

    Raises:
        ValueError: where more is left out, so that its derivative is not that at constant rank.
    """
    _require_nothing(np.abs(x - x @ z @ x), np.max(np.abs(x), initial=0.0))
    return z


def require_rank(p: Any, rank: Any, singular: Any) -> Any:
    """Return the pseudo-inverse of a matrix, all of whose other singular values are 0.

    Args:
        p: the pseudo-inverse.
        rank: how many singular values are not left out.
        singular: all of them, the largest first.

    Raises:
        ValueError: where one that is left out is not 0.
    """
    _require_nothing(singular[rank:], np.max(singular, initial=0.0))
    return p


def _require_nothing(rest: Any, largest: Any) -> None:
    if np.max(rest, initial=0.0) > np.sqrt(np.finfo(rest.dtype).eps) * largest:
        raise ValueError(
            "rcond, rtol, atol or cond leaves out singular values that are not 0, and the "
            "derivative of what remains is not known; use np.linalg.svd"
        )


def block_of(z: Any, arrays: Any, k: int) -> Any:
    """Return block number ``k`` of a block diagonal matrix of these arrays."""
    rows, columns = _spans(arrays, k)
    return z[rows, columns].reshape(np.shape(arrays[k]))


def place_block(x: Any, arrays: Any, k: int) -> Any:
    """Return the block diagonal matrix of these arrays with ``x`` for number ``k``, and zeros."""
    shapes = [np.atleast_2d(array).shape for array in arrays]
    out = np.zeros_like(x, shape=tuple(map(sum, zip(*shapes, strict=True))))
    rows, columns = _spans(arrays, k)
    out[rows, columns] = x
    return out


def _spans(arrays: Any, k: int) -> tuple[slice, slice]:
    """Return the rows and columns of a block."""
    if any(np.ndim(array) > 2 for array in arrays):
        raise ValueError(
            "the derivative of several block diagonal matrices at once is not known; make each "
            "by itself"
        )
    shapes = [np.atleast_2d(array).shape for array in arrays[: k + 1]]
    ends = [sum(lengths) for lengths in zip(*shapes, strict=True)]
    row, column = (end - length for end, length in zip(ends, shapes[k], strict=True))
    return slice(row, ends[0]), slice(column, ends[1])


def diagonal_sums(z: Any) -> Any:
    """Return the sums along the diagonals of matrices, from the lowest one on."""
    rows, columns = z.shape[-2:]
    out = np.zeros_like(z, shape=(*z.shape[:-2], rows + columns - 1))
    for k in range(rows):
        out[..., rows - 1 - k : rows - 1 - k + columns] += z[..., k, :]
    return out


def with_direction(a: Any, direction: Any) -> Any:
    """Return the matrix ((a, direction), (0, a)).

    A function of it has the derivative of the function of ``a`` along the direction
    in its upper right: R. Mathias, "A chain rule for matrix functions and
    applications", 1996.
    """
    upper = np.concatenate((a, direction), axis=-1)
    lower = np.concatenate((np.zeros_like(a), a), axis=-1)
    return np.concatenate((upper, lower), axis=-2)


def anchors(v: Any) -> Any:
    """Return 1 where LAPACK made the largest entry of an eigenvector real, 0 elsewhere.

    Args:
        v: matrices with eigenvectors as their columns.
    """
    size = np.where(np.imag(v) == 0, np.abs(v), -1.0)
    places = np.arange(v.shape[-2], like=size)[:, None]
    return (places == np.argmax(size, axis=-2, keepdims=True)).astype(size.dtype)


def nearest_columns(w: Any, z: Any) -> Any:
    """Return where the numbers of ``z`` stand in ``w``, for ``np.take_along_axis`` of columns.

    LAPACK may give eigenvalues in another order when it computes no eigenvectors.

    Args:
        w: eigenvalues, along the last axis.
        z: the same, perhaps in another order and rounded otherwise.
    """
    n = z.shape[-1]
    apart = np.abs(z[..., :, None] - w[..., None, :]).reshape(-1, n, n)
    order = np.empty((apart.shape[0], n), dtype=int, like=apart)
    for distances, found in zip(apart, order, strict=True):
        for k in range(n):
            found[k] = np.argmin(distances[k])
            distances[:, found[k]] = np.inf
    return order.reshape(*z.shape[:-1], 1, n)


def places_among(all_w: Any, w: Any) -> Any:
    """Return 1 where an eigenvalue of some is the one of all, 0 elsewhere.

    Args:
        all_w: all eigenvalues, along the last axis.
        w: some of them, perhaps rounded otherwise.

    Returns:
        Matrices with a row for each of ``all_w`` and a column for each of ``w``.

    Example:
        >>> places_among(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0]))
        array([[0., 0.],
               [1., 0.],
               [0., 1.]])
    """
    found = np.argmin(np.abs(all_w[..., :, None] - w[..., None, :]), axis=-2)
    places = np.arange(all_w.shape[-1], like=all_w)[:, None]
    return (places == found[..., None, :]).astype(w.dtype)


def of_triangle(whole: Any, lower: bool) -> Any:
    """Return the cotangent of the one triangle that stands for a symmetric matrix.

    Args:
        whole: the cotangent of the symmetric, or Hermitian, matrix; or several.
        lower: whether it is the lower triangle.
    """
    return np.tril(whole) + np.tril(whole, -1) if lower else np.triu(whole) + np.triu(whole, 1)


def symmetric_of(a: Any, lower: bool, hermitian: bool = False) -> Any:
    """Return the symmetric, or Hermitian, matrix of which ``a`` has one triangle.

    Args:
        a: a matrix, or several.
        lower: whether it is the lower triangle that is read, or the upper one.
        hermitian: whether the other triangle is the conjugate of that, and the diagonal real.
    """
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    mirrored = np.swapaxes(half, -1, -2)
    diagonal = a * np.identity(a.shape[-1], dtype=a.dtype, like=a)
    if hermitian:
        return half + np.conj(mirrored) + np.real(diagonal)
    return half + mirrored + diagonal


def read_of(a: Any, assume_a: str | None) -> Any:
    """Return a matrix without the entries that ``scipy.linalg.solve`` does not read.

    Args:
        a: a matrix, or several.
        assume_a: what ``scipy.linalg.solve`` is told of it.
    """
    if assume_a == "upper triangular":
        return np.triu(a)
    if assume_a == "lower triangular":
        return np.tril(a)
    if assume_a == "diagonal":
        return np.tril(np.triu(a))
    if assume_a == "tridiagonal":
        return np.tril(np.triu(a, -1), 1)
    return a


def cross_like(
    z_bar: Any, y: Any, x: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1
) -> Any:
    """Return the cross products of ``z_bar`` and ``y``, in the shape of ``x``.

    They are summed over the axes along which ``x`` was broadcast. Vectors of two entries
    lie in the plane of the first two axes; where both ``x`` and ``y`` are such vectors,
    ``z_bar`` has the third entries alone.

    Args:
        z_bar: an array with the shape of ``np.cross(x, y)``.
        y: an array of vectors.
        x: an array of vectors; only its shape matters.
        axisa: where the entries of the vectors in ``z_bar`` are; a negative number.
        axisb: where those in ``y`` are.
        axisc: where those in ``x`` are.

    Example:
        >>> cross_like(np.array([0.0, 0.0, 2.0]), np.array([3.0, 0.0, 0.0]), np.zeros(3))
        array([0., 6., 0.])
    """
    count = x.shape[axisc]
    if count == 3 and y.shape[axisb] == 3:
        return unbroadcast(np.cross(z_bar, y, axisa=axisa, axisb=axisb, axisc=axisc), x)
    rows = np.moveaxis(y, axisb, -1)
    first, second = rows[..., 0], rows[..., 1]
    if count == 2 and rows.shape[-1] == 2:
        w = np.stack((-z_bar * second, z_bar * first), axis=-1)
    else:
        bars = np.moveaxis(z_bar, axisa, -1)
        a, b, c = bars[..., 0], bars[..., 1], bars[..., 2]
        third = rows[..., 2] if rows.shape[-1] == 3 else np.zeros_like(first)
        w = np.stack((b * third - c * second, c * first - a * third, a * second - b * first), -1)
    return unbroadcast(np.moveaxis(w[..., :count], -1, axisc), x)
