"""Derivatives of SciPy's singular values, and of eigenvalues of Hermitian matrices.

Where eigenvalues coincide, their vectors have no derivative, and a cotangent for them
gives inf or nan. A complex eigenvector has any phase: functions whose result depends on
it have no derivative. SciPy reads one triangle of a matrix, and the cotangent is one of that
triangle. J. Magnus, "On differentiating eigenvalues and eigenvectors", 1985.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import places_before, require_first_kind

from srcgrad.registry import complex_too, formula
from srcgrad.runtime.matrices import of_triangle

complex_too(linalg.svdvals, linalg.eigh, linalg.eigvalsh)


@formula(linalg.svdvals)
def svdvals(a, *, check_finite=True):
    """z = singular values of a, from the largest on."""
    z = linalg.svdvals(a, check_finite=check_finite)

    def backward(z_bar):
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        a_bar = (u * z_bar[..., None, :]) @ vh
        return np.conj(a_bar) if np.iscomplexobj(a) else a_bar

    return z, backward


@formula(linalg.eigh)
def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    driver=None,
):
    """z = (w, v) with a v = b v diag(w) and v^H b v = 1 for Hermitian a and b, or w alone.

    The slopes of some of the vectors need all of them.
    """
    z = linalg.eigh(
        a,
        b,
        lower=lower,
        eigvals_only=eigvals_only,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        driver=driver,
    )

    def backward(z_bar):
        require_first_kind(type, b is None)
        if eigvals_only:
            if b is None:
                v = linalg.eigh(a, lower=lower, subset_by_index=subset_by_index)[1]
            else:
                v = linalg.eigh(a, b, lower=lower, subset_by_index=subset_by_index)[1]
            u = np.conj(v) if np.iscomplexobj(v) else v
            vT = np.swapaxes(v, -1, -2)
            a_bar = (u * z_bar[..., None, :]) @ vT
            b_bar = None if b is None else -(u * (z_bar * z)[..., None, :]) @ vT
        else:
            w, v = z
            if subset_by_index is None:
                all_w, every = w, v
            elif b is None:
                all_w, every = linalg.eigh(a, lower=lower)
            else:
                all_w, every = linalg.eigh(a, b, lower=lower)
            u = np.conj(every) if np.iscomplexobj(v) else every
            vT = np.swapaxes(v, -1, -2)
            before = places_before(subset_by_index)
            one = np.eye(every.shape[-1], w.shape[-1], -before, dtype=w.dtype)
            turned = np.swapaxes(every, -1, -2) @ z_bar[1]
            core = turned * (1 / (w[..., None, :] - all_w[..., :, None] + one) - one)
            both = u @ core @ vT
            mirrored = np.swapaxes(both, -1, -2)
            a_bar = (both + (np.conj(mirrored) if np.iscomplexobj(v) else mirrored)) / 2
            own = np.conj(v) if np.iscomplexobj(v) else v
            a_bar = a_bar + (own * z_bar[0][..., None, :]) @ vT
            if b is None:
                b_bar = None
            else:
                length = np.real(turned) if np.iscomplexobj(v) else turned
                both = u @ (core * w[..., None, :] + length * one / 2) @ vT
                mirrored = np.swapaxes(both, -1, -2)
                b_bar = -(both + (np.conj(mirrored) if np.iscomplexobj(v) else mirrored)) / 2
                b_bar = b_bar - (own * (z_bar[0] * w)[..., None, :]) @ vT
        if b is None:
            return of_triangle(a_bar, lower), None
        return of_triangle(a_bar, lower), of_triangle(b_bar, lower)

    return z, backward


@formula(linalg.eigvalsh)
def eigvalsh(
    a, b=None, *, lower=True, type=1, check_finite=True, subset_by_index=None, driver=None
):
    """z = eigenvalues w of a v = b v diag(w), for Hermitian a and b."""
    z = linalg.eigvalsh(
        a,
        b,
        lower=lower,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        driver=driver,
    )

    def backward(z_bar):
        require_first_kind(type, b is None)
        if b is None:
            v = linalg.eigh(a, lower=lower, subset_by_index=subset_by_index)[1]
        else:
            v = linalg.eigh(a, b, lower=lower, subset_by_index=subset_by_index)[1]
        u = np.conj(v) if np.iscomplexobj(v) else v
        vT = np.swapaxes(v, -1, -2)
        a_bar = of_triangle((u * z_bar[..., None, :]) @ vT, lower)
        if b is None:
            return a_bar, None
        return a_bar, of_triangle(-(u * (z_bar * z)[..., None, :]) @ vT, lower)

    return z, backward
