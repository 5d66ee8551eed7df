"""Derivatives of NumPy's equations, inverses, determinants and norms, in batches too.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.axes import power_of_condition, swapped_halves

from srcgrad.registry import formula, static
from srcgrad.runtime import place_diagonal, unbroadcast

# Norms and other numbers


@formula(np.linalg.norm)
def norm(x, *, ord=None, axis=None, keepdims=False):  # noqa: A002 (NumPy's name)
    """z = norm of vectors or matrices; slope 0 where it is 0.

    Where entries, row sums or singular values tie for the largest or smallest,
    they share evenly.
    """
    z = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis is None or keepdims:
            size = z
            size_bar = z_bar
        else:
            size = np.expand_dims(z, axis)
            size_bar = np.expand_dims(z_bar, axis)
        kind = norm_kind(ord, axis, x.ndim)
        if kind == "two":
            x_bar = size_bar * (x / (size + (size == 0)))
        elif kind == "one":
            x_bar = size_bar * np.sign(x)
        elif kind == "extreme":
            ties = np.abs(x) == size
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
            x_bar = size_bar / count * ties * np.sign(x)
        elif kind == "count":
            x_bar = np.zeros_like(x)
        elif kind == "power":
            ratio = np.abs(x) / (size + (size == 0))
            x_bar = size_bar * np.sign(x) * ratio ** (ord - 1)
        elif kind == "sums":
            pair = matrix_axes(axis)
            along = pair[0] if ord in (1, -1) else pair[1]
            sums = np.sum(np.abs(x), axis=along, keepdims=True)
            ties = sums == size
            count = np.sum(ties, axis=pair, keepdims=True, dtype=x.dtype)
            x_bar = size_bar / count * ties * np.sign(x)
        else:
            pair = matrix_axes(axis)
            matrices = x if x.ndim == 2 and pair == (0, 1) else np.moveaxis(x, pair, (-2, -1))
            u, s, vh = np.linalg.svd(matrices, full_matrices=False)
            if ord == "nuc":
                share = np.sign(s)
            else:
                extreme = s[..., :1] if ord == 2 else s[..., -1:]
                ties = s == extreme
                count = np.sum(ties, axis=-1, keepdims=True, dtype=x.dtype)
                share = ties / count
            slopes = (u * share[..., None, :]) @ vh
            if x.ndim > 2 or pair != (0, 1):
                slopes = np.moveaxis(slopes, (-2, -1), pair)
            x_bar = size_bar * slopes
        return x_bar

    return z, backward


@formula(np.linalg.vector_norm)
def vector_norm(x, *, axis=None, keepdims=False, ord=2):  # noqa: A002 (NumPy's name)
    """z = norm of vectors, or of all entries; slope 0 where it is 0."""
    z = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def backward(z_bar):
        if axis is None or keepdims:
            size = z
            size_bar = z_bar
        else:
            size = np.expand_dims(z, axis)
            size_bar = np.expand_dims(z_bar, axis)
        kind = norm_kind(ord, 0, 1)
        if kind == "two":
            x_bar = size_bar * (x / (size + (size == 0)))
        elif kind == "one":
            x_bar = size_bar * np.sign(x)
        elif kind == "extreme":
            ties = np.abs(x) == size
            count = np.sum(ties, axis=axis, keepdims=True, dtype=x.dtype)
            x_bar = size_bar / count * ties * np.sign(x)
        elif kind == "count":
            x_bar = np.zeros_like(x)
        else:
            ratio = np.abs(x) / (size + (size == 0))
            x_bar = size_bar * np.sign(x) * ratio ** (ord - 1)
        return x_bar

    return z, backward


@formula(np.linalg.matrix_norm)
def matrix_norm(x, *, keepdims=False, ord="fro"):  # noqa: A002 (NumPy's name)
    """z = norm of the matrices in the last two axes; slope 0 where it is 0."""
    z = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)

    def backward(z_bar):
        size = z if keepdims else np.expand_dims(z, (-2, -1))
        size_bar = z_bar if keepdims else np.expand_dims(z_bar, (-2, -1))
        kind = norm_kind(ord, (-2, -1), 2)
        if kind == "two":
            x_bar = size_bar * (x / (size + (size == 0)))
        elif kind == "sums":
            sums = np.sum(np.abs(x), axis=-2 if ord in (1, -1) else -1, keepdims=True)
            ties = sums == size
            count = np.sum(ties, axis=(-2, -1), keepdims=True, dtype=x.dtype)
            x_bar = size_bar / count * ties * np.sign(x)
        else:
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            if ord == "nuc":
                share = np.sign(s)
            else:
                extreme = s[..., :1] if ord == 2 else s[..., -1:]
                ties = s == extreme
                count = np.sum(ties, axis=-1, keepdims=True, dtype=x.dtype)
                share = ties / count
            x_bar = size_bar * ((u * share[..., None, :]) @ vh)
        return x_bar

    return z, backward


@static
def norm_kind(order, axis, rank):
    """Return which formula serves an order of ``np.linalg.norm``.

    Args:
        order: the option ``ord``.
        axis: the option ``axis``.
        rank: the number of dimensions of the array.

    Returns:
        "two", "one", "extreme", "count" or "power" for vectors, "two", "sums" or
        "spectral" for matrices.
    """
    if order is None:
        return "two"
    of_matrices = rank == 2 if axis is None else not isinstance(axis, int)
    if of_matrices and isinstance(axis, tuple | list) and len(axis) == 1:
        of_matrices = False
    if of_matrices:
        names = {"fro": "two", "f": "two", 1: "sums", -1: "sums", np.inf: "sums", -np.inf: "sums"}
        return names.get(order, "spectral")
    names = {2: "two", 1: "one", np.inf: "extreme", -np.inf: "extreme", 0: "count"}
    return names.get(order, "power")


@static
def matrix_axes(axis):
    """Return the axes of rows and columns that a matrix norm is over."""
    return (0, 1) if axis is None else tuple(axis)


@formula(np.linalg.cond)
def cond(x, *, p=None):
    """z = condition number; simple extreme singular values where p is None, 2 or -2."""
    z = np.linalg.cond(x, p=p)

    def backward(z_bar):
        scale = np.expand_dims(z_bar * z, (-2, -1))
        if power_of_condition(p):
            u, s, vh = np.linalg.svd(x, full_matrices=False)
            top = u[..., :, :1] @ vh[..., :1, :] / s[..., :1, None]
            low = u[..., :, -1:] @ vh[..., -1:, :] / s[..., -1:, None]
            change = top - low if p != -2 else low - top
            x_bar = scale * change
        else:
            y = np.linalg.inv(x)
            yT = np.swapaxes(y, -1, -2)
            own = np.sum(x**2, axis=(-2, -1), keepdims=True)
            other = np.sum(y**2, axis=(-2, -1), keepdims=True)
            x_bar = scale * (x / own - yT @ y @ yT / other)
        return x_bar

    return z, backward


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
        if z_bar[1] is None:
            x_bar = np.zeros_like(x)
        elif x.ndim == 2:
            x_bar = z_bar[1] * np.linalg.inv(x).T
        else:
            inverse = np.linalg.inv(x)
            x_bar = z_bar[1][..., None, None] * np.swapaxes(inverse, -1, -2)
        return x_bar

    return z, backward


@formula(np.trace)
def trace(x, *, offset=0, axis1=0, axis2=1):
    """z = sum of the entries of a diagonal."""
    z = np.trace(x, offset=offset, axis1=axis1, axis2=axis2)

    def backward(z_bar):
        diagonal = np.expand_dims(z_bar, -1)
        return place_diagonal(diagonal, x, offset=offset, axis1=axis1, axis2=axis2)

    return z, backward


@formula(np.linalg.trace)
def linalg_trace(x, *, offset=0):
    """z = sum of the entries of a diagonal of the last two axes."""
    z = np.linalg.trace(x, offset=offset)

    def backward(z_bar):
        diagonal = np.expand_dims(z_bar, -1)
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


@formula(np.linalg.tensorsolve)
def tensorsolve(a, b):
    """z = the tensor with tensordot(a, z, axes=z.ndim) == b."""
    z = np.linalg.tensorsolve(a, b)

    def backward(z_bar):
        turned = np.transpose(a, swapped_halves(b.ndim, a.ndim))
        b_bar = np.linalg.tensorsolve(turned, z_bar)
        return -np.tensordot(b_bar, z, axes=0), b_bar

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
        rest = b - a @ x
        if z_bar[0] is None:
            a_bar = np.zeros_like(a)
            b_bar = np.zeros_like(b)
        else:
            p = np.linalg.pinv(a)
            b_bar = p.T @ z_bar[0]
            back = p @ b_bar
            left = z_bar[0] - a.T @ b_bar
            if b.ndim == 1:
                a_bar = np.outer(rest, back) - np.outer(b_bar, x) + np.outer(p.T @ x, left)
            else:
                a_bar = rest @ back.T - b_bar @ x.T + p.T @ x @ left.T
        if z_bar[1] is not None:
            # no sums come back for a wide or a rank-deficient matrix
            pull = 2 * rest * np.resize(z_bar[1], x.shape[1:])
            b_bar = b_bar + pull
            if b.ndim == 1:
                a_bar = a_bar - np.outer(pull, x)
            else:
                a_bar = a_bar - pull @ x.T
        if z_bar[3] is not None:
            u, s, vh = np.linalg.svd(a, full_matrices=False)
            a_bar = a_bar + (u * z_bar[3]) @ vh
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


@formula(np.linalg.pinv)
def pinv(x, *, rcond=None, hermitian=False, rtol=None):
    """z = pseudo-inverse of x, at constant rank.

    From G. Golub, V. Pereyra, "The differentiation of pseudo-inverses and
    nonlinear least squares problems whose variables separate", 1973. The
    cotangent is the same with hermitian or without.
    """
    if rtol is None:
        z = np.linalg.pinv(x, rcond=rcond, hermitian=hermitian)
    else:
        z = np.linalg.pinv(x, hermitian=hermitian, rtol=rtol)

    def backward(z_bar):
        zT = z.T if x.ndim == 2 else np.swapaxes(z, -1, -2)
        z_barT = z_bar.T if x.ndim == 2 else np.swapaxes(z_bar, -1, -2)
        right = z_barT @ z @ zT
        left = zT @ z @ z_barT
        return right - x @ (z @ right) + left - (left @ z) @ x - zT @ z_bar @ zT

    return z, backward


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

    return z, backward
