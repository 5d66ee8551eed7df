"""What the derivatives of factors that are triangular call at run time."""

from __future__ import annotations

from typing import Any

import numpy as np


def row_order(pivots: Any, count: int) -> Any:
    """Return the order of rows that the row exchanges of an LU decomposition lead to.

    Args:
        pivots: for each row, the row that it is exchanged with; along the last axis.
        count: how many rows there are.
    """
    order = np.empty((*pivots.shape[:-1], count), dtype=int)
    for place in np.ndindex(pivots.shape[:-1]):
        rows = list(range(count))
        for k, other in enumerate(pivots[place]):
            rows[k], rows[other] = rows[other], rows[k]
        order[place] = rows
    return order


def exchanged(x: Any, order: Any) -> Any:
    """Return the rows of matrices in another order, one order for each matrix."""
    return np.take_along_axis(x, order[..., None], axis=-2)


def lu_transpose(l_bar: Any, u_bar: Any, low: Any, up: Any) -> Any:
    """Return the cotangent of the product of the factors of an LU decomposition.

    F. de Hoog, R. Anderssen, M. Lukas, "Differentiation of matrix functionals using
    triangular factorization", 2011; a part of the product beside or below the square one
    is solved for on its own.

    Args:
        l_bar: the cotangent of the factor with ones on its diagonal.
        u_bar: that of the other one.
        low: the factor with ones on its diagonal, which may be tall.
        up: the other one, which may be wide.
    """
    k = up.shape[-2]
    if up.shape[-1] > k:
        beside = np.linalg.solve(np.swapaxes(low, -1, -2), u_bar[..., k:])
        rest_bar = l_bar - beside @ np.swapaxes(up[..., k:], -1, -2)
        square = _square_transpose(rest_bar, u_bar[..., :k], low, up[..., :k])
        return np.concatenate((square, beside), axis=-1)
    if low.shape[-2] > k:
        turned = np.linalg.solve(up, np.swapaxes(l_bar[..., k:, :], -1, -2))
        below = np.swapaxes(turned, -1, -2)
        rest_bar = u_bar - np.swapaxes(low[..., k:, :], -1, -2) @ below
        square = _square_transpose(l_bar[..., :k, :], rest_bar, low[..., :k, :], up)
        return np.concatenate((square, below), axis=-2)
    return _square_transpose(l_bar, u_bar, low, up)


def lu_change(low: Any, up: Any, product_dot: Any) -> tuple[Any, Any]:
    """Return the tangents of the factors of an LU decomposition from that of their product."""
    k = up.shape[-2]
    if up.shape[-1] > k:
        l_dot, u_dot = _square_change(low, up[..., :k], product_dot[..., :k])
        beside = np.linalg.solve(low, product_dot[..., k:] - l_dot @ up[..., k:])
        return l_dot, np.concatenate((u_dot, beside), axis=-1)
    if low.shape[-2] > k:
        l_dot, u_dot = _square_change(low[..., :k, :], up, product_dot[..., :k, :])
        rest = product_dot[..., k:, :] - low[..., k:, :] @ u_dot
        turned = np.linalg.solve(np.swapaxes(up, -1, -2), np.swapaxes(rest, -1, -2))
        return np.concatenate((l_dot, np.swapaxes(turned, -1, -2)), axis=-2), u_dot
    return _square_change(low, up, product_dot)


def joined(low: Any, up: Any) -> Any:
    """Return the sum of two matrices that are triangular, one of which may be longer."""
    k = up.shape[-2]
    if low.shape[-2] > k:
        return low + np.concatenate((up, np.zeros_like(low)[..., k:, :]), axis=-2)
    return up + np.concatenate((low, np.zeros_like(up)[..., k:]), axis=-1)


def _square_transpose(l_bar: Any, u_bar: Any, low: Any, up: Any) -> Any:
    low_turned, up_turned = np.swapaxes(low, -1, -2), np.swapaxes(up, -1, -2)
    inner = np.tril(low_turned @ l_bar, -1) + np.triu(u_bar @ up_turned)
    half = np.linalg.solve(low_turned, inner)
    return np.swapaxes(np.linalg.solve(up, np.swapaxes(half, -1, -2)), -1, -2)


def _square_change(low: Any, up: Any, product_dot: Any) -> tuple[Any, Any]:
    half = np.linalg.solve(low, product_dot)
    up_turned = np.swapaxes(up, -1, -2)
    core = np.swapaxes(np.linalg.solve(up_turned, np.swapaxes(half, -1, -2)), -1, -2)
    return low @ np.tril(core, -1), np.triu(core) @ up
