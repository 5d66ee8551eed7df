"""Derivatives of NumPy's linear algebra; all of it in batches where NumPy is.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008.
"""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula, static
from srcgrad.runtime import place_diagonal, unbroadcast

# Decompositions


@formula(np.linalg.cholesky)
def cholesky(x):
    """z = lower triangular, z z^T = x; x symmetric, positive definite.

    The cotangent is symmetric: that of a function of symmetric matrices. From
    I. Murray, "Differentiation of the Cholesky decomposition", 2016.
    """
    z = np.linalg.cholesky(x)

    def backward(z_bar):
        zT = z.T if x.ndim == 2 else np.swapaxes(z, -1, -2)
        product = zT @ z_bar
        # the lower triangle, and half of the diagonal
        half = (np.tril(product) + np.tril(product, -1)) / 2
        left = np.linalg.solve(zT, half)
        if x.ndim == 2:
            both = np.linalg.solve(zT, left.T)
            x_bar = (both + both.T) / 2
        else:
            both = np.linalg.solve(zT, np.swapaxes(left, -1, -2))
            x_bar = (both + np.swapaxes(both, -1, -2)) / 2
        return x_bar

    return z, backward


# Norms and other numbers


@formula(np.linalg.norm)
def norm(x, *, ord=None, axis=None, keepdims=False):  # noqa: A002 (NumPy's name)
    """z = norm of vectors, or Frobenius norm of matrices; slope 0 where it is 0.

    Where entries tie for the largest or smallest size, they share evenly.
    """
    z = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None or keepdims:
            size = z
            size_bar = z_bar
        else:
            size = np.expand_dims(z, axis)
            size_bar = np.expand_dims(z_bar, axis)
        if ord is None or vector_norm(ord, axis, x.ndim) == "two":
            x_bar = size_bar / (size + (size == 0)) * x
        elif vector_norm(ord, axis, x.ndim) == "one":
            x_bar = size_bar * np.sign(x)
        elif vector_norm(ord, axis, x.ndim) == "extreme":
            ties = np.abs(x) == size
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
            x_bar = size_bar / count * ties * np.sign(x)
        elif vector_norm(ord, axis, x.ndim) == "count":
            x_bar = np.zeros_like(x)
        else:
            ratio = np.abs(x) / (size + (size == 0))
            x_bar = size_bar * np.sign(x) * ratio ** (ord - 1)
        return x_bar

    return z, backward


@static
def vector_norm(order, axis, rank):
    """Return which formula serves an order of ``np.linalg.norm``.

    Args:
        order: the option ``ord``.
        axis: the option ``axis``.
        rank: the number of dimensions of the array.

    Returns:
        "two", "one", "extreme", "count", or "power" for any other order.

    Raises:
        NotImplementedError: for a matrix norm other than Frobenius's.
    """
    if order is None:
        return "two"
    of_matrices = rank == 2 if axis is None else not isinstance(axis, int)
    if of_matrices and isinstance(axis, tuple | list) and len(axis) == 1:
        of_matrices = False
    if of_matrices:
        if order == "fro":
            return "two"
        raise NotImplementedError(
            f"np.linalg.norm of a matrix with ord={order!r} has no derivative formula; "
            "ord='fro' has"
        )
    names = {2: "two", 1: "one", np.inf: "extreme", -np.inf: "extreme", 0: "count"}
    return names.get(order, "power")


@formula(np.linalg.det)
def det(x):
    """z = determinant; x not singular."""
    z = np.linalg.det(x)

    def backward(z_bar):
        if x.ndim == 2:
            x_bar = z_bar * z * np.linalg.inv(x).T
        else:
            inverse = np.linalg.inv(x)
            x_bar = (z_bar * z)[..., None, None] * np.swapaxes(inverse, -1, -2)
        return x_bar

    return z, backward


@formula(np.linalg.slogdet)
def slogdet(x):
    """z = sign of the determinant, and logarithm of its size; x not singular."""
    z = np.linalg.slogdet(x)

    def backward(z_bar):
        if x.ndim == 2:
            x_bar = z_bar[1] * np.linalg.inv(x).T
        else:
            inverse = np.linalg.inv(x)
            x_bar = z_bar[1][..., None, None] * np.swapaxes(inverse, -1, -2)
        return x_bar

    return z, backward


@formula(np.trace, linear="x")
def trace(x, *, offset=0, axis1=0, axis2=1):
    """z = sum of the entries of a diagonal."""
    z = np.trace(x, offset=offset, axis1=axis1, axis2=axis2)

    def backward(z_bar):
        diagonal = np.expand_dims(z_bar, -1)
        return place_diagonal(diagonal, x, offset=offset, axis1=axis1, axis2=axis2)

    return z, backward


# Equations and inverses


@formula(np.linalg.solve)
def solve(a, b):
    """z = the solution of a @ z = b; b is a vector if it has one axis."""
    z = np.linalg.solve(a, b)

    def backward(z_bar):
        if a.ndim == 2 and b.ndim == 2:
            b_bar = np.linalg.solve(a.T, z_bar)
            a_bar = -b_bar @ z.T
        elif a.ndim == 2 and b.ndim == 1:
            b_bar = np.linalg.solve(a.T, z_bar)
            a_bar = -np.outer(b_bar, z)
        elif b.ndim == 1:
            rows = np.linalg.solve(np.swapaxes(a, -1, -2), z_bar[..., None])
            b_bar = unbroadcast(rows[..., 0], b)
            a_bar = -rows * z[..., None, :]
        else:
            wide = np.linalg.solve(np.swapaxes(a, -1, -2), z_bar)
            b_bar = unbroadcast(wide, b)
            a_bar = unbroadcast(-wide @ np.swapaxes(z, -1, -2), a)
        return a_bar, b_bar

    return z, backward


@formula(np.linalg.inv)
def inv(x):
    """z = inverse of x."""
    z = np.linalg.inv(x)

    def backward(z_bar):
        if x.ndim == 2:
            x_bar = -z.T @ z_bar @ z.T
        else:
            zT = np.swapaxes(z, -1, -2)
            x_bar = -zT @ z_bar @ zT
        return x_bar

    return z, backward
