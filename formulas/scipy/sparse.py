"""Derivatives of solving equations with SciPy's sparse matrices, which are constants."""

from __future__ import annotations

import numpy as np
from scipy.sparse import linalg
from srcgrad.formulas.scipy import named

from srcgrad.registry import formula, nondifferentiable, refused


@formula(linalg.spsolve, constant="A", of_complex=True)
def spsolve(A, b, *, permc_spec=None, use_umfpack=True):
    """z = the solution of A z = b, for an array b."""
    z = linalg.spsolve(A, b, permc_spec=permc_spec, use_umfpack=use_umfpack)

    def backward(z_bar):
        b_bar = linalg.spsolve(A.T, z_bar, permc_spec=permc_spec, use_umfpack=use_umfpack)
        return None, np.reshape(b_bar, b.shape)

    def tangent(A_dot, b_dot):
        return linalg.spsolve(A, b_dot, permc_spec=permc_spec, use_umfpack=use_umfpack)

    return z, backward, tangent


@formula(linalg.spsolve_triangular, constant="A", of_complex=True)
def spsolve_triangular(A, b, *, lower=True, unit_diagonal=False):
    """z = the solution of A z = b, for a triangular A."""
    z = linalg.spsolve_triangular(A, b, lower=lower, unit_diagonal=unit_diagonal)

    def backward(z_bar):
        return None, linalg.spsolve_triangular(
            A.T, z_bar, lower=not lower, unit_diagonal=unit_diagonal
        )

    def tangent(A_dot, b_dot):
        return linalg.spsolve_triangular(A, b_dot, lower=lower, unit_diagonal=unit_diagonal)

    return z, backward, tangent


@formula(linalg.cg, constant="A")
def cg(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None):
    """z = (the solution of A z = b for a symmetric A, to a tolerance; how it ended)."""
    z = linalg.cg(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M)

    def backward(z_bar):
        b_bar = linalg.cg(A, z_bar[0], rtol=rtol, atol=atol, maxiter=maxiter, M=M)[0]
        return None, np.reshape(b_bar, b.shape), None

    def tangent(A_dot, b_dot, x0_dot):
        return linalg.cg(A, b_dot, rtol=rtol, atol=atol, maxiter=maxiter, M=M)[0], None

    return z, backward, tangent


nondifferentiable(*named(linalg, "is_sptriangular spbandwidth use_solver"))
refused("use scipy.sparse.linalg.spsolve or cg", *named(linalg, (
    "bicg bicgstab cgs factorized gcrotmk gmres lgmres lsmr lsqr minres qmr spilu splu tfqmr"
)))  # fmt: skip
refused("its objects are not followed", *named(linalg, "LaplacianNd LinearOperator SuperLU"))
refused("use scipy.linalg with .toarray()", *named(linalg, (
    "aslinearoperator eigs eigsh expm expm_multiply funm_multiply_krylov inv lobpcg matrix_power "
    "norm onenormest svds"
)))  # fmt: skip
refused("it only stands for a kind of error", *named(
    linalg, "ArpackError ArpackNoConvergence MatrixRankWarning"
))  # fmt: skip
