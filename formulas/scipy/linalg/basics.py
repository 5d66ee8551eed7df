"""Derivatives of SciPy's equations, inverses, determinants and special matrices.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008. What allows SciPy to
write into its arguments (``overwrite_a``) is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.numpy.products import kron
from srcgrad.formulas.scipy.linalg.options import reads_triangle

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.determinants import cofactors
from srcgrad.runtime.matrices import (
    block_of,
    diagonal_sums,
    place_block,
    read_of,
    symmetric_of,
)


@formula(linalg.inv)
def inv(a, *, check_finite=True):
    """z = inverse of a."""
    z = linalg.inv(a, check_finite=check_finite)

    def backward(z_bar):
        zT = np.swapaxes(z, -1, -2)
        return -zT @ z_bar @ zT

    return z, backward


@formula(linalg.solve)
def solve(a, b, *, lower=False, check_finite=True, assume_a=None, transposed=False):
    """z = the solution of a z = b, or of a^T z = b; b is a vector if it has one axis.

    The cotangent of a is 0 where a is not read: of a matrix that SciPy is told to be
    symmetric, one triangle is.
    """
    z = linalg.solve(
        a, b, lower=lower, check_finite=check_finite, assume_a=assume_a, transposed=transposed
    )

    def backward(z_bar):
        whole = symmetric_of(a, lower) if reads_triangle(assume_a) else read_of(a, assume_a)
        turned = whole if transposed else np.swapaxes(whole, -1, -2)
        if b.ndim == 1:
            b_bar = np.linalg.solve(turned, z_bar[..., None])
            outer = -b_bar * z[..., None, :]
            b_bar = b_bar[..., 0]
        else:
            b_bar = np.linalg.solve(turned, z_bar)
            outer = -b_bar @ np.swapaxes(z, -1, -2)
        if transposed:
            outer = np.swapaxes(outer, -1, -2)
        if reads_triangle(assume_a):
            both = outer + np.swapaxes(outer, -1, -2)
            half = np.tril(both, -1) if lower else np.triu(both, 1)
            outer = half + outer * np.eye(outer.shape[-1], dtype=outer.dtype)
        a_bar = unbroadcast(read_of(outer, assume_a), a)
        return a_bar, unbroadcast(b_bar, b)

    return z, backward


@formula(symmetric_of, linear="a")
def symmetric_of_(a, lower):
    """w = the symmetric matrix of which a has one triangle."""
    w = symmetric_of(a, lower)

    def backward(w_bar):
        both = w_bar + np.swapaxes(w_bar, -1, -2)
        half = np.tril(both, -1) if lower else np.triu(both, 1)
        return half + w_bar * np.eye(w_bar.shape[-1], dtype=w_bar.dtype), None

    return w, backward


@formula(read_of, linear="a")
def read_of_(a, assume_a):
    """w = what is read of a matrix of some structure."""
    return read_of(a, assume_a), lambda w_bar: (read_of(w_bar, assume_a), None)


@formula(linalg.solve_triangular)
def solve_triangular(a, b, *, trans=0, lower=False, unit_diagonal=False, check_finite=True):
    """z = the solution of a z = b, or of a^T z = b, for the triangle of a that is named."""
    z = linalg.solve_triangular(
        a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal, check_finite=check_finite
    )

    def backward(z_bar):
        plain = trans in (0, "N")
        b_bar = linalg.solve_triangular(
            a, z_bar, trans=1 if plain else 0, lower=lower, unit_diagonal=unit_diagonal
        )
        if b.ndim == 1:
            outer = -b_bar[..., None] * z[..., None, :]
        else:
            outer = -b_bar @ np.swapaxes(z, -1, -2)
        if not plain:
            outer = np.swapaxes(outer, -1, -2)
        if lower:
            a_bar = np.tril(outer, -1 if unit_diagonal else 0)
        else:
            a_bar = np.triu(outer, 1 if unit_diagonal else 0)
        return unbroadcast(a_bar, a), unbroadcast(b_bar, b)

    def tangent(a_dot, b_dot):
        if lower:
            part = np.tril(a_dot, -1 if unit_diagonal else 0)
        else:
            part = np.triu(a_dot, 1 if unit_diagonal else 0)
        turned = part if trans in (0, "N") else np.swapaxes(part, -1, -2)
        moved = turned @ z if a.ndim == 2 or b.ndim > 1 else (turned @ z[..., None])[..., 0]
        return linalg.solve_triangular(
            a, b_dot - moved, trans=trans, lower=lower, unit_diagonal=unit_diagonal
        )

    return z, backward, tangent


@formula(linalg.det)
def det(a, *, check_finite=True):
    """z = determinant."""
    z = linalg.det(a, check_finite=check_finite)

    def backward(z_bar):
        return np.expand_dims(z_bar, (-1, -2)) * cofactors(a)

    def tangent(a_dot):
        return np.sum(cofactors(a) * a_dot, axis=(-2, -1))

    return z, backward, tangent


@formula(linalg.pinv)
def pinv(a, *, atol=None, rtol=None, check_finite=True):
    """z = pseudo-inverse of a, at constant rank: G. Golub, V. Pereyra, 1973."""
    z = linalg.pinv(a, atol=atol, rtol=rtol, check_finite=check_finite)

    def backward(z_bar):
        zT = np.swapaxes(z, -1, -2)
        z_barT = np.swapaxes(z_bar, -1, -2)
        right = z_barT @ z @ zT
        left = zT @ z @ z_barT
        return right - a @ (z @ right) + left - (left @ z) @ a - zT @ z_bar @ zT

    return z, backward


@formula(linalg.solve_sylvester)
def solve_sylvester(a, b, q):
    """z = the solution of a z + z b = q."""
    z = linalg.solve_sylvester(a, b, q)

    def backward(z_bar):
        q_bar = linalg.solve_sylvester(a.T, b.T, z_bar)
        return -q_bar @ z.T, -z.T @ q_bar, q_bar

    return z, backward


@formula(linalg.block_diag)
def block_diag(*arrs):
    """z = the matrix with these blocks on its diagonal."""
    z = linalg.block_diag(*arrs)

    def backward(z_bar):
        return tuple(block_of(z_bar, arrs, k) for k, x in enumerate(arrs))

    return z, backward


@formula(block_of)
def block_of_(z, arrays, k):
    """w = block number k of z."""
    return block_of(z, arrays, k), lambda w_bar: (place_block(w_bar, arrays, k), None, None)


@formula(place_block)
def place_block_(x, arrays, k):
    """w = zeros with x as block number k."""
    return place_block(x, arrays, k), lambda w_bar: (block_of(w_bar, arrays, k), None, None)


@formula(linalg.toeplitz)
def toeplitz(c, r=None):
    """z = the matrix with first column c and first row r, constant along diagonals; one axis."""
    z = linalg.toeplitz(c, r)

    def backward(z_bar):
        n = c.shape[0]
        sums = diagonal_sums(z_bar)
        low, high = sums[:n][::-1], sums[n - 1 :]
        first = np.arange(len(high)) == 0
        if r is None:
            c_bar = low + np.where(first, 0.0, high)
            r_bar = None
        else:
            c_bar = low
            r_bar = np.where(first, 0.0, high)
        return c_bar, r_bar

    def tangent(c_dot, r_dot):
        return linalg.toeplitz(c_dot) if r is None else linalg.toeplitz(c_dot, r_dot)

    return z, backward, tangent


@formula(linalg.hankel)
def hankel(c, r=None):
    """z = the matrix with first column c and last row r, constant across diagonals; one axis."""
    z = linalg.hankel(c, r)

    def backward(z_bar):
        n = c.shape[0]
        sums = diagonal_sums(np.flip(z_bar, 0))
        last = sums[n - 1 :]
        r_bar = None if r is None else np.where(np.arange(len(last)) == 0, 0.0, last)
        return sums[:n], r_bar

    def tangent(c_dot, r_dot):
        return linalg.hankel(c_dot) if r is None else linalg.hankel(c_dot, r_dot)

    return z, backward, tangent


if hasattr(linalg, "kron"):  # until SciPy 1.17
    formula(linalg.kron, linear="x y")(kron)


@formula(linalg.circulant, linear="c")
def circulant(c):
    """z = the matrix whose columns are c, each rolled on by one; one axis."""
    z = linalg.circulant(c)

    def backward(z_bar):
        k = np.arange(c.shape[0])
        return np.sum(z_bar[(k[:, None] + k) % c.shape[0], k], axis=1)

    return z, backward


@formula(linalg.solve_continuous_lyapunov, linalg.solve_lyapunov)
def solve_continuous_lyapunov(a, q):
    """z = the solution of a z + z a^T = q."""
    z = linalg.solve_continuous_lyapunov(a, q)

    def backward(z_bar):
        q_bar = linalg.solve_continuous_lyapunov(a.T, z_bar)
        return -q_bar @ z.T - q_bar.T @ z, q_bar

    return z, backward


@formula(diagonal_sums)
def diagonal_sums_(z):
    """w = sums along the diagonals of z, from the lowest one on."""
    w = diagonal_sums(z)

    def backward(w_bar):
        n = z.shape[0]
        return linalg.toeplitz(w_bar[:n][::-1], w_bar[n - 1 :])

    return w, backward
