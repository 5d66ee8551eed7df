"""Derivatives of SciPy's decompositions into triangular factors, and of solving with them.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008. What allows SciPy to
write into its arguments (``overwrite_a``) is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import require_matrix

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.matrices import of_triangle, solve_triangular
from srcgrad.runtime.scipy.triangular import exchanged, joined, lu_change, lu_transpose, row_order


@formula(linalg.lu, of_complex=True)
def lu(a, *, permute_l=False, p_indices=False, check_finite=True):
    """z = (p, l, u), p a permutation, l and u triangular, p l u = a; or (p l, u).

    The rows that are exchanged stay the same nearby; the leading square of a is regular.
    """
    z = linalg.lu(a, permute_l=permute_l, p_indices=p_indices, check_finite=check_finite)

    def backward(z_bar):
        if permute_l:
            p, low, up = linalg.lu(a)
            a_bar = p @ lu_transpose(np.swapaxes(p, -1, -2) @ z_bar[0], z_bar[1], low, up)
        elif p_indices:
            a_bar = exchanged(lu_transpose(z_bar[1], z_bar[2], z[1], z[2]), z[0])
        else:
            a_bar = z[0] @ lu_transpose(z_bar[1], z_bar[2], z[1], z[2])
        return a_bar

    def tangent(a_dot):
        if permute_l:
            p, low, up = linalg.lu(a)
            l_dot, u_dot = lu_change(low, up, np.swapaxes(p, -1, -2) @ a_dot)
            z_dot = (p @ l_dot, u_dot)
        elif p_indices:
            l_dot, u_dot = lu_change(z[1], z[2], exchanged(a_dot, np.argsort(z[0])))
            z_dot = (None, l_dot, u_dot)
        else:
            l_dot, u_dot = lu_change(z[1], z[2], np.swapaxes(z[0], -1, -2) @ a_dot)
            z_dot = (np.zeros_like(z[0]), l_dot, u_dot)
        return z_dot

    return z, backward, tangent


@formula(linalg.lu_factor, of_complex=True)
def lu_factor(a, *, check_finite=True):
    """z = both factors of ``lu`` in one matrix, and exchanges of rows."""
    z = linalg.lu_factor(a, check_finite=check_finite)

    def backward(z_bar):
        require_matrix("lu_factor", a.ndim)
        m, n = a.shape[-2], a.shape[-1]
        k = min(m, n)
        low = np.tril(z[0][..., :k], -1) + np.eye(m, k, dtype=a.dtype)
        l_bar = np.tril(z_bar[0][..., :k], -1)
        u_bar = np.triu(z_bar[0][..., :k, :])
        product_bar = lu_transpose(l_bar, u_bar, low, np.triu(z[0][..., :k, :]))
        return exchanged(product_bar, np.argsort(row_order(z[1], m)))

    def tangent(a_dot):
        require_matrix("lu_factor", a.ndim)
        m, n = a.shape[-2], a.shape[-1]
        k = min(m, n)
        low = np.tril(z[0][..., :k], -1) + np.eye(m, k, dtype=a.dtype)
        up = np.triu(z[0][..., :k, :])
        l_dot, u_dot = lu_change(low, up, exchanged(a_dot, row_order(z[1], m)))
        return joined(l_dot, u_dot), None

    return z, backward, tangent


@formula(linalg.lu_solve, of_complex=True, sequences="lu_and_piv")
def lu_solve(lu_and_piv, b, *, trans=0, check_finite=True):
    """z = the solution of a z = b, of a^T z = b, or of a^H z = b, from ``lu_factor`` of a."""
    z = linalg.lu_solve(lu_and_piv, b, trans=trans, check_finite=check_finite)

    def backward(z_bar):
        both, pivots = lu_and_piv
        columns_bar = z_bar[..., None] if b.ndim == 1 else z_bar
        columns = z[..., None] if b.ndim == 1 else z
        if trans == 2 and np.iscomplexobj(both):
            b_bar = np.conj(linalg.lu_solve(lu_and_piv, np.conj(columns_bar)))
        else:
            b_bar = linalg.lu_solve(lu_and_piv, columns_bar, trans=0 if trans else 1)
        if trans:
            outer = unbroadcast(-columns @ np.swapaxes(b_bar, -1, -2), both)
        else:
            outer = unbroadcast(-b_bar @ np.swapaxes(columns, -1, -2), both)
        if trans == 2 and np.iscomplexobj(both):
            outer = np.conj(outer)
        product_bar = exchanged(outer, row_order(pivots, both.shape[-1]))
        one = np.eye(both.shape[-1], dtype=both.dtype)
        lowT = np.swapaxes(np.tril(both, -1) + one, -1, -2)
        upT = np.swapaxes(np.triu(both), -1, -2)
        both_bar = np.tril(product_bar @ upT, -1) + np.triu(lowT @ product_bar)
        return (both_bar, None), unbroadcast(b_bar[..., 0] if b.ndim == 1 else b_bar, b)

    return z, backward


@formula(exchanged, linear="x", of_complex=True)
def exchanged_(x, order):
    """z = rows of matrices in another order."""
    return exchanged(x, order), lambda z_bar: (exchanged(z_bar, np.argsort(order)), None)


@formula(linalg.cholesky, of_complex=True)
def cholesky(a, *, lower=False, check_finite=True):
    """z = triangular, z^H z = a, or z z^H = a; a Hermitian, positive definite.

    SciPy reads one triangle of a, and the cotangent is one of that triangle.
    """
    z = linalg.cholesky(a, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        if np.iscomplexobj(a):
            adjoint = np.conj(np.swapaxes(z, -1, -2)) if lower else z
            # the cotangent in the inner product of complex matrices, the conjugate one
            product = adjoint @ (np.conj(z_bar) if lower else np.swapaxes(z_bar, -1, -2))
        else:
            adjoint = np.swapaxes(z, -1, -2) if lower else z
            product = adjoint @ (z_bar if lower else np.swapaxes(z_bar, -1, -2))
        half = (np.tril(product) + np.tril(product, -1)) / 2
        leftT = np.swapaxes(solve_triangular(adjoint, half), -1, -2)
        if np.iscomplexobj(a):
            both = solve_triangular(adjoint, np.conj(leftT))
            a_bar = (np.conj(both) + np.swapaxes(both, -1, -2)) / 2
        else:
            both = solve_triangular(adjoint, leftT)
            a_bar = (both + np.swapaxes(both, -1, -2)) / 2
        found = of_triangle(a_bar, lower)
        return found if np.ndim(a) > 1 else np.reshape(found, np.shape(a))

    return z, backward


@formula(linalg.cho_factor, of_complex=True)
def cho_factor(a, *, lower=False, check_finite=True):
    """z = the factor of ``cholesky`` in its triangle, a in the other one; and lower."""
    z = linalg.cho_factor(a, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        if lower:
            rest = np.triu(z_bar[0], 1)
            adjoint = np.swapaxes(np.tril(z[0]), -1, -2)
            turned = np.tril(z_bar[0])
        else:
            rest = np.tril(z_bar[0], -1)
            adjoint = np.triu(z[0])
            turned = np.swapaxes(np.triu(z_bar[0]), -1, -2)
        if np.iscomplexobj(a) and lower:
            adjoint, turned = np.conj(adjoint), np.conj(turned)
        product = adjoint @ turned
        half = (np.tril(product) + np.tril(product, -1)) / 2
        leftT = np.swapaxes(solve_triangular(adjoint, half), -1, -2)
        if np.iscomplexobj(a):
            both = solve_triangular(adjoint, np.conj(leftT))
            a_bar = (np.conj(both) + np.swapaxes(both, -1, -2)) / 2
        else:
            both = solve_triangular(adjoint, leftT)
            a_bar = (both + np.swapaxes(both, -1, -2)) / 2
        found = of_triangle(a_bar, lower) + rest
        return found if np.ndim(a) > 1 else np.reshape(found, np.shape(a))

    return z, backward


@formula(linalg.cho_solve, of_complex=True, sequences="c_and_lower")
def cho_solve(c_and_lower, b, *, check_finite=True):
    """z = the solution of a z = b, from ``cho_factor`` of a."""
    z = linalg.cho_solve(c_and_lower, b, check_finite=check_finite)

    def backward(z_bar):
        factor, lower = c_and_lower
        below = lower if factor.ndim == 2 else np.expand_dims(lower, (-1, -2))
        columns_bar = z_bar[..., None] if b.ndim == 1 else z_bar
        columns = z[..., None] if b.ndim == 1 else z
        if np.iscomplexobj(factor):
            b_bar = np.conj(linalg.cho_solve(c_and_lower, np.conj(columns_bar)))
            outer = unbroadcast(-b_bar @ np.swapaxes(columns, -1, -2), factor)
            # of a = low low^H, by the cotangent in the inner product of complex matrices
            up = np.conj(np.swapaxes(np.triu(factor), -1, -2))
            low = np.where(below, np.tril(factor), up)
            low_bar = np.conj(np.tril((np.conj(outer) + np.swapaxes(outer, -1, -2)) @ low))
            up_bar = np.conj(np.swapaxes(low_bar, -1, -2))
        else:
            if factor.ndim == 2 and b.ndim == 1:
                b_bar = linalg.cho_solve(c_and_lower, z_bar)
                outer = -np.outer(b_bar, z)
            else:
                b_bar = linalg.cho_solve(c_and_lower, columns_bar)
                outer = unbroadcast(-b_bar @ np.swapaxes(columns, -1, -2), factor)
            up = np.swapaxes(np.triu(factor), -1, -2)
            if np.ndim(lower) == 0:
                low = np.tril(factor) if lower else up
            else:
                low = np.where(below, np.tril(factor), up)
            low_bar = np.tril((outer + np.swapaxes(outer, -1, -2)) @ low)
            up_bar = np.swapaxes(low_bar, -1, -2)
        if np.ndim(lower) == 0:
            factor_bar = low_bar if lower else up_bar
        else:
            factor_bar = np.where(below, low_bar, up_bar)
        vector = b.ndim == 1 and (factor.ndim > 2 or np.iscomplexobj(factor))
        return (factor_bar, None), unbroadcast(b_bar[..., 0] if vector else b_bar, b)

    return z, backward


nondifferentiable(row_order)
