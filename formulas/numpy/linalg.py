"""Derivatives of NumPy's equations, inverses and determinants, in batches too.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import last_axes, swapped_halves

from srcgrad.registry import formula
from srcgrad.runtime import place_diagonal, unbroadcast
from srcgrad.runtime.matrices import require_rank, require_whole, solve_triangular
from srcgrad.runtime.numpy.determinants import cofactors, cofactors_along

# Numbers


@formula(np.linalg.det)
def det(x):
    """z = determinant."""
    z = np.linalg.det(x)

    def backward(z_bar):
        return z_bar * cofactors(x) if x.ndim == 2 else z_bar[..., None, None] * cofactors(x)

    def tangent(x_dot):
        return np.sum(cofactors(x) * x_dot, axis=(-2, -1))

    return z, backward, tangent


@formula(cofactors)
def cofactors_(x):
    """z = the slopes of the determinant."""
    z = cofactors(x)
    return z, lambda z_bar: cofactors_along(x, z_bar), lambda x_dot: cofactors_along(x, x_dot)


@formula(np.linalg.slogdet)
def slogdet(x):
    """z = sign of the determinant, and logarithm of its size; x not singular.

    The sign of a complex determinant is a number of size 1, and turns.
    """
    z = np.linalg.slogdet(x)

    def backward(z_bar):
        if np.iscomplexobj(x):
            turn = 0.0 if z_bar[0] is None else 1j * np.imag(z_bar[0] * z[0])
            slope = turn if z_bar[1] is None else z_bar[1] + turn
            if x.ndim == 2:
                x_bar = slope * np.linalg.inv(x).T
            else:
                x_bar = slope[..., None, None] * np.swapaxes(np.linalg.inv(x), -1, -2)
        elif z_bar[1] is None:
            x_bar = np.zeros_like(x)
        elif x.ndim == 2:
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
        diagonal = z_bar if x.ndim == 2 else np.expand_dims(z_bar, -1)
        return place_diagonal(diagonal, x, offset=offset, axis1=axis1, axis2=axis2)

    return z, backward


@formula(np.linalg.trace)
def linalg_trace(x, *, offset=0):
    """z = sum of the entries of a diagonal of the last two axes."""
    z = np.linalg.trace(x, offset=offset)

    def backward(z_bar):
        diagonal = z_bar if x.ndim == 2 else np.expand_dims(z_bar, -1)
        return place_diagonal(diagonal, x, offset=offset, axis1=-2, axis2=-1)

    return z, backward


@formula(np.linalg.diagonal)
def linalg_diagonal(x, *, offset=0):
    """z = the entries of a diagonal of the last two axes."""
    z = np.linalg.diagonal(x, offset=offset)

    def backward(z_bar):
        return place_diagonal(z_bar, x, offset=offset, axis1=-2, axis2=-1)

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


@formula(solve_triangular)
def solve_triangular_(a, b, *, lower=False):
    """z = the solution of a @ z = b, for triangular matrices a."""
    z = solve_triangular(a, b, lower=lower)

    def backward(z_bar):
        b_bar = solve_triangular(np.swapaxes(a, -1, -2), z_bar, lower=not lower)
        outer = -b_bar @ np.swapaxes(z, -1, -2)
        return np.tril(outer) if lower else np.triu(outer), b_bar

    return z, backward


@formula(np.linalg.tensorsolve)
def tensorsolve(a, b, *, axes=None):
    """z = the tensor with tensordot(a, z, axes=z.ndim) == b; axes of a may be moved behind."""
    z = np.linalg.tensorsolve(a, b, axes=axes)

    def backward(z_bar):
        moved = a if axes is None else np.moveaxis(a, axes, last_axes(axes))
        turned = np.transpose(moved, swapped_halves(b.ndim, a.ndim))
        b_bar = np.linalg.tensorsolve(turned, z_bar)
        a_bar = -np.tensordot(b_bar, z, axes=0)
        if axes is not None:
            a_bar = np.moveaxis(a_bar, last_axes(axes), axes)
        return a_bar, b_bar

    return z, backward


@formula(np.linalg.lstsq)
def lstsq(a, b, *, rcond=None):
    """z = least squares solution of a @ x = b, sums of squared residuals, rank, singular values.

    The rank is taken to be constant: G. Golub, V. Pereyra, "The differentiation
    of pseudo-inverses and nonlinear least squares problems whose variables
    separate", 1973. The singular values have the slopes of simple ones.
    """
    z = np.linalg.lstsq(a, b, rcond=rcond)

    def backward(z_bar):
        x = z[0]
        rest = np.conj(b - a @ x) if np.iscomplexobj(x) else b - a @ x
        if z_bar[0] is None:
            a_bar = np.zeros_like(a)
            b_bar = np.zeros_like(b)
        else:
            p = np.linalg.pinv(a) if rcond is None else require_rank(np.linalg.pinv(a), z[2], z[3])
            b_bar = p.T @ z_bar[0]
            left = z_bar[0] - a.T @ b_bar
            if np.iscomplexobj(x):
                back = p @ np.conj(b_bar)
                left = np.conj(left)
                own = np.conj(x)
            else:
                back = p @ b_bar
                own = x
            if b.ndim == 1:
                a_bar = np.outer(rest, back) - np.outer(b_bar, x) + np.outer(p.T @ own, left)
            else:
                a_bar = rest @ back.T - b_bar @ x.T + p.T @ own @ left.T
        if z_bar[1] is not None:
            # no sums come back for a wide or a rank-deficient matrix
            pull = 2 * rest * np.resize(z_bar[1], x.shape[1:])
            b_bar = b_bar + pull
            if b.ndim == 1:
                a_bar = a_bar - np.outer(pull, x)
            else:
                a_bar = a_bar - pull @ x.T
        if z_bar[3] is not None:
            u, _, vh = np.linalg.svd(a, full_matrices=False)
            slopes = (u * z_bar[3]) @ vh
            a_bar = a_bar + (np.conj(slopes) if np.iscomplexobj(a) else slopes)
        return a_bar, b_bar

    def tangent(a_dot, b_dot):
        x = z[0]
        rest = b - a @ x
        p = np.linalg.pinv(a) if rcond is None else require_rank(np.linalg.pinv(a), z[2], z[3])
        change = b_dot - a_dot @ x
        pH = np.conj(p.T) if np.iscomplexobj(a) else p.T
        a_dotH = np.conj(a_dot.T) if np.iscomplexobj(a) else a_dot.T
        left = a_dotH @ (pH @ x)
        x_dot = p @ change + p @ (pH @ (a_dotH @ rest)) + left - p @ (a @ left)
        pull = np.real(np.conj(rest) * change) if np.iscomplexobj(x) else rest * change
        # no sums come back for a wide or a rank-deficient matrix
        sums_dot = np.sum(2 * pull, axis=0, keepdims=b.ndim == 1)[: len(z[1])]
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        if np.iscomplexobj(a):
            s_dot = np.real(np.sum(np.conj(u) * (a_dot @ np.conj(vh.T)), axis=0))
        else:
            s_dot = np.sum(u * (a_dot @ vh.T), axis=0)
        return x_dot, sums_dot, None, s_dot

    return z, backward, tangent


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

    def tangent(x_dot):
        return -z @ x_dot @ z

    return z, backward, tangent


@formula(np.linalg.pinv)
def pinv(x, *, rcond=None, hermitian=False, rtol=None):
    """z = pseudo-inverse of x, at constant rank.

    From G. Golub, V. Pereyra, "The differentiation of pseudo-inverses and
    nonlinear least squares problems whose variables separate", 1973. Of a
    Hermitian x, NumPy reads the lower triangle; so is the cotangent.
    """
    if rtol is None:
        z = np.linalg.pinv(x, rcond=rcond, hermitian=hermitian)
    else:
        z = np.linalg.pinv(x, hermitian=hermitian, rtol=rtol)

    def backward(z_bar):
        if hermitian:
            below = np.tril(x, -1)
            belowT = np.swapaxes(below, -1, -2)
            whole = np.tril(x) + (np.conj(belowT) if np.iscomplexobj(x) else belowT)
        else:
            whole = x
        own = z if rcond is None and rtol is None else require_whole(z, whole)
        zT = own.T if x.ndim == 2 else np.swapaxes(own, -1, -2)
        z_barT = z_bar.T if x.ndim == 2 else np.swapaxes(z_bar, -1, -2)
        if np.iscomplexobj(x):
            zH = np.conj(zT)
            right = z_barT @ own @ zH
            left = zH @ own @ z_barT
            x_bar = (
                np.conj(right - whole @ (own @ right) + left - (left @ own) @ whole)
                - zT @ z_bar @ zT
            )
        else:
            right = z_barT @ own @ zT
            left = zT @ own @ z_barT
            x_bar = right - whole @ (own @ right) + left - (left @ own) @ whole - zT @ z_bar @ zT
        if hermitian:
            x_barT = np.swapaxes(x_bar, -1, -2)
            half = (x_bar + (np.conj(x_barT) if np.iscomplexobj(x) else x_barT)) / 2
            x_bar = np.tril(half) + np.tril(half, -1)
        return x_bar

    return z, backward


@formula(require_whole, shaped_like=0)
def require_whole_(z, x):
    """w = z, the pseudo-inverse of x, which leaves out nothing."""
    return require_whole(z, x), lambda w_bar: (w_bar, None)


@formula(require_rank, shaped_like=0)
def require_rank_(p, rank, singular):
    """w = p, of a matrix of this rank."""
    return require_rank(p, rank, singular), lambda w_bar: (w_bar, None, None)


@formula(np.linalg.tensorinv)
def tensorinv(x, *, ind=2):
    """z = the inverse of x as a map of its last axes to its first ``ind`` ones."""
    z = np.linalg.tensorinv(x, ind=ind)

    def backward(z_bar):
        turned = np.transpose(z, swapped_halves(x.ndim - ind, x.ndim))
        half = np.tensordot(turned, z_bar, axes=x.ndim - ind)
        return -np.tensordot(half, turned, axes=ind)

    return z, backward


@formula(np.linalg.matrix_power)
def matrix_power(x, n):
    """z = x multiplied with itself n times; of its inverse for n < 0.

    The power of the block matrix ((x.T, z_bar), (0, x.T)) has x_bar as its upper
    right block: N. Higham, "Functions of Matrices", 2008, theorem 3.6.
    """
    z = np.linalg.matrix_power(x, n)

    def backward(z_bar):
        m = x.shape[-1]
        xT = x.T if x.ndim == 2 else np.swapaxes(x, -1, -2)
        upper = np.concatenate((xT, z_bar), axis=-1)
        lower = np.concatenate((np.zeros_like(xT), xT), axis=-1)
        both = np.linalg.matrix_power(np.concatenate((upper, lower), axis=-2), n)
        return both[..., :m, m:], None

    def tangent(x_dot, n_dot):
        m = x.shape[-1]
        upper = np.concatenate((x, x_dot), axis=-1)
        lower = np.concatenate((np.zeros_like(x), x), axis=-1)
        both = np.linalg.matrix_power(np.concatenate((upper, lower), axis=-2), n)
        return both[..., :m, m:]

    return z, backward, tangent
