"""SciPy's linear algebra that is constant, or refused, and why."""

from __future__ import annotations

from scipy import linalg
from srcgrad.formulas.numpy.norms import norm
from srcgrad.formulas.scipy import named

from srcgrad.registry import NOT_YET, formula, in_python, nondifferentiable, refused
from srcgrad.runtime.scipy.equations import (
    continuous_riccati,
    continuous_riccati_start,
    discrete_lyapunov,
    discrete_riccati,
    discrete_riccati_start,
    null_space,
    null_space_start,
    toeplitz_solution,
)

# Equations, in Python

in_python(linalg.solve_toeplitz, toeplitz_solution)
in_python(linalg.solve_continuous_are, continuous_riccati)
in_python(linalg.solve_discrete_are, discrete_riccati)
in_python(linalg.solve_discrete_lyapunov, discrete_lyapunov)
in_python(linalg.null_space, null_space)
nondifferentiable(continuous_riccati_start, discrete_riccati_start, null_space_start)

# The same as in NumPy

formula(linalg.norm)(norm)

# Tests, and matrices that depend on their size only

nondifferentiable(*named(linalg, (
    "bandwidth ishermitian issymmetric hadamard helmert hilbert invhilbert invpascal pascal "
    "find_best_blas_type get_blas_funcs get_lapack_funcs"
)))  # fmt: skip

refused("the formulas for SciPy are those for real numbers", *named(
    linalg, "eig eigvals eig_banded eigvals_banded cdf2rdf rsf2csf ordqz qz"
))  # fmt: skip
refused(
    "its vectors, and the order of its eigenvalues, are not told by the matrix alone; use "
    "np.linalg.eigvals, or expm, sqrtm and logm for functions of a matrix",
    linalg.schur,
)
refused("it takes a number of points; make that one by int(...)", *named(linalg, "dft"))
refused("it draws random numbers; multiply by a sketch of an identity", *named(
    linalg, "clarkson_woodruff_transform"
))  # fmt: skip
refused("it calls a function itself", *named(linalg, "funm"))
refused("it only stands for a kind of error", *named(linalg, "LinAlgError LinAlgWarning"))
refused(NOT_YET, *named(linalg, (
    "cho_solve_banded cholesky_banded companion convolution_matrix cossin "
    "diagsvd eigh_tridiagonal eigvalsh_tridiagonal expm_cond expm_frechet fiedler "
    "fiedler_companion fractional_matrix_power hessenberg khatri_rao ldl leslie "
    "matmul_toeplitz matrix_balance orth orthogonal_procrustes pinvh qr_delete "
    "qr_insert qr_multiply qr_update rq signm solve_circulant "
    "subspace_angles tri tril triu"
)))  # fmt: skip
