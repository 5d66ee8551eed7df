"""Derivatives of SciPy's decompositions into orthogonal factors.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008. What allows SciPy to
write into its arguments (``overwrite_a``) is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import require_factors

from srcgrad.registry import formula
from srcgrad.runtime import first_columns, outside_span, over_gaps, with_added_columns
from srcgrad.runtime.matrices import require_tall


@formula(linalg.qr, of_complex=True, wrapped=True)
def qr(a, *, mode="full", pivoting=False, check_finite=True):
    """z = (q, r), q with orthonormal columns, r upper triangular, q r = a; or (r,).

    As ``np.linalg.qr``. With pivoting, the columns of a are in another order, which comes
    last and stays the same nearby. The columns that the mode "full" adds to q have no
    derivative: a cotangent for them raises ValueError.
    """
    z = linalg.qr(a, mode=mode, pivoting=pivoting, check_finite=check_finite)

    def backward(z_bar):
        require_factors(mode)
        x = np.take_along_axis(a, z[-1][..., None, :], axis=-1) if pivoting else a
        k = min(a.shape[-2], a.shape[-1])
        if mode == "r":
            q, r = linalg.qr(x, mode="economic")
            # for several matrices at once, SciPy gives r itself
            given = z_bar if isinstance(z_bar, np.ndarray) else z_bar[0]
            q_bar, r_bar = np.zeros_like(q), given[..., :k, :]
        else:
            q, r = z[0][..., :k], z[1][..., :k, :]
            q_bar = np.zeros_like(q) if z_bar[0] is None else first_columns(z_bar[0], k)
            r_bar = np.zeros_like(r) if z_bar[1] is None else z_bar[1][..., :k, :]
        square, square_bar, beside_bar = r[..., :k], r_bar[..., :k], r_bar[..., k:]
        if np.iscomplexobj(a):
            # cotangents in the inner product of complex matrices, the conjugate ones
            q_bar = np.conj(q_bar) + x[..., k:] @ np.swapaxes(beside_bar, -1, -2)
            beside_bar = np.conj(beside_bar)
            m = square @ np.swapaxes(square_bar, -1, -2) - np.conj(np.swapaxes(q_bar, -1, -2)) @ q
            below = np.tril(m, -1)
            diagonal = np.real(np.tril(m) - below)
            inner = q_bar + q @ (below + diagonal + np.conj(np.swapaxes(below, -1, -2)))
            turned = np.conj(np.swapaxes(inner, -1, -2))
            first = np.swapaxes(np.linalg.solve(square, turned), -1, -2)
            x_bar = np.concatenate((first, np.conj(q @ beside_bar)), axis=-1)
        else:
            q_bar = q_bar + x[..., k:] @ np.swapaxes(beside_bar, -1, -2)
            m = square @ np.swapaxes(square_bar, -1, -2) - np.swapaxes(q_bar, -1, -2) @ q
            inner = q_bar + q @ (np.tril(m) + np.swapaxes(np.tril(m, -1), -1, -2))
            first = np.swapaxes(np.linalg.solve(square, np.swapaxes(inner, -1, -2)), -1, -2)
            x_bar = np.concatenate((first, q @ beside_bar), axis=-1)
        if pivoting:
            x_bar = np.take_along_axis(x_bar, np.argsort(z[-1])[..., None, :], axis=-1)
        return x_bar

    def tangent(a_dot):
        require_factors(mode)
        if pivoting:
            order = z[-1][..., None, :]
            x, a_dot = np.take_along_axis(a, order, axis=-1), np.take_along_axis(a_dot, order, -1)
        else:
            x = a
        if mode == "r":
            q, r = linalg.qr(x, mode="economic")
        else:
            k = min(a.shape[-2], a.shape[-1])
            q, r = z[0][..., :k], z[1][..., :k, :]
        k = q.shape[-1]
        qT, squareT = np.swapaxes(q, -1, -2), np.swapaxes(r[..., :k], -1, -2)
        qH = np.conj(qT) if np.iscomplexobj(a) else qT
        first = np.swapaxes(np.linalg.solve(squareT, np.swapaxes(a_dot[..., :k], -1, -2)), -1, -2)
        m = qH @ first
        below = np.tril(m, -1)
        aboveT = np.conj(below) if np.iscomplexobj(a) else below
        turn = below - np.swapaxes(aboveT, -1, -2)
        if np.iscomplexobj(a):
            turn = turn + 1j * np.imag(np.tril(m) - below)
        q_dot, r_dot = first - q @ (m - turn), qH @ a_dot - turn @ r
        if mode == "r":
            below = np.zeros_like(z if isinstance(z, np.ndarray) else z[0])[..., k:, :]
            r_dot = np.concatenate((r_dot, below), axis=-2)
            z_dot = (r_dot, None) if pivoting else r_dot
        else:
            if mode == "full":
                q_dot = with_added_columns(q_dot, z[0].shape[-1])
                r_dot = np.concatenate((r_dot, np.zeros_like(z[1])[..., k:, :]), axis=-2)
            z_dot = (q_dot, r_dot, None) if pivoting else (q_dot, r_dot)
        return z_dot

    return z, backward, tangent


@formula(linalg.svd, of_complex=True)
def svd(x, *, full_matrices=True, compute_uv=True, check_finite=True, lapack_driver="gesdd"):
    """z = (u, s, vh) with u diag(s) vh = x, or s alone; as ``np.linalg.svd``.

    The vectors of singular values that coincide have no derivative, nor have
    those that full_matrices adds: a cotangent for them raises ValueError.
    """
    z = linalg.svd(
        x,
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        check_finite=check_finite,
        lapack_driver=lapack_driver,
    )

    def backward(z_bar):
        if not compute_uv:
            u, _, vh = np.linalg.svd(x, full_matrices=False)
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
            one = np.eye(k, dtype=s.dtype)
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
            u, v = z[0][..., :k], np.swapaxes(z[2], -1, -2)[..., :k]
            u_bar = np.zeros_like(u) if z_bar[0] is None else first_columns(z_bar[0], k)
            if z_bar[2] is None:
                v_bar = np.zeros_like(v)
            else:
                v_bar = first_columns(np.swapaxes(z_bar[2], -1, -2), k)
            one = np.eye(k, dtype=s.dtype)
            gaps = s[..., None, :] ** 2 - s[..., :, None] ** 2
            uT_u_bar = np.swapaxes(u, -1, -2) @ u_bar
            vT_v_bar = np.swapaxes(v, -1, -2) @ v_bar
            of_u, of_v = over_gaps(uT_u_bar, gaps), over_gaps(vT_v_bar, gaps)
            core = (of_u + np.swapaxes(of_u, -1, -2)) * s[..., None, :]
            core = core + (of_v + np.swapaxes(of_v, -1, -2)) * s[..., :, None]
            outside_u = outside_span(u_bar - u @ uT_u_bar, u, s[..., None, :])
            outside_v = outside_span(v_bar - v @ vT_v_bar, v, s[..., None, :])
            x_bar = (u @ core + outside_u) @ np.swapaxes(v, -1, -2)
            x_bar = x_bar + u @ np.swapaxes(outside_v, -1, -2)
            if z_bar[1] is not None:
                x_bar = x_bar + (u * z_bar[1][..., None, :]) @ np.swapaxes(v, -1, -2)
        return x_bar

    def tangent(x_dot):
        if not compute_uv:
            u, s, vh = np.linalg.svd(x, full_matrices=False)
        elif full_matrices:
            s = z[1]
            u, vh = z[0][..., : s.shape[-1]], z[2][..., : s.shape[-1], :]
        else:
            u, s, vh = z
        uT, v = np.swapaxes(u, -1, -2), np.swapaxes(vh, -1, -2)
        uH = np.conj(uT) if np.iscomplexobj(x) else uT
        v = np.conj(v) if np.iscomplexobj(x) else v
        right = x_dot @ v
        p = uH @ right
        one = np.eye(s.shape[-1], dtype=s.dtype)
        s_dot = np.sum(np.real(p) * one, axis=-1)
        if compute_uv:
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


@formula(linalg.polar, sequences="side")
def polar(a, side="right"):
    """z = (u, p), u orthogonal, p symmetric, positive definite, u p = a, or p u = a ("left").

    From u^T da = w p + dp with a skew w: the skew part of it is an equation of
    Sylvester for w. The rank of a is full, and p has the shorter side of a.
    """
    z = linalg.polar(a, side)

    def backward(z_bar):
        # of a p on the left, everything is transposed
        given = z[0] if side == "right" else np.swapaxes(z[0], -1, -2)
        u, p = require_tall(given), z[1]
        p_bar = np.zeros_like(p) if z_bar[1] is None else z_bar[1]
        own_bar = p_bar if side == "right" else np.swapaxes(p_bar, -1, -2)
        if z_bar[0] is None:
            u_bar = np.zeros_like(u)
        else:
            u_bar = z_bar[0] if side == "right" else np.swapaxes(z_bar[0], -1, -2)
        inside = np.swapaxes(u, -1, -2) @ u_bar
        g = inside - own_bar @ p
        w = linalg.solve_sylvester(p, p, g - np.swapaxes(g, -1, -2))
        outside = np.linalg.solve(p, np.swapaxes(u_bar - u @ inside, -1, -2))
        tall_bar = u @ (w + own_bar) + np.swapaxes(outside, -1, -2)
        return tall_bar if side == "right" else np.swapaxes(tall_bar, -1, -2), None

    return z, backward


@formula(require_tall)
def require_tall_(u):
    """z = u, where it has no more columns than rows."""
    return require_tall(u), lambda z_bar: z_bar
