"""Banded matrices in diagonal ordered form, as SciPy keeps them.

The matrix ``a`` with ``lower`` diagonals below the main one and ``upper`` above it is
kept as ``ab[upper + i - j, j] = a[i, j]``. Generated code may call these at run time,
as it may call those of ``runtime``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def _diagonals(
    length: int, lower: int, upper: int
) -> Iterator[tuple[int, slice[Any, Any, Any], slice[Any, Any, Any]]]:
    """Each row of the form, with the rows and the columns of the matrix that it holds."""
    for row in range(lower + upper + 1):
        below = row - upper
        count = max(length - abs(below), 0)
        first = max(below, 0)
        yield row, slice(first, first + count), slice(first - below, first - below + count)


def banded_transpose(ab: Any, lower: int, upper: int) -> Any:
    """Return the form of the transposed matrix, which has ``upper`` diagonals below.

    Args:
        ab: the form of a square matrix; what stands outside of the matrix is left out.
        lower: how many diagonals are below the main one.
        upper: how many are above it.

    Example:
        >>> banded_transpose(np.array([[0.0, 1.0], [2.0, 3.0]]), 0, 1)
        array([[2., 3.],
               [1., 0.]])
    """
    out = np.zeros_like(ab)
    for row, rows, columns in _diagonals(ab.shape[1], lower, upper):
        out[lower + upper - row, rows] = ab[row, columns]
    return out


def banded_outer(x: Any, y: Any, lower: int, upper: int) -> Any:
    """Return the diagonals of ``x @ y.T``, or of ``np.outer(x, y)``, in this form.

    Args:
        x: a vector, or vectors as columns.
        y: as many of the same length.
        lower: how many diagonals below the main one are wanted.
        upper: how many above it.
    """
    out = np.zeros_like(x, shape=(lower + upper + 1, x.shape[0]))
    for row, rows, columns in _diagonals(x.shape[0], lower, upper):
        product = x[rows] * y[columns]
        out[row, columns] = product if x.ndim == 1 else product.sum(axis=1)
    return out


def banded_product(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """Return the product of a square banded matrix in this form with ``x``.

    Args:
        ab: the form of the matrix.
        x: a vector, or vectors as columns.
        lower: how many diagonals are below the main one.
        upper: how many are above it.
    """
    out = np.zeros_like(x)
    for row, rows, columns in _diagonals(x.shape[0], lower, upper):
        factors = ab[row, columns]
        out[rows] += (factors if x.ndim == 1 else factors[:, None]) * x[columns]
    return out
