"""Derivatives of NumPy's matrix decompositions, in batches too.

A factor that is unique only up to signs has a derivative because its signs do
not change nearby. Where singular values or eigenvalues coincide, their vectors
have none, and a cotangent for them gives nan; those of other vectors stay.
"""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import is_one_of, require_reduced

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import first_columns, outside_span, over_gaps, with_added_columns
from srcgrad.runtime.matrices import anchors, nearest_columns, solve_triangular


@formula(np.linalg.cholesky, shaped_like=0)
def cholesky(x, *, upper=False):
    """z = lower triangular, z z^H = x; x Hermitian, positive definite.

    NumPy reads one triangle of x, the upper one for an upper z; the cotangent is one of
    that triangle. From I. Murray, "Differentiation of the Cholesky decomposition", 2016.
    """
    z = np.linalg.cholesky(x, upper=upper)

    def backward(z_bar):
        if np.iscomplexobj(x):
            adjoint = z if upper else np.conj(np.swapaxes(z, -1, -2))
            # the cotangent in the inner product of complex matrices, the conjugate one
            low_bar = np.swapaxes(z_bar, -1, -2) if upper else np.conj(z_bar)
            product = adjoint @ low_bar
        elif x.ndim == 2:
            adjoint = z if upper else z.T
            product = adjoint @ (z_bar.T if upper else z_bar)
        else:
            adjoint = z if upper else np.swapaxes(z, -1, -2)
            product = adjoint @ (np.swapaxes(z_bar, -1, -2) if upper else z_bar)
        # the lower triangle, and half of the diagonal
        half = (np.tril(product) + np.tril(product, -1)) / 2
        left = solve_triangular(adjoint, half)
        if np.iscomplexobj(x):
            both = solve_triangular(adjoint, np.conj(np.swapaxes(left, -1, -2)))
            whole = (np.conj(both) + np.swapaxes(both, -1, -2)) / 2
        elif x.ndim == 2:
            both = solve_triangular(adjoint, left.T)
            whole = (both + both.T) / 2
        else:
            both = solve_triangular(adjoint, np.swapaxes(left, -1, -2))
            whole = (both + np.swapaxes(both, -1, -2)) / 2
        return np.triu(whole) + np.triu(whole, 1) if upper else np.tril(whole) + np.tril(whole, -1)

    def tangent(x_dot):
        part = np.triu(x_dot) + np.triu(x_dot, 1) if upper else np.tril(x_dot) + np.tril(x_dot, -1)
        partT = np.swapaxes(part, -1, -2)
        partH = np.conj(partT) if np.iscomplexobj(x) else partT
        zT = np.swapaxes(z, -1, -2)
        zH = np.conj(zT) if np.iscomplexobj(x) else zT
        low = zH if upper else z
        left = solve_triangular(low, (part + partH) / 2, lower=True)
        leftT = np.swapaxes(left, -1, -2)
        core = solve_triangular(low, np.conj(leftT) if np.iscomplexobj(x) else leftT, lower=True)
        low_dot = low @ ((np.tril(core) + np.tril(core, -1)) / 2)
        low_dotT = np.swapaxes(low_dot, -1, -2) if upper else low_dot
        return np.conj(low_dotT) if upper and np.iscomplexobj(x) else low_dotT

    return z, backward, tangent


@formula(np.linalg.qr)
def qr(x, *, mode="reduced"):
    """z = (q, r), q with orthonormal columns, r upper triangular, real on its diagonal; q r = x.

    From S. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra
    functions", 2013; for wide matrices with the part of r beside its triangle.
    The leading columns of x are independent.
    """
    z = np.linalg.qr(x, mode=mode)

    def backward(z_bar):
        require_reduced(mode)
        if mode == "r":
            q, r = np.linalg.qr(x)
            q_bar, r_bar = None, z_bar
        else:
            q, r = z
            q_bar = z_bar[0]
            r_bar = np.zeros_like(r) if z_bar[1] is None else z_bar[1]
        k = q.shape[-1]
        square, square_bar, beside_bar = r[..., :k], r_bar[..., :k], r_bar[..., k:]
        if np.iscomplexobj(x):
            # cotangents in the inner product of complex matrices, the conjugate ones
            beside = x[..., k:] @ np.swapaxes(beside_bar, -1, -2)
            q_bar = beside if q_bar is None else np.conj(q_bar) + beside
            beside_bar = np.conj(beside_bar)
            m = square @ np.swapaxes(square_bar, -1, -2) - np.conj(np.swapaxes(q_bar, -1, -2)) @ q
            below = np.tril(m, -1)
            diagonal = np.real(np.tril(m) - below)
            inner = q_bar + q @ (below + diagonal + np.conj(np.swapaxes(below, -1, -2)))
            turned = np.conj(np.swapaxes(inner, -1, -2))
            first = np.swapaxes(np.linalg.solve(square, turned), -1, -2)
            x_bar = np.concatenate((first, np.conj(q @ beside_bar)), axis=-1)
        else:
            beside = x[..., k:] @ np.swapaxes(beside_bar, -1, -2)
            q_bar = beside if q_bar is None else q_bar + beside
            m = square @ np.swapaxes(square_bar, -1, -2) - np.swapaxes(q_bar, -1, -2) @ q
            symmetric = np.tril(m) + np.swapaxes(np.tril(m, -1), -1, -2)
            inner = q_bar + q @ symmetric
            first = np.swapaxes(np.linalg.solve(square, np.swapaxes(inner, -1, -2)), -1, -2)
            x_bar = np.concatenate((first, q @ beside_bar), axis=-1)
        return x_bar

    def tangent(x_dot):
        require_reduced(mode)
        if mode == "r":
            q, r = np.linalg.qr(x)
        else:
            q, r = z
        k = q.shape[-1]
        qT = np.swapaxes(q, -1, -2)
        qH = np.conj(qT) if np.iscomplexobj(x) else qT
        squareT = np.swapaxes(r[..., :k], -1, -2)
        first = np.swapaxes(np.linalg.solve(squareT, np.swapaxes(x_dot[..., :k], -1, -2)), -1, -2)
        m = qH @ first
        below = np.tril(m, -1)
        aboveT = np.conj(below) if np.iscomplexobj(x) else below
        turn = below - np.swapaxes(aboveT, -1, -2)
        if np.iscomplexobj(x):
            turn = turn + 1j * np.imag(np.tril(m) - below)
        r_dot = qH @ x_dot - turn @ r
        if mode == "r":
            z_dot = r_dot
        else:
            z_dot = (first - q @ (m - turn), r_dot)
        return z_dot

    return z, backward, tangent


@formula(np.linalg.svd)
def svd(x, *, full_matrices=True, compute_uv=True, hermitian=False):
    """z = (u, s, vh) with u diag(s) vh = x, or s alone.

    From J. Townsend, "Differentiating the singular value decomposition", 2016.
    Complex u and v may be turned by a phase, the same for both: functions whose result
    depends on it have no derivative. From Z.-Q. Wan, S.-X. Zhang, "Automatic
    differentiation for complex valued SVD", 2019.
    The vectors of singular values that coincide have no derivative, nor have
    those that full_matrices adds: a cotangent for them raises ValueError. Of a Hermitian x,
    NumPy reads the lower triangle, and the cotangent is one of that triangle.
    """
    z = np.linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)

    def backward(z_bar):
        if not compute_uv:
            u, _, vh = np.linalg.svd(x, full_matrices=False, hermitian=hermitian)
            x_bar = (u * z_bar[..., None, :]) @ vh
            x_bar = np.conj(x_bar) if np.iscomplexobj(x) else x_bar
        elif z_bar[0] is None and z_bar[2] is None and not full_matrices:
            x_bar = (z[0] * z_bar[1][..., None, :]) @ z[2]
            x_bar = np.conj(x_bar) if np.iscomplexobj(x) else x_bar
        elif z_bar[0] is None and z_bar[2] is None:
            k = z[1].shape[-1]
            x_bar = (z[0][..., :k] * z_bar[1][..., None, :]) @ z[2][..., :k, :]
            x_bar = np.conj(x_bar) if np.iscomplexobj(x) else x_bar
        elif np.iscomplexobj(x):
            s = z[1]
            k = s.shape[-1]
            u, vh = z[0][..., :k], z[2][..., :k, :]
            uh, v = np.conj(np.swapaxes(u, -1, -2)), np.conj(np.swapaxes(vh, -1, -2))
            # cotangents in the inner product of complex matrices, the conjugate ones
            u_bar = np.zeros_like(u) if z_bar[0] is None else np.conj(first_columns(z_bar[0], k))
            if z_bar[2] is None:
                v_bar = np.zeros_like(v)
            else:
                v_bar = first_columns(np.swapaxes(z_bar[2], -1, -2), k)
            one = np.identity(k, dtype=s.dtype, like=s)
            gaps = s[..., None, :] ** 2 - s[..., :, None] ** 2
            of_u, of_v = uh @ u_bar, vh @ v_bar
            turn_u, turn_v = over_gaps(of_u, gaps), over_gaps(of_v, gaps)
            core = (turn_u + np.conj(np.swapaxes(turn_u, -1, -2))) * s[..., None, :]
            core = core + (turn_v + np.conj(np.swapaxes(turn_v, -1, -2))) * s[..., :, None]
            core = core - 1j * np.imag(of_v) * one / s[..., None, :]
            if z_bar[1] is not None:
                core = core + one * z_bar[1][..., None, :]
            left = u @ core + outside_span(u_bar - u @ of_u, u, s[..., None, :])
            right = np.conj(np.swapaxes(outside_span(v_bar - v @ of_v, v, s[..., None, :]), -1, -2))
            x_bar = np.conj(left @ vh + u @ right)
        else:
            s = z[1]
            k = s.shape[-1]
            u, vT = (z[0][..., :k], z[2][..., :k, :]) if full_matrices else (z[0], z[2])
            columns, rows = s[..., None, :], s[..., :, None]
            gaps = columns**2 - rows**2
            if z_bar[0] is not None:
                u_bar = first_columns(z_bar[0], k) if full_matrices else z_bar[0]
                inner = np.swapaxes(u, -1, -2) @ u_bar
                turn = over_gaps(inner, gaps)
                turn = (turn + np.swapaxes(turn, -1, -2)) * columns
                x_bar = (u @ turn + outside_span(u_bar - u @ inner, u, columns)) @ vT
            if z_bar[2] is not None:
                v_barT = np.swapaxes(z_bar[2], -1, -2)
                v_bar = first_columns(v_barT, k) if full_matrices else v_barT
                v = np.swapaxes(vT, -1, -2)
                inner = vT @ v_bar
                turn = over_gaps(inner, gaps)
                turn = (turn + np.swapaxes(turn, -1, -2)) * rows
                of_v = u @ (
                    turn @ vT + np.swapaxes(outside_span(v_bar - v @ inner, v, columns), -1, -2)
                )
                x_bar = of_v if z_bar[0] is None else x_bar + of_v
            if z_bar[1] is not None:
                x_bar = x_bar + (u * z_bar[1][..., None, :]) @ vT
        if hermitian:  # NumPy reads one triangle
            x_barT = np.swapaxes(x_bar, -1, -2)
            half = (x_bar + (np.conj(x_barT) if np.iscomplexobj(x) else x_barT)) / 2
            x_bar = np.tril(half) + np.tril(half, -1)
        return x_bar

    def tangent(x_dot):
        if hermitian:
            part = np.tril(x_dot) + np.tril(x_dot, -1)
            partT = np.swapaxes(part, -1, -2)
            x_dot = (part + (np.conj(partT) if np.iscomplexobj(x) else partT)) / 2
        if not compute_uv:
            u, s, vh = np.linalg.svd(x, full_matrices=False, hermitian=hermitian)
        elif full_matrices:
            s = z[1]
            u, vh = z[0][..., : s.shape[-1]], z[2][..., : s.shape[-1], :]
        else:
            u, s, vh = z
        v = np.swapaxes(vh, -1, -2)
        if np.iscomplexobj(x):
            v = np.conj(v)
            s_dot = np.sum(np.real(np.conj(u) * (x_dot @ v)), axis=-2)
        else:
            s_dot = np.sum(u * (x_dot @ v), axis=-2)
        if compute_uv:
            right = x_dot @ v
            uT = np.swapaxes(u, -1, -2)
            p = (np.conj(uT) if np.iscomplexobj(x) else uT) @ right
            one = np.identity(s.shape[-1], dtype=s.dtype, like=s)
            columns, rows = s[..., None, :], s[..., :, None]
            f = 1 / (columns**2 - rows**2 + one) - one
            pT = np.swapaxes(p, -1, -2)
            pH = np.conj(pT) if np.iscomplexobj(x) else pT
            u_dot = u @ (f * (p * columns + rows * pH)) + outside_span(right - u @ p, u, columns)
            turn = f * (rows * p + pH * columns)
            x_dotT = np.swapaxes(x_dot, -1, -2)
            if np.iscomplexobj(x):
                turn = turn - 1j * np.imag(p) * one / columns
                back = np.conj(x_dotT) @ u
            else:
                back = x_dotT @ u
            v_dot = v @ turn + outside_span(back - v @ pH, v, columns)
            if full_matrices:
                u_dot = with_added_columns(u_dot, z[0].shape[-1])
                v_dot = with_added_columns(v_dot, z[2].shape[-1])
            v_dotT = np.swapaxes(v_dot, -1, -2)
            z_dot = (u_dot, s_dot, np.conj(v_dotT) if np.iscomplexobj(x) else v_dotT)
        else:
            z_dot = s_dot
        return z_dot

    return z, backward, tangent


@formula(np.linalg.svdvals)
def svdvals(x):
    """z = singular values of x, from the largest on."""
    z = np.linalg.svdvals(x)

    def backward(z_bar):
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        x_bar = (u * z_bar[..., None, :]) @ vh
        return np.conj(x_bar) if np.iscomplexobj(x) else x_bar

    return z, backward


@formula(np.linalg.eigh)
def eigh(x, *, UPLO="L"):
    """z = (w, v), eigenvalues and orthonormal eigenvectors of a Hermitian x.

    NumPy reads one triangle of x, and the cotangent is one of that triangle. A complex
    eigenvector has any phase: functions whose result depends on it have no derivative.
    """
    z = np.linalg.eigh(x, UPLO=UPLO)

    def backward(z_bar):
        w, v = z
        vT = np.swapaxes(v, -1, -2)
        u = np.conj(v) if np.iscomplexobj(x) else v
        if z_bar[1] is None:
            whole = (u * z_bar[0][..., None, :]) @ vT
        else:
            core = over_gaps(vT @ z_bar[1], w[..., None, :] - w[..., :, None])
            both = u @ core @ vT
            mirrored = np.swapaxes(both, -1, -2)
            whole = (both + (np.conj(mirrored) if np.iscomplexobj(x) else mirrored)) / 2
            if z_bar[0] is not None:
                whole = whole + (u * z_bar[0][..., None, :]) @ vT
        if is_one_of("u", UPLO):
            x_bar = np.triu(whole) + np.triu(whole, 1)
        else:
            x_bar = np.tril(whole) + np.tril(whole, -1)
        return x_bar

    return z, backward


@formula(np.linalg.eigvalsh)
def eigvalsh(x, *, UPLO="L"):
    """z = eigenvalues of a Hermitian x, of which NumPy reads one triangle; so is the cotangent."""
    z = np.linalg.eigvalsh(x, UPLO=UPLO)

    def backward(z_bar):
        v = np.linalg.eigh(x, UPLO=UPLO)[1]
        u = np.conj(v) if np.iscomplexobj(x) else v
        whole = (u * z_bar[..., None, :]) @ np.swapaxes(v, -1, -2)
        if is_one_of("u", UPLO):
            x_bar = np.triu(whole) + np.triu(whole, 1)
        else:
            x_bar = np.tril(whole) + np.tril(whole, -1)
        return x_bar

    return z, backward


@formula(np.linalg.eig)
def eig(x):
    """z = (w, v), eigenvalues and eigenvectors of a square x: the columns of v, of length 1.

    The derivatives are those of simple eigenvalues; both are complex, also of a real x. In
    each vector, LAPACK makes an entry real that is the largest one; it stays real.
    The derivation is textbook: J. Magnus, "On differentiating eigenvalues and
    eigenvectors", 1985, with another normalisation.
    """
    z = np.linalg.eig(x)

    def backward(z_bar):
        w, v = z
        vT = np.swapaxes(v, -1, -2)
        if z_bar[1] is None:
            inner = z_bar[0][..., :, None] * vT
        else:
            # what changes the length or the phase of a vector is undone
            turn = np.sum(z_bar[1] * v, axis=-2, keepdims=True)
            anchor = anchors(v)
            pivot = np.sum(np.real(v) * anchor, axis=-2, keepdims=True)
            free_bar = z_bar[1] - np.real(turn) * np.conj(v) - 1j * np.imag(turn) / pivot * anchor
            one = np.identity(w.shape[-1], dtype=w.dtype, like=w)
            core = over_gaps(vT @ free_bar, w[..., None, :] - w[..., :, None])
            if z_bar[0] is not None:
                core = core + one * z_bar[0][..., None, :]
            inner = core @ vT
        return np.linalg.solve(vT, inner)

    def tangent(x_dot):
        w, v = z
        p = np.linalg.solve(v, x_dot @ v)
        one = np.identity(w.shape[-1], dtype=w.dtype, like=w)
        free = v @ over_gaps(p, w[..., None, :] - w[..., :, None])
        anchor = anchors(v)
        pivot = np.sum(np.real(v) * anchor, axis=-2, keepdims=True)
        longer = np.sum(np.real(np.conj(v) * free), axis=-2, keepdims=True)
        turn = np.sum(np.imag(free) * anchor, axis=-2, keepdims=True) / pivot
        return np.sum(p * one, axis=-1), free - v * (longer + 1j * turn)

    return z, backward, tangent


@formula(np.linalg.eigvals)
def eigvals(x):
    """z = eigenvalues of a square x, simple ones; complex, also of a real x."""
    z = np.linalg.eigvals(x)

    def backward(z_bar):
        w, v = np.linalg.eig(x)
        own = np.take_along_axis(v, nearest_columns(w, z), axis=-1)
        vT = np.swapaxes(own, -1, -2)
        return np.linalg.solve(vT, z_bar[..., :, None] * vT)

    return z, backward


nondifferentiable(anchors, nearest_columns)
