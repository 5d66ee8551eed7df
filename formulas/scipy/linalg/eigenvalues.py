"""Derivatives of SciPy's singular values, and of eigenvalues of Hermitian matrices.

Where eigenvalues coincide, their vectors have no derivative, and a cotangent for them
gives inf or nan; those of other vectors stay. A complex eigenvector has any phase: functions
whose result depends on it have no derivative. SciPy reads one triangle of a matrix, and the
cotangent is one of that triangle. J. Magnus, "On differentiating eigenvalues and
eigenvectors", 1985.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import places_before

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import over_gaps, unbroadcast
from srcgrad.runtime.matrices import of_triangle, places_among, symmetric_of


@formula(linalg.svdvals, of_complex=True)
def svdvals(a, *, check_finite=True):
    """z = singular values of a, from the largest on."""
    z = linalg.svdvals(a, check_finite=check_finite)

    def backward(z_bar):
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        a_bar = (u * z_bar[..., None, :]) @ vh
        return np.conj(a_bar) if np.iscomplexobj(a) else a_bar

    return z, backward


@formula(linalg.eigh, of_complex=True)
def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    """z = (w, v) for Hermitian a and b, or w alone; without b, it is the identity.

    Type 1: a v = b v w, type 2: a b v = v w, both with v^H b v = 1; type 3: b a v = v w
    with v^H b^-1 v = 1. Types 2 and 3 are type 1 with b^-1 in the place of b, and with
    b v in that of v for type 2. The slopes of some of the vectors need all of them.
    """
    z = linalg.eigh(
        a,
        b,
        lower=lower,
        eigvals_only=eigvals_only,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )

    def backward(z_bar):
        w = z if eigvals_only else z[0]
        # all of the eigenvalues and vectors, and those of the result
        if not eigvals_only and subset_by_index is None and subset_by_value is None:
            all_w, every = z[0], z[1]
        elif b is None:
            all_w, every = linalg.eigh(a, lower=lower)
        else:
            all_w, every = linalg.eigh(a, b, lower=lower, type=type)
        if subset_by_value is None:
            before = places_before(subset_by_index)
            one = np.eye(every.shape[-1], w.shape[-1], -before, dtype=w.dtype)
        else:
            one = places_among(all_w, w)
        if not eigvals_only:
            v = z[1]
        elif subset_by_index is None and subset_by_value is None:
            v = every
        else:
            v = every @ one
        # what stands on both sides of the changes of a and of b
        if b is None or type == 1:
            left, all_left, right, all_right = v, every, v, every
        elif type == 2:
            whole = symmetric_of(b, lower, np.iscomplexobj(b))
            left, all_left, right, all_right = whole @ v, whole @ every, v, every
        else:
            whole = symmetric_of(b, lower, np.iscomplexobj(b))
            left, all_left = v, every
            right, all_right = np.linalg.solve(whole, v), np.linalg.solve(whole, every)
        leftT, rightT = np.swapaxes(left, -1, -2), np.swapaxes(right, -1, -2)
        w_bar = z_bar if eigvals_only else z_bar[0]
        u = np.conj(left) if np.iscomplexobj(v) else left
        a_bar = (u * w_bar[..., None, :]) @ leftT
        if not eigvals_only:
            turned = np.swapaxes(every, -1, -2) @ z_bar[1]
            core = over_gaps(turned, w[..., None, :] - all_w[..., :, None], one != 0)
            both = (np.conj(all_left) if np.iscomplexobj(v) else all_left) @ core @ leftT
            mirrored = np.swapaxes(both, -1, -2)
            a_bar = a_bar + (both + (np.conj(mirrored) if np.iscomplexobj(v) else mirrored)) / 2
        if b is None:
            return of_triangle(a_bar, lower), None
        scale = -w_bar * w if type == 1 else w_bar * w
        if not eigvals_only:
            along = np.sum(v * z_bar[1], axis=-2) / 2
            along = np.real(along) if np.iscomplexobj(v) else along
            scale = scale + along if type == 3 else scale - along
        u = np.conj(right) if np.iscomplexobj(v) else right
        b_bar = (u * scale[..., None, :]) @ rightT
        if not eigvals_only:
            if type == 1:
                core = -core * w[..., None, :]
            elif type == 2:
                core = core * all_w[..., :, None]
            else:
                core = core * w[..., None, :]
            both = (np.conj(all_right) if np.iscomplexobj(v) else all_right) @ core @ rightT
            mirrored = np.swapaxes(both, -1, -2)
            b_bar = b_bar + (both + (np.conj(mirrored) if np.iscomplexobj(v) else mirrored)) / 2
        a_bar, b_bar = of_triangle(a_bar, lower), of_triangle(b_bar, lower)
        return unbroadcast(a_bar, a), unbroadcast(b_bar, b)

    return z, backward


@formula(linalg.eigvalsh, of_complex=True)
def eigvalsh(
    a,
    b=None,
    *,
    lower=True,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    """z = eigenvalues w of ``eigh``."""
    z = linalg.eigvalsh(
        a,
        b,
        lower=lower,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )

    def backward(z_bar):
        if b is None:
            w, every = linalg.eigh(a, lower=lower)
        else:
            w, every = linalg.eigh(a, b, lower=lower, type=type)
        if subset_by_value is not None:
            v = every @ places_among(w, z)
        elif subset_by_index is not None:
            v = every[..., places_before(subset_by_index) :][..., : z.shape[-1]]
        else:
            v = every
        if b is None or type == 1:
            left, right = v, v
        elif type == 2:
            left, right = symmetric_of(b, lower, np.iscomplexobj(b)) @ v, v
        else:
            left, right = v, np.linalg.solve(symmetric_of(b, lower, np.iscomplexobj(b)), v)
        u = np.conj(left) if np.iscomplexobj(v) else left
        a_bar = of_triangle((u * z_bar[..., None, :]) @ np.swapaxes(left, -1, -2), lower)
        if b is None:
            return a_bar, None
        u = np.conj(right) if np.iscomplexobj(v) else right
        w_bar = -z_bar * z if type == 1 else z_bar * z
        b_bar = of_triangle((u * w_bar[..., None, :]) @ np.swapaxes(right, -1, -2), lower)
        return unbroadcast(a_bar, a), unbroadcast(b_bar, b)

    return z, backward


nondifferentiable(places_among)
