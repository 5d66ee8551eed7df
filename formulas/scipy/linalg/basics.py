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
from srcgrad.formulas.scipy.linalg.options import (
    reads_hermitian,
    reads_triangle,
    require_axes,
    require_vectors,
)

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.matrices import (
    block_of,
    diagonal_sums,
    of_triangle,
    place_block,
    read_of,
    require_rank,
    require_whole,
    symmetric_of,
)
from srcgrad.runtime.numpy.determinants import cofactors


@formula(linalg.inv, of_complex=True)
def inv(a, *, check_finite=True):
    """z = inverse of a."""
    z = linalg.inv(a, check_finite=check_finite)

    def backward(z_bar):
        zT = np.swapaxes(z, -1, -2)
        return -zT @ z_bar @ zT

    return z, backward


@formula(linalg.solve, of_complex=True)
def solve(a, b, *, lower=False, check_finite=True, assume_a=None, transposed=False):
    """z = the solution of a z = b, or of a^T z = b; b is a vector if it has one axis.

    The cotangent of a is 0 where a is not read: of a matrix that SciPy is told to be
    symmetric, one triangle is.
    """
    z = linalg.solve(
        a, b, lower=lower, check_finite=check_finite, assume_a=assume_a, transposed=transposed
    )

    def backward(z_bar):
        conjugated = reads_hermitian(assume_a) and np.iscomplexobj(a)
        if reads_triangle(assume_a):
            whole = symmetric_of(a, lower, conjugated)
        else:
            whole = read_of(a, assume_a)
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
            diagonal = outer * np.identity(outer.shape[-1], dtype=outer.dtype, like=a)
            mirrored = np.swapaxes(outer, -1, -2)
            both = outer + (np.conj(mirrored) if conjugated else mirrored)
            half = np.tril(both, -1) if lower else np.triu(both, 1)
            outer = half + (np.real(diagonal) if conjugated else diagonal)
        a_bar = unbroadcast(read_of(outer, assume_a), a)
        return a_bar, unbroadcast(b_bar, b)

    return z, backward


@formula(of_triangle, linear="whole", of_complex=True)
def of_triangle_(whole, lower):
    """z = the cotangent of one triangle of a symmetric matrix."""
    return of_triangle(whole, lower), lambda z_bar: (of_triangle(z_bar, lower), None)


@formula(symmetric_of, linear="a", of_complex=True)
def symmetric_of_(a, lower, hermitian=False):
    """w = the symmetric, or Hermitian, matrix of which a has one triangle."""
    w = symmetric_of(a, lower, hermitian)

    def backward(w_bar):
        diagonal = w_bar * np.identity(w_bar.shape[-1], dtype=w_bar.dtype, like=a)
        mirrored = np.swapaxes(w_bar, -1, -2)
        both = w_bar + (np.conj(mirrored) if hermitian else mirrored)
        half = np.tril(both, -1) if lower else np.triu(both, 1)
        return half + (np.real(diagonal) if hermitian else diagonal), None, None

    return w, backward


@formula(read_of, linear="a", of_complex=True)
def read_of_(a, assume_a):
    """w = what is read of a matrix of some structure."""
    return read_of(a, assume_a), lambda w_bar: (read_of(w_bar, assume_a), None)


@formula(linalg.solve_triangular, of_complex=True)
def solve_triangular(a, b, *, trans=0, lower=False, unit_diagonal=False, check_finite=True):
    """z = the solution of a z = b, a^T z = b or a^H z = b, for the triangle of a that is named."""
    z = linalg.solve_triangular(
        a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal, check_finite=check_finite
    )

    def backward(z_bar):
        plain = trans in (0, "N")
        conjugated = trans in (2, "C") and np.iscomplexobj(a)
        right = z_bar if a.ndim == 2 or b.ndim > 1 else z_bar[..., None]
        b_bar = linalg.solve_triangular(
            a,
            np.conj(right) if conjugated else right,
            trans=1 if plain else 0,
            lower=lower,
            unit_diagonal=unit_diagonal,
        )
        if conjugated:
            b_bar = np.conj(b_bar)
        if b.ndim > 1:
            outer = -b_bar @ np.swapaxes(z, -1, -2)
        elif a.ndim == 2:
            outer = -b_bar[..., None] * z[..., None, :]
        else:
            outer = -b_bar * z[..., None, :]
            b_bar = b_bar[..., 0]
        if not plain:
            outer = np.swapaxes(outer, -1, -2)
        if conjugated:
            outer = np.conj(outer)
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
        if trans in (2, "C") and np.iscomplexobj(a):
            turned = np.conj(turned)
        if a.ndim == 2 or b.ndim > 1:
            z_dot = linalg.solve_triangular(
                a, b_dot - turned @ z, trans=trans, lower=lower, unit_diagonal=unit_diagonal
            )
        else:
            change = b_dot[..., None] - turned @ z[..., None]
            z_dot = linalg.solve_triangular(
                a, change, trans=trans, lower=lower, unit_diagonal=unit_diagonal
            )[..., 0]
        return z_dot

    return z, backward, tangent


@formula(linalg.det, of_complex=True)
def det(a, *, check_finite=True):
    """z = determinant."""
    z = linalg.det(a, check_finite=check_finite)

    def backward(z_bar):
        return np.expand_dims(z_bar, (-1, -2)) * cofactors(a)

    def tangent(a_dot):
        return np.sum(cofactors(a) * a_dot, axis=(-2, -1))

    return z, backward, tangent


@formula(linalg.pinv, of_complex=True)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """z = pseudo-inverse of a, at constant rank, and maybe that: G. Golub, V. Pereyra, 1973."""
    z = linalg.pinv(a, atol=atol, rtol=rtol, return_rank=return_rank, check_finite=check_finite)

    def backward(z_bar):
        p, p_bar = (z[0], z_bar[0]) if return_rank else (z, z_bar)
        p = p if atol is None and rtol is None else require_whole(p, a)
        pT = np.swapaxes(p, -1, -2)
        p_barT = np.swapaxes(p_bar, -1, -2)
        pH = np.conj(pT) if np.iscomplexobj(a) else pT
        right = p_barT @ p @ pH
        left = pH @ p @ p_barT
        outside = right - a @ (p @ right) + left - (left @ p) @ a
        return (np.conj(outside) if np.iscomplexobj(a) else outside) - pT @ p_bar @ pT

    return z, backward


@formula(linalg.lstsq, shaped_like=(None, None, None, None))
def lstsq(a, b, *, cond=None, check_finite=True, lapack_driver=None):
    """z = least squares solution of a @ x = b, sums of squared residuals, rank, singular values.

    The rank is taken to be constant: G. Golub, V. Pereyra, 1973. The singular values have the
    slopes of simple ones.
    """
    if lapack_driver == "gelsy":
        raise NotImplementedError("no formula for scipy.linalg.lstsq with lapack_driver='gelsy'")
    z = linalg.lstsq(a, b, cond=cond, check_finite=check_finite, lapack_driver=lapack_driver)

    def backward(z_bar):
        x = np.reshape(z[0], (a.shape[1], -1))
        rest = np.reshape(b, (a.shape[0], -1)) - a @ x
        if z_bar[0] is None:
            a_bar = np.zeros_like(a)
            b_bar = np.zeros_like(rest)
        else:
            p = np.linalg.pinv(a) if cond is None else require_rank(np.linalg.pinv(a), z[2], z[3])
            x_bar = np.reshape(z_bar[0], x.shape)
            b_bar = p.T @ x_bar
            left = x_bar - a.T @ b_bar
            a_bar = rest @ (p @ b_bar).T - b_bar @ x.T + p.T @ x @ left.T
        if z_bar[1] is not None:
            # no sums come back for a wide or a rank-deficient matrix
            pull = 2 * rest * np.resize(z_bar[1], x.shape[1:])
            b_bar = b_bar + pull
            a_bar = a_bar - pull @ x.T
        if z_bar[3] is not None:
            u, _, vh = np.linalg.svd(a, full_matrices=False)
            a_bar = a_bar + (u * z_bar[3]) @ vh
        return a_bar, np.reshape(b_bar, b.shape)

    def tangent(a_dot, b_dot):
        x = np.reshape(z[0], (a.shape[1], -1))
        rest = np.reshape(b, (a.shape[0], -1)) - a @ x
        p = np.linalg.pinv(a) if cond is None else require_rank(np.linalg.pinv(a), z[2], z[3])
        change = np.reshape(b_dot, rest.shape) - a_dot @ x
        left = a_dot.T @ (p.T @ x)
        x_dot = p @ change + p @ (p.T @ (a_dot.T @ rest)) + left - p @ (a @ left)
        # no sums come back for a wide or a rank-deficient matrix
        sums_dot = np.sum(2 * rest * change, axis=0)[: np.size(z[1])]
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        s_dot = np.sum(u * (a_dot @ vh.T), axis=0)
        return np.reshape(x_dot, np.shape(z[0])), np.reshape(sums_dot, np.shape(z[1])), None, s_dot

    return z, backward, tangent


@formula(linalg.solve_sylvester, of_complex=True)
def solve_sylvester(a, b, q):
    """z = the solution of a z + z b = q."""
    z = linalg.solve_sylvester(a, b, q)

    def backward(z_bar):
        aT, bT, zT = np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2), np.swapaxes(z, -1, -2)
        q_bar = linalg.solve_sylvester(aT, bT, z_bar)
        a_bar, b_bar = -q_bar @ zT, -zT @ q_bar
        if a.ndim + b.ndim + q.ndim > 6:
            a_bar, b_bar, q_bar = (
                unbroadcast(a_bar, a),
                unbroadcast(b_bar, b),
                unbroadcast(q_bar, q),
            )
        return a_bar, b_bar, q_bar

    def tangent(a_dot, b_dot, q_dot):
        return linalg.solve_sylvester(a, b, q_dot - a_dot @ z - z @ b_dot)

    return z, backward, tangent


@formula(linalg.block_diag, of_complex=True)
def block_diag(*arrs):
    """z = the matrix with these blocks on its diagonal."""
    z = linalg.block_diag(*arrs)

    def backward(z_bar):
        return tuple(block_of(z_bar, arrs, k) for k, x in enumerate(arrs))

    return z, backward


@formula(block_of, of_complex=True)
def block_of_(z, arrays, k):
    """w = block number k of z."""
    return block_of(z, arrays, k), lambda w_bar: (place_block(w_bar, arrays, k), None, None)


@formula(place_block, of_complex=True)
def place_block_(x, arrays, k):
    """w = zeros with x as block number k."""
    return place_block(x, arrays, k), lambda w_bar: (block_of(w_bar, arrays, k), None, None)


@formula(linalg.toeplitz, of_complex=True)
def toeplitz(c, r=None):
    """z = the matrix with first column c and first row r, constant along diagonals.

    Without r, the first row is the conjugate of c. Several rows of c and r make as many
    matrices, as in SciPy since 1.17.
    """
    z = linalg.toeplitz(c, r)

    def backward(z_bar):
        require_axes("toeplitz", c.ndim, 1 if r is None else r.ndim)
        n = c.shape[-1]
        sums = diagonal_sums(z_bar)
        low, high = sums[..., :n][..., ::-1], sums[..., n - 1 :]
        beside = np.where(np.arange(high.shape[-1]) == 0, 0.0, high)
        if r is None:
            c_bar = low + (np.conj(beside) if np.iscomplexobj(c) else beside)
            r_bar = None
        else:
            c_bar = unbroadcast(low, c)
            r_bar = unbroadcast(beside, r)
        return c_bar, r_bar

    def tangent(c_dot, r_dot):
        require_axes("toeplitz", c.ndim, 1 if r is None else r.ndim)
        return linalg.toeplitz(c_dot) if r is None else linalg.toeplitz(c_dot, r_dot)

    return z, backward, tangent


@formula(linalg.hankel, of_complex=True)
def hankel(c, r=None):
    """z = the matrix with first column c and last row r, constant across diagonals; one axis."""
    z = linalg.hankel(c, r)

    def backward(z_bar):
        require_vectors("hankel", c.ndim, 1 if r is None else r.ndim)
        n = c.shape[0]
        sums = diagonal_sums(np.flip(z_bar, 0))
        last = sums[n - 1 :]
        r_bar = None if r is None else np.where(np.arange(len(last)) == 0, 0.0, last)
        return sums[:n], r_bar

    def tangent(c_dot, r_dot):
        require_vectors("hankel", c.ndim, 1 if r is None else r.ndim)
        return linalg.hankel(c_dot) if r is None else linalg.hankel(c_dot, r_dot)

    return z, backward, tangent


if hasattr(linalg, "kron"):  # until SciPy 1.17
    formula(linalg.kron, linear="x y")(kron)


@formula(linalg.circulant, of_complex=True)
def circulant(c):
    """z = the matrix whose columns are c, each rolled on by one; one axis."""
    z = linalg.circulant(c)

    def backward(z_bar):
        require_vectors("circulant", c.ndim)
        k = np.arange(c.shape[0])
        return np.sum(z_bar[(k[:, None] + k) % c.shape[0], k], axis=1)

    def tangent(c_dot):
        require_vectors("circulant", c.ndim)
        return linalg.circulant(c_dot)

    return z, backward, tangent


@formula(linalg.solve_continuous_lyapunov, linalg.solve_lyapunov)
def solve_continuous_lyapunov(a, q):
    """z = the solution of a z + z a^T = q."""
    z = linalg.solve_continuous_lyapunov(a, q)

    def backward(z_bar):
        q_bar = linalg.solve_continuous_lyapunov(np.swapaxes(a, -1, -2), z_bar)
        a_bar = -q_bar @ np.swapaxes(z, -1, -2) - np.swapaxes(q_bar, -1, -2) @ z
        if a.ndim + q.ndim > 4:
            a_bar, q_bar = unbroadcast(a_bar, a), unbroadcast(q_bar, q)
        return a_bar, q_bar

    def tangent(a_dot, q_dot):
        return linalg.solve_continuous_lyapunov(
            a, q_dot - a_dot @ z - z @ np.swapaxes(a_dot, -1, -2)
        )

    return z, backward, tangent


@formula(diagonal_sums, linear="z", of_complex=True)
def diagonal_sums_(z):
    """w = sums along the diagonals of z, from the lowest one on."""
    w = diagonal_sums(z)

    def backward(w_bar):
        n = z.shape[-2]
        return linalg.toeplitz(w_bar[..., :n][..., ::-1], w_bar[..., n - 1 :])

    return w, backward
