"""Derivatives of SciPy's orthogonal polynomials, in their argument.

Degrees and parameters are constant. A slope is again a polynomial of these
families: NIST Digital Library of Mathematical Functions, 18.9(iii). A polynomial
of degree -1 is 0.
"""

from __future__ import annotations

import numpy as np
from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast


@formula(special.eval_legendre, constant="n")
def eval_legendre(n, x):
    """z = P_n(x)."""
    z = special.eval_legendre(n, x)
    return z, lambda z_bar: (None, z_bar * special.eval_gegenbauer(n - 1, 1.5, x))


@formula(special.eval_chebyt, constant="n")
def eval_chebyt(n, x):
    """z = T_n(x)."""
    z = special.eval_chebyt(n, x)
    return z, lambda z_bar: (None, z_bar * n * special.eval_chebyu(n - 1, x))


@formula(special.eval_chebyu, constant="n")
def eval_chebyu(n, x):
    """z = U_n(x)."""
    z = special.eval_chebyu(n, x)

    def backward(z_bar):
        return None, 2 * z_bar * special.eval_gegenbauer(n - 1, 2.0, x)

    return z, backward


@formula(special.eval_chebyc, constant="n")
def eval_chebyc(n, x):
    """z = C_n(x) = 2 T_n(x / 2)."""
    z = special.eval_chebyc(n, x)
    return z, lambda z_bar: (None, z_bar * n * special.eval_chebyu(n - 1, x / 2))


@formula(special.eval_chebys, constant="n")
def eval_chebys(n, x):
    """z = S_n(x) = U_n(x / 2)."""
    z = special.eval_chebys(n, x)

    def backward(z_bar):
        return None, z_bar * special.eval_gegenbauer(n - 1, 2.0, x / 2)

    return z, backward


@formula(special.eval_sh_legendre, constant="n")
def eval_sh_legendre(n, x):
    """z = P_n(2 x - 1)."""
    z = special.eval_sh_legendre(n, x)

    def backward(z_bar):
        return None, 2 * z_bar * special.eval_gegenbauer(n - 1, 1.5, 2 * x - 1)

    return z, backward


@formula(special.eval_sh_chebyt, constant="n")
def eval_sh_chebyt(n, x):
    """z = T_n(2 x - 1)."""
    z = special.eval_sh_chebyt(n, x)

    def backward(z_bar):
        return None, 2 * z_bar * n * special.eval_chebyu(n - 1, 2 * x - 1)

    return z, backward


@formula(special.eval_sh_chebyu, constant="n")
def eval_sh_chebyu(n, x):
    """z = U_n(2 x - 1)."""
    z = special.eval_sh_chebyu(n, x)

    def backward(z_bar):
        return None, 4 * z_bar * special.eval_gegenbauer(n - 1, 2.0, 2 * x - 1)

    return z, backward


@formula(special.eval_gegenbauer, constant="n alpha")
def eval_gegenbauer(n, alpha, x):
    """z = C_n of parameter alpha at x."""
    z = special.eval_gegenbauer(n, alpha, x)

    def backward(z_bar):
        slope = 2 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x)
        return None, None, z_bar * slope

    return z, backward


@formula(special.eval_jacobi, constant="n alpha beta", of_complex=True)
def eval_jacobi(n, alpha, beta, x):
    """z = P_n of parameters alpha and beta at x."""
    z = special.eval_jacobi(n, alpha, beta, x)

    def backward(z_bar):
        factor = (n != 0) * (n + alpha + beta + 1) / 2
        slope = factor * special.eval_jacobi(n - (n != 0), alpha + 1, beta + 1, x)
        return None, None, None, z_bar * slope

    return z, backward


@formula(special.eval_sh_jacobi, constant="n p q")
def eval_sh_jacobi(n, p, q, x):
    """z = P_n of parameters p - q and q - 1 at 2 x - 1, over binom(2 n + p - 1, n)."""
    z = special.eval_sh_jacobi(n, p, q, x)

    def backward(z_bar):
        factor = (n != 0) * (n + p) / special.binom(2 * n + p - 1, n)
        slope = factor * special.eval_jacobi(n - (n != 0), p - q + 1, q, 2 * x - 1)
        return None, None, None, z_bar * slope

    return z, backward


@formula(special.eval_laguerre, constant="n", of_complex=True)
def eval_laguerre(n, x):
    """z = L_n(x)."""
    z = special.eval_laguerre(n, x)

    def backward(z_bar):
        return None, -z_bar * special.eval_genlaguerre(n - 1, 1.0, x)

    return z, backward


@formula(special.eval_genlaguerre, constant="n alpha", of_complex=True)
def eval_genlaguerre(n, alpha, x):
    """z = L_n of parameter alpha at x."""
    z = special.eval_genlaguerre(n, alpha, x)

    def backward(z_bar):
        return None, None, -z_bar * special.eval_genlaguerre(n - 1, alpha + 1, x)

    return z, backward


@formula(special.assoc_laguerre, constant="n k", elementwise=True, of_complex=True)
def assoc_laguerre(x, n, k=0.0):
    """z = L_n of parameter k at x."""
    z = special.assoc_laguerre(x, n, k)

    def backward(z_bar):
        return -z_bar * special.eval_genlaguerre(n - 1, k + 1.0, x), None, None

    return z, backward


@formula(special.eval_hermite, constant="n")
def eval_hermite(n, x):
    """z = H_n(x)."""
    z = special.eval_hermite(n, x)

    def backward(z_bar):
        return None, 2 * z_bar * n * special.eval_hermite(np.maximum(n - 1, 0), x)

    return z, backward


@formula(special.eval_hermitenorm, constant="n")
def eval_hermitenorm(n, x):
    """z = He_n(x)."""
    z = special.eval_hermitenorm(n, x)

    def backward(z_bar):
        slope = n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)
        return None, z_bar * slope

    return z, backward


@formula(special.lpmv, constant="m v")
def lpmv(m, v, x):
    """z = associated Legendre function of order m and degree v; -1 < x < 1. DLMF 14.10.5."""
    z = special.lpmv(m, v, x)

    def backward(z_bar):
        slope = ((v + m) * special.lpmv(m, v - 1, x) - v * x * z) / ((1 - x) * (1 + x))
        return None, None, z_bar * slope

    return z, backward


# Functions that give their derivatives beside themselves, up to the second one


@formula(*named(special, "legendre_p"), constant="n")
def legendre_p(n, x, *, diff_n=0):
    """z = P_n(x) and its derivatives, up to number diff_n."""
    z = special.legendre_p(n, x, diff_n=diff_n)

    def backward(z_bar):
        slopes = special.legendre_p(n, x, diff_n=diff_n + 1)[1:]
        return None, unbroadcast(np.sum(z_bar * slopes, axis=0), x)

    return z, backward


@formula(*named(special, "assoc_legendre_p"), constant="n m")
def assoc_legendre_p(n, m, x, *, branch_cut=2, norm=False, diff_n=0):
    """z = P_n of order m at x, and its derivatives, up to number diff_n."""
    z = special.assoc_legendre_p(n, m, x, branch_cut=branch_cut, norm=norm, diff_n=diff_n)

    def backward(z_bar):
        slopes = special.assoc_legendre_p(
            n, m, x, branch_cut=branch_cut, norm=norm, diff_n=diff_n + 1
        )[1:]
        return None, None, unbroadcast(np.sum(z_bar * slopes, axis=0), x)

    return z, backward


@formula(*named(special, "sph_legendre_p"), constant="n m")
def sph_legendre_p(n, m, theta, *, diff_n=0):
    """z = P_n of order m at cos(theta), normed, and its derivatives, up to number diff_n."""
    z = special.sph_legendre_p(n, m, theta, diff_n=diff_n)

    def backward(z_bar):
        slopes = special.sph_legendre_p(n, m, theta, diff_n=diff_n + 1)[1:]
        return None, None, unbroadcast(np.sum(z_bar * slopes, axis=0), theta)

    return z, backward
