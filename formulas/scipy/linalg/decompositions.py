"""Derivatives of SciPy's matrix decompositions, and of solving with them.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008. What allows SciPy to
write into its arguments (``overwrite_a``) is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import require_factors

from srcgrad.registry import formula, mark_structured, nondifferentiable
from srcgrad.runtime import first_columns, require_no_added_columns, require_no_added_vectors
from srcgrad.runtime.matrices import require_tall, row_order


@formula(linalg.lu)
def lu(a, *, check_finite=True):
    """z = (p, l, u), p a permutation, l and u triangular, p l u = a; a square.

    S. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra functions",
    2013.
    """
    z = linalg.lu(a, check_finite=check_finite)

    def backward(z_bar):
        p, low, up = z
        lowT, upT = np.swapaxes(low, -1, -2), np.swapaxes(up, -1, -2)
        inner = np.tril(lowT @ z_bar[1], -1) + np.triu(z_bar[2] @ upT)
        half = np.linalg.solve(lowT, inner)
        return p @ np.swapaxes(np.linalg.solve(up, np.swapaxes(half, -1, -2)), -1, -2)

    return z, backward


@formula(linalg.lu_factor)
def lu_factor(a, *, check_finite=True):
    """z = both factors of ``lu`` in one matrix, and exchanges of rows; a square, two axes."""
    z = linalg.lu_factor(a, check_finite=check_finite)

    def backward(z_bar):
        up = np.triu(z[0])
        lowT = np.tril(z[0], -1).T + np.eye(a.shape[0], dtype=a.dtype)
        inner = np.tril(lowT @ np.tril(z_bar[0], -1), -1) + np.triu(np.triu(z_bar[0]) @ up.T)
        half = np.linalg.solve(lowT, inner)
        return np.linalg.solve(up, half.T).T[np.argsort(row_order(z[1]))]

    return z, backward


@formula(linalg.lu_solve)
def lu_solve(lu_and_piv, b, *, trans=0, check_finite=True):
    """z = the solution of a z = b, or of a^T z = b, from ``lu_factor`` of a."""
    z = linalg.lu_solve(lu_and_piv, b, trans=trans, check_finite=check_finite)

    def backward(z_bar):
        both = lu_and_piv[0]
        b_bar = linalg.lu_solve(lu_and_piv, z_bar, trans=0 if trans else 1)
        if b.ndim == 1:
            outer = -np.outer(z, b_bar) if trans else -np.outer(b_bar, z)
        else:
            outer = -z @ b_bar.T if trans else -b_bar @ z.T
        product_bar = outer[row_order(lu_and_piv[1])]
        lowT = np.tril(both, -1).T + np.eye(b.shape[0], dtype=b.dtype)
        both_bar = np.tril(product_bar @ np.triu(both).T, -1) + np.triu(lowT @ product_bar)
        return (both_bar, None), b_bar

    return z, backward


@formula(linalg.cholesky)
def cholesky(a, *, lower=False, check_finite=True):
    """z = triangular, z^T z = a, or z z^T = a; a symmetric, positive definite.

    The cotangent is symmetric, as that of ``np.linalg.cholesky``.
    """
    z = linalg.cholesky(a, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        zT = np.swapaxes(z, -1, -2) if lower else z
        product = zT @ (z_bar if lower else np.swapaxes(z_bar, -1, -2))
        half = (np.tril(product) + np.tril(product, -1)) / 2
        left = np.linalg.solve(zT, half)
        both = np.linalg.solve(zT, np.swapaxes(left, -1, -2))
        return (both + np.swapaxes(both, -1, -2)) / 2

    return z, backward


@formula(linalg.cho_factor)
def cho_factor(a, *, lower=False, check_finite=True):
    """z = the factor of ``cholesky`` in its triangle, a in the other one; and lower."""
    z = linalg.cho_factor(a, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        if lower:
            rest = np.triu(z_bar[0], 1)
            zT = np.swapaxes(np.tril(z[0]), -1, -2)
            product = zT @ np.tril(z_bar[0])
        else:
            rest = np.tril(z_bar[0], -1)
            zT = np.triu(z[0])
            product = zT @ np.swapaxes(np.triu(z_bar[0]), -1, -2)
        half = (np.tril(product) + np.tril(product, -1)) / 2
        left = np.linalg.solve(zT, half)
        both = np.linalg.solve(zT, np.swapaxes(left, -1, -2))
        return (both + np.swapaxes(both, -1, -2)) / 2 + rest

    return z, backward


@formula(linalg.cho_solve)
def cho_solve(c_and_lower, b, *, check_finite=True):
    """z = the solution of a z = b, from ``cho_factor`` of a; two axes."""
    z = linalg.cho_solve(c_and_lower, b, check_finite=check_finite)

    def backward(z_bar):
        b_bar = linalg.cho_solve(c_and_lower, z_bar)
        outer = -np.outer(b_bar, z) if b.ndim == 1 else -b_bar @ z.T
        factor, lower = c_and_lower
        low = np.where(lower, np.tril(factor), np.triu(factor).T)
        low_bar = np.tril((outer + outer.T) @ low)
        return (np.where(lower, low_bar, low_bar.T), None), b_bar

    return z, backward


@formula(linalg.qr)
def qr(a, *, mode="full", check_finite=True):
    """z = (q, r), q with orthonormal columns, r upper triangular, q r = a.

    As ``np.linalg.qr``. The columns that the mode "full" adds to q have no
    derivative: a cotangent for them raises ValueError.
    """
    z = linalg.qr(a, mode=mode, check_finite=check_finite)

    def backward(z_bar):
        require_factors(mode)
        k = min(a.shape[-2], a.shape[-1])
        q, r = z[0][..., :k], z[1][..., :k, :]
        q_bar = np.zeros_like(q) if z_bar[0] is None else first_columns(z_bar[0], k)
        r_bar = np.zeros_like(r) if z_bar[1] is None else z_bar[1][..., :k, :]
        square, square_bar, beside_bar = r[..., :k], r_bar[..., :k], r_bar[..., k:]
        q_bar = q_bar + a[..., k:] @ np.swapaxes(beside_bar, -1, -2)
        m = square @ np.swapaxes(square_bar, -1, -2) - np.swapaxes(q_bar, -1, -2) @ q
        inner = q_bar + q @ (np.tril(m) + np.swapaxes(np.tril(m, -1), -1, -2))
        first = np.swapaxes(np.linalg.solve(square, np.swapaxes(inner, -1, -2)), -1, -2)
        return np.concatenate((first, q @ beside_bar), axis=-1)

    def tangent(a_dot):
        a_dot = require_no_added_columns(a_dot, mode == "full")
        q, r = z
        k = q.shape[-1]
        qT, squareT = np.swapaxes(q, -1, -2), np.swapaxes(r[..., :k], -1, -2)
        first = np.swapaxes(np.linalg.solve(squareT, np.swapaxes(a_dot[..., :k], -1, -2)), -1, -2)
        m = qT @ first
        below = np.tril(m, -1)
        turn = below - np.swapaxes(below, -1, -2)
        return first - q @ (m - turn), qT @ a_dot - turn @ r

    return z, backward, tangent


@formula(linalg.svd)
def svd(x, *, full_matrices=True, compute_uv=True, check_finite=True):
    """z = (u, s, vh) with u diag(s) vh = x, or s alone.

    From J. Townsend, "Differentiating the singular value decomposition", 2016.
    The vectors of singular values that coincide have no derivative, nor have
    those that full_matrices adds: a cotangent for them raises ValueError.
    """
    z = linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv, check_finite=check_finite)

    def backward(z_bar):
        if not compute_uv:
            u, _, vh = np.linalg.svd(x, full_matrices=False)
            x_bar = (u * z_bar[..., None, :]) @ vh
        elif z_bar[0] is None and z_bar[2] is None and not full_matrices:
            x_bar = (z[0] * z_bar[1][..., None, :]) @ z[2]
        elif z_bar[0] is None and z_bar[2] is None:
            k = z[1].shape[-1]
            x_bar = (z[0][..., :k] * z_bar[1][..., None, :]) @ z[2][..., :k, :]
        else:
            s = z[1]
            k = s.shape[-1]
            u, v = z[0][..., :k], np.swapaxes(z[2], -1, -2)[..., :k]
            u_bar = np.zeros_like(u) if z_bar[0] is None else first_columns(z_bar[0], k)
            if z_bar[2] is None:
                v_bar = np.zeros_like(v)
            else:
                v_bar = first_columns(np.swapaxes(z_bar[2], -1, -2), k)
            one = np.eye(k, dtype=s.dtype)
            f = 1 / (s[..., None, :] ** 2 - s[..., :, None] ** 2 + one) - one
            uT_u_bar = np.swapaxes(u, -1, -2) @ u_bar
            vT_v_bar = np.swapaxes(v, -1, -2) @ v_bar
            of_u = f * (uT_u_bar - np.swapaxes(uT_u_bar, -1, -2)) * s[..., None, :]
            of_v = f * (vT_v_bar - np.swapaxes(vT_v_bar, -1, -2)) * s[..., :, None]
            core = of_u + of_v
            outside_u = (u_bar - u @ uT_u_bar) / s[..., None, :]
            outside_v = (v_bar - v @ vT_v_bar) / s[..., None, :]
            x_bar = (u @ core + outside_u) @ np.swapaxes(v, -1, -2)
            x_bar = x_bar + u @ np.swapaxes(outside_v, -1, -2)
            if z_bar[1] is not None:
                x_bar = x_bar + (u * z_bar[1][..., None, :]) @ np.swapaxes(v, -1, -2)
        return x_bar

    def tangent(x_dot):
        if compute_uv:
            x_dot = require_no_added_vectors(x_dot, full_matrices)
            u, s, vh = z
        else:
            u, s, vh = np.linalg.svd(x, full_matrices=False)
        v = np.swapaxes(vh, -1, -2)
        right = x_dot @ v
        p = np.swapaxes(u, -1, -2) @ right
        one = np.eye(s.shape[-1], dtype=s.dtype)
        s_dot = np.sum(p * one, axis=-1)
        if compute_uv:
            columns, rows = s[..., None, :], s[..., :, None]
            f = 1 / (columns**2 - rows**2 + one) - one
            pT = np.swapaxes(p, -1, -2)
            u_dot = u @ (f * (p * columns + rows * pT)) + (right - u @ p) / columns
            turn = f * (rows * p + pT * columns)
            back = np.swapaxes(x_dot, -1, -2) @ u
            v_dot = v @ turn + (back - v @ pT) / columns
            z_dot = (u_dot, s_dot, np.swapaxes(v_dot, -1, -2))
        else:
            z_dot = s_dot
        return z_dot

    return z, backward, tangent


@formula(linalg.svdvals)
def svdvals(a, *, check_finite=True):
    """z = singular values of a, from the largest on."""
    z = linalg.svdvals(a, check_finite=check_finite)

    def backward(z_bar):
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        return (u * z_bar[..., None, :]) @ vh

    return z, backward


@formula(linalg.eigh)
def eigh(a, *, lower=True, eigvals_only=False, check_finite=True):
    """z = (w, v), eigenvalues and orthonormal eigenvectors of a symmetric a, or w alone.

    The cotangent is symmetric, as that of ``np.linalg.eigh``.
    """
    z = linalg.eigh(a, lower=lower, eigvals_only=eigvals_only, check_finite=check_finite)

    def backward(z_bar):
        if eigvals_only:
            v = linalg.eigh(a, lower=lower)[1]
            a_bar = (v * z_bar[..., None, :]) @ np.swapaxes(v, -1, -2)
        else:
            w, v = z
            one = np.eye(w.shape[-1], dtype=w.dtype)
            vT = np.swapaxes(v, -1, -2)
            core = (vT @ z_bar[1]) * (1 / (w[..., None, :] - w[..., :, None] + one) - one)
            both = v @ core @ vT
            a_bar = (both + np.swapaxes(both, -1, -2)) / 2 + (v * z_bar[0][..., None, :]) @ vT
        return a_bar

    return z, backward


@formula(linalg.eigvalsh)
def eigvalsh(a, *, lower=True, check_finite=True):
    """z = eigenvalues of a symmetric a; the cotangent is symmetric."""
    z = linalg.eigvalsh(a, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        v = linalg.eigh(a, lower=lower)[1]
        return (v * z_bar[..., None, :]) @ np.swapaxes(v, -1, -2)

    return z, backward


@formula(linalg.polar)
def polar(a, side="right"):
    """z = (u, p), u orthogonal, p symmetric, positive definite, u p = a, or p u = a ("left").

    From u^T da = w p + dp with a skew w: the skew part of it is an equation of
    Sylvester for w. The rank of a is full, and p has the shorter side of a.
    """
    z = linalg.polar(a, side)

    def backward(z_bar):
        if side == "right":
            u, p = require_tall(z[0]), z[1]
            u_bar = np.zeros_like(u) if z_bar[0] is None else z_bar[0]
        else:
            u, p = require_tall(z[0].T), z[1]
            u_bar = np.zeros_like(u) if z_bar[0] is None else z_bar[0].T
        p_bar = np.zeros_like(p) if z_bar[1] is None else z_bar[1]
        # of a p on the left, everything is transposed
        own_bar = p_bar if side == "right" else p_bar.T
        g = u.T @ u_bar - own_bar @ p
        w = linalg.solve_sylvester(p, p, g - g.T)
        outside = u_bar - u @ (u.T @ u_bar)
        tall_bar = u @ (w + own_bar) + np.linalg.solve(p, outside.T).T
        return tall_bar if side == "right" else tall_bar.T, None

    return z, backward


@formula(require_tall)
def require_tall_(u):
    """z = u, where it has no more columns than rows."""
    return require_tall(u), lambda z_bar: z_bar


nondifferentiable(row_order)


mark_structured("lu_and_piv", linalg.lu_solve)
mark_structured("c_and_lower", linalg.cho_solve)
mark_structured("side", linalg.polar)
