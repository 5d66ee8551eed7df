"""Derivatives of SciPy's functions of matrices: N. Higham, "Functions of Matrices", 2008.

The derivations are textbook; a collection is M. Giles, "An extended collection
of matrix derivative results for forward and reverse mode algorithmic
differentiation", Oxford University Computing Laboratory, 2008. What allows SciPy to
write into its arguments (``overwrite_a``) is refused.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg
from srcgrad.formulas.scipy.linalg.options import require_matrix

from srcgrad.registry import formula
from srcgrad.runtime.matrices import require_real, with_direction


@formula(linalg.expm, of_complex=True)
def expm(A):
    """z = matrix exponential; the slope is a block of that of ((A^T, z_bar), (0, A^T))."""
    z = linalg.expm(A)

    def backward(z_bar):
        require_matrix("expm", np.ndim(A))
        n = A.shape[-1]
        AT = np.swapaxes(A, -1, -2)
        upper = np.concatenate((AT, z_bar), axis=-1)
        lower = np.concatenate((np.zeros_like(AT), AT), axis=-1)
        return linalg.expm(np.concatenate((upper, lower), axis=-2))[..., :n, n:]

    def tangent(A_dot):
        require_matrix("expm", np.ndim(A))
        n = A.shape[-1]
        upper = np.concatenate((A, A_dot), axis=-1)
        lower = np.concatenate((np.zeros_like(A), A), axis=-1)
        return linalg.expm(np.concatenate((upper, lower), axis=-2))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.logm, of_complex=True)
def logm(A):
    """z = matrix logarithm, real for a real A; the slope is found as that of ``expm``."""
    z = linalg.logm(A)

    def backward(z_bar):
        require_matrix("logm", np.ndim(A))
        n = A.shape[-1]
        AT = np.swapaxes(A, -1, -2)
        upper = np.concatenate((AT, z_bar if np.iscomplexobj(A) else require_real(z_bar)), axis=-1)
        lower = np.concatenate((np.zeros_like(AT), AT), axis=-1)
        return linalg.logm(np.concatenate((upper, lower), axis=-2))[..., :n, n:]

    def tangent(A_dot):
        require_matrix("logm", np.ndim(A))
        n = A.shape[-1]
        upper = np.concatenate((A, A_dot), axis=-1)
        lower = np.concatenate((np.zeros_like(A), A), axis=-1)
        return linalg.logm(np.concatenate((upper, lower), axis=-2))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.sqrtm, of_complex=True)
def sqrtm(A):
    """z = the principal root, z z = A, real for a real A."""
    z = linalg.sqrtm(A)

    def backward(z_bar):
        require_matrix("sqrtm", np.ndim(A))
        zT = np.swapaxes(z if np.iscomplexobj(A) else require_real(z), -1, -2)
        return linalg.solve_sylvester(zT, zT, z_bar)

    return z, backward


@formula(require_real)
def require_real_(z):
    """w = z, which is real."""
    return require_real(z), lambda w_bar: w_bar


@formula(linalg.cosm, of_complex=True)
def cosm(A):
    """z = matrix cosine; see ``with_direction``."""
    z = linalg.cosm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.cosm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.cosm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.sinm, of_complex=True)
def sinm(A):
    """z = matrix sine; see ``with_direction``."""
    z = linalg.sinm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.sinm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.sinm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.tanm, of_complex=True)
def tanm(A):
    """z = matrix tangent; see ``with_direction``."""
    z = linalg.tanm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.tanm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.tanm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.coshm, of_complex=True)
def coshm(A):
    """z = matrix hyperbolic cosine; see ``with_direction``."""
    z = linalg.coshm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.coshm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.coshm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.sinhm, of_complex=True)
def sinhm(A):
    """z = matrix hyperbolic sine; see ``with_direction``."""
    z = linalg.sinhm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.sinhm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.sinhm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(linalg.tanhm, of_complex=True)
def tanhm(A):
    """z = matrix hyperbolic tangent; see ``with_direction``."""
    z = linalg.tanhm(A)

    def backward(z_bar):
        n = A.shape[-1]
        return linalg.tanhm(with_direction(np.swapaxes(A, -1, -2), z_bar))[..., :n, n:]

    def tangent(A_dot):
        n = A.shape[-1]
        return linalg.tanhm(with_direction(A, A_dot))[..., :n, n:]

    return z, backward, tangent


@formula(with_direction, of_complex=True)
def with_direction_(a, direction):
    """w = ((a, direction), (0, a))."""
    w = with_direction(a, direction)

    def backward(w_bar):
        n = a.shape[-1]
        return w_bar[..., :n, :n] + w_bar[..., n:, n:], w_bar[..., :n, n:]

    def tangent(a_dot, direction_dot):
        return with_direction(a_dot, direction_dot)

    return w, backward, tangent
