"""Derivatives of NumPy's matrix decompositions, in batches too.

A factor that is unique only up to signs has a derivative because its signs do
not change nearby. Where singular values or eigenvalues coincide, their vectors
have none, and a cotangent for them gives nan.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.axes import require_reduced

from srcgrad.registry import formula
from srcgrad.runtime import first_columns


@formula(np.linalg.cholesky)
def cholesky(x, *, upper=False):
    """z = lower triangular, z z^T = x; x symmetric, positive definite.

    The cotangent is symmetric: that of a function of symmetric matrices. From
    I. Murray, "Differentiation of the Cholesky decomposition", 2016.
    """
    z = np.linalg.cholesky(x, upper=upper)

    def backward(z_bar):
        if x.ndim == 2:
            zT = z if upper else z.T
            product = zT @ z_bar.T if upper else zT @ z_bar
        else:
            zT = z if upper else np.swapaxes(z, -1, -2)
            product = zT @ (np.swapaxes(z_bar, -1, -2) if upper else z_bar)
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


@formula(np.linalg.qr)
def qr(x, *, mode="reduced"):
    """z = (q, r), q with orthonormal columns, r upper triangular, q r = x.

    From S. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra
    functions", 2013; for wide matrices with the part of r beside its triangle.
    The leading columns of x are independent.
    """
    z = np.linalg.qr(x, mode=mode)

    def backward(z_bar):
        require_reduced(mode)
        if mode == "r":
            q, r = np.linalg.qr(x)
            q_bar, r_bar = np.zeros_like(q), z_bar
        else:
            q, r = z
            q_bar = np.zeros_like(q) if z_bar[0] is None else z_bar[0]
            r_bar = np.zeros_like(r) if z_bar[1] is None else z_bar[1]
        k = q.shape[-1]
        square, square_bar, beside_bar = r[..., :k], r_bar[..., :k], r_bar[..., k:]
        q_bar = q_bar + x[..., k:] @ np.swapaxes(beside_bar, -1, -2)
        m = square @ np.swapaxes(square_bar, -1, -2) - np.swapaxes(q_bar, -1, -2) @ q
        symmetric = np.tril(m) + np.swapaxes(np.tril(m, -1), -1, -2)
        inner = q_bar + q @ symmetric
        first = np.swapaxes(np.linalg.solve(square, np.swapaxes(inner, -1, -2)), -1, -2)
        return np.concatenate((first, q @ beside_bar), axis=-1)

    return z, backward


@formula(np.linalg.svd)
def svd(x, *, full_matrices=True, compute_uv=True, hermitian=False):
    """z = (u, s, vh) with u diag(s) vh = x, or s alone.

    From J. Townsend, "Differentiating the singular value decomposition", 2016.
    The vectors of singular values that coincide have no derivative, nor have
    those that full_matrices adds: a cotangent for them raises ValueError.
    """
    z = np.linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)

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
            one = np.eye(k, dtype=s.dtype, like=s)
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

    return z, backward


@formula(np.linalg.svdvals)
def svdvals(x):
    """z = singular values of x, from the largest on."""
    z = np.linalg.svdvals(x)

    def backward(z_bar):
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        return (u * z_bar[..., None, :]) @ vh

    return z, backward


@formula(np.linalg.eigh)
def eigh(x, *, UPLO="L"):
    """z = (w, v), eigenvalues and orthonormal eigenvectors of a symmetric x.

    The cotangent is symmetric: that of a function of symmetric matrices, though
    NumPy reads one triangle only.
    """
    z = np.linalg.eigh(x, UPLO=UPLO)

    def backward(z_bar):
        w, v = z
        vT = np.swapaxes(v, -1, -2)
        if z_bar[1] is None:
            x_bar = (v * z_bar[0][..., None, :]) @ vT
        else:
            one = np.eye(w.shape[-1], dtype=w.dtype, like=w)
            core = (vT @ z_bar[1]) * (1 / (w[..., None, :] - w[..., :, None] + one) - one)
            both = v @ core @ vT
            x_bar = (both + np.swapaxes(both, -1, -2)) / 2
            if z_bar[0] is not None:
                x_bar = x_bar + (v * z_bar[0][..., None, :]) @ vT
        return x_bar

    return z, backward


@formula(np.linalg.eigvalsh)
def eigvalsh(x, *, UPLO="L"):
    """z = eigenvalues of a symmetric x; the cotangent is symmetric."""
    z = np.linalg.eigvalsh(x, UPLO=UPLO)

    def backward(z_bar):
        v = np.linalg.eigh(x, UPLO=UPLO)[1]
        return (v * z_bar[..., None, :]) @ np.swapaxes(v, -1, -2)

    return z, backward
