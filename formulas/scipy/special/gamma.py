"""Derivatives of SciPy's gamma, beta and error functions."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime.scipy.cancellations import dawsn_slope, erfcx_slope, psi_rise, rgamma_slope
from srcgrad.runtime.scipy.orders import gamma_density_slope, gammainc_slope
from srcgrad.runtime.scipy.stats.densities import beta_density, gamma_density

# Gamma functions


@formula(special.gamma, of_complex=True)
def gamma(x):
    """z = gamma function of x; x is no whole number below 1."""
    z = special.gamma(x)
    return z, lambda z_bar: z_bar * z * special.psi(x)


@formula(special.gammaln)
def gammaln(x):
    """z = logarithm of |gamma(x)|; x is no whole number below 1."""
    return special.gammaln(x), lambda z_bar: z_bar * special.psi(x)


@formula(special.loggamma, of_complex=True)
def loggamma(x):
    """z = logarithm of gamma(x); x > 0."""
    return special.loggamma(x), lambda z_bar: z_bar * special.psi(x)


@formula(special.rgamma, of_complex=True)
def rgamma(x):
    """z = 1 / gamma(x)."""
    z = special.rgamma(x)

    def backward(z_bar):
        return z_bar * (-z * special.psi(x) if np.iscomplexobj(x) else rgamma_slope(x))

    return z, backward


@formula(special.psi)
def psi(x):
    """z = slope of log gamma(x), itself of slope zeta(2, x); x is no whole number below 1."""
    return special.psi(x), lambda z_bar: z_bar * special.zeta(2.0, x)


@formula(special.polygamma, constant="n", elementwise=True)
def polygamma(n, x):
    """z = derivative number n of psi at x; x > 0."""
    z = special.polygamma(n, x)
    return z, lambda z_bar: (None, z_bar * special.polygamma(n + 1, x))


@formula(special.multigammaln, constant="d")
def multigammaln(a, d):
    """z = logarithm of the gamma function of d dimensions; a > (d - 1) / 2."""
    z = special.multigammaln(a, d)

    def backward(z_bar):
        slopes = special.psi(np.expand_dims(a, -1) - np.arange(d) / 2)
        return z_bar * np.sum(slopes, axis=-1), None

    return z, backward


@formula(special.poch)
def poch(x, m):
    """z = gamma(x + m) / gamma(x); no slope in m at a pole of both.

    For a whole m, it is (-1)**m poch(1 - x - m, m): DLMF 5.2.6.
    """
    z = special.poch(x, m)

    def backward(z_bar):
        turned = (m == np.floor(m)) & (x + m <= 0)
        near_pole = ~turned & (x < 0.25) & (np.abs(x - np.round(x)) < 0.25)
        plain = np.where(turned, 1 - x - m, np.where(near_pole, 1.0, x))
        rise = z * psi_rise(plain, np.where(near_pole, 0.0, m))
        pole, top = np.where(near_pole, x, 1.0), np.where(near_pole, x + m, 1.0)
        at_pole = z * special.psi(top) + special.gamma(top) * rgamma_slope(pole)
        x_bar = z_bar * np.where(turned, -rise, np.where(near_pole, at_pole, rise))
        return x_bar, z_bar * z * special.psi(x + m)

    return z, backward


@formula(special.gammainc)
def gammainc(a, x):
    """z = lower incomplete gamma function, over gamma(a); x > 0, a > 0."""
    z = special.gammainc(a, x)

    def backward(z_bar):
        return z_bar * gammainc_slope(a, x, 1), z_bar * gamma_density(a, x)

    return z, backward


@formula(special.gammaincc)
def gammaincc(a, x):
    """z = upper incomplete gamma function, over gamma(a); x > 0, a > 0."""
    z = special.gammaincc(a, x)

    def backward(z_bar):
        return -z_bar * gammainc_slope(a, x, 1), -z_bar * gamma_density(a, x)

    return z, backward


@formula(special.gammaincinv)
def gammaincinv(a, y):
    """z = the x with gammainc(a, x) == y; 0 < y < 1, a > 0."""
    z = special.gammaincinv(a, y)

    def backward(z_bar):
        y_bar = z_bar / gamma_density(a, z)
        return -y_bar * gammainc_slope(a, z, 1), y_bar

    return z, backward


@formula(special.gammainccinv)
def gammainccinv(a, y):
    """z = the x with gammaincc(a, x) == y; 0 < y < 1, a > 0."""
    z = special.gammainccinv(a, y)

    def backward(z_bar):
        x_bar = z_bar / gamma_density(a, z)
        return -x_bar * gammainc_slope(a, z, 1), -x_bar

    return z, backward


@formula(gammainc_slope, elementwise=True)
def gammainc_slope_(a, x, n):
    """z = derivative number n of gammainc(a, x) in a; x > 0."""
    z = gammainc_slope(a, x, n)

    def backward(z_bar):
        return z_bar * gammainc_slope(a, x, n + 1), z_bar * gamma_density_slope(a, x, n), None

    return z, backward


@formula(gamma_density_slope, elementwise=True)
def gamma_density_slope_(a, x, n):
    """z = derivative number n of x**(a - 1) e**-x / gamma(a) in a; x > 0."""
    z = gamma_density_slope(a, x, n)

    def backward(z_bar):
        x_bar = z_bar * (z * ((a - 1) / x - 1) + n / x * gamma_density_slope(a, x, n - 1))
        return z_bar * gamma_density_slope(a, x, n + 1), x_bar, None

    return z, backward


# Beta functions


@formula(special.beta)
def beta(a, b):
    """z = gamma(a) gamma(b) / gamma(a + b)."""
    z = special.beta(a, b)

    def backward(z_bar):
        a_bar = -z_bar * z * psi_rise(a, b)
        b_bar = -z_bar * z * psi_rise(b, a)
        return a_bar, b_bar

    return z, backward


@formula(special.betaln)
def betaln(a, b):
    """z = logarithm of |beta(a, b)|."""
    z = special.betaln(a, b)

    def backward(z_bar):
        a_bar = -z_bar * psi_rise(a, b)
        b_bar = -z_bar * psi_rise(b, a)
        return a_bar, b_bar

    return z, backward


@formula(special.betainc, constant="a b")
def betainc(a, b, x):
    """z = incomplete beta function, over beta(a, b); 0 < x < 1."""
    z = special.betainc(a, b, x)
    return z, lambda z_bar: (None, None, z_bar * beta_density(a, b, x))


@formula(special.betaincc, constant="a b")
def betaincc(a, b, x):
    """z = 1 - betainc(a, b, x); 0 < x < 1."""
    z = special.betaincc(a, b, x)
    return z, lambda z_bar: (None, None, -z_bar * beta_density(a, b, x))


@formula(special.betaincinv, constant="a b")
def betaincinv(a, b, y):
    """z = the x with betainc(a, b, x) == y; 0 < y < 1."""
    z = special.betaincinv(a, b, y)
    return z, lambda z_bar: (None, None, z_bar / beta_density(a, b, z))


@formula(special.betainccinv, constant="a b")
def betainccinv(a, b, y):
    """z = the x with betaincc(a, b, x) == y; 0 < y < 1."""
    z = special.betainccinv(a, b, y)
    return z, lambda z_bar: (None, None, -z_bar / beta_density(a, b, z))


# Error function and Fresnel integrals


@formula(special.erf, of_complex=True)
def erf(x):
    """z = integral of 2 / sqrt(pi) e**(-t**2) from 0 to x."""
    return special.erf(x), lambda z_bar: z_bar * (2 / math.sqrt(math.pi)) * np.exp(-(x**2))


@formula(special.erfc, of_complex=True)
def erfc(x):
    """z = 1 - erf(x)."""
    return special.erfc(x), lambda z_bar: -z_bar * (2 / math.sqrt(math.pi)) * np.exp(-(x**2))


@formula(special.erfcx, of_complex=True)
def erfcx(x):
    """z = e**(x**2) erfc(x)."""
    z = special.erfcx(x)

    def backward(z_bar):
        if np.iscomplexobj(x):
            x_bar = z_bar * (2 * x * z - 2 / math.sqrt(math.pi))
        else:
            x_bar = z_bar * erfcx_slope(x, 1)
        return x_bar

    return z, backward


@formula(special.erfi, of_complex=True)
def erfi(x):
    """z = integral of 2 / sqrt(pi) e**(t**2) from 0 to x."""
    return special.erfi(x), lambda z_bar: z_bar * (2 / math.sqrt(math.pi)) * np.exp(x**2)


@formula(special.erfinv)
def erfinv(y):
    """z = the x with erf(x) == y; -1 < y < 1."""
    z = special.erfinv(y)
    return z, lambda z_bar: z_bar * (math.sqrt(math.pi) / 2) * np.exp(z**2)


@formula(special.erfcinv)
def erfcinv(y):
    """z = the x with erfc(x) == y; 0 < y < 2."""
    z = special.erfcinv(y)
    return z, lambda z_bar: -z_bar * (math.sqrt(math.pi) / 2) * np.exp(z**2)


@formula(special.dawsn, of_complex=True)
def dawsn(x):
    """z = e**(-x**2) times the integral of e**(t**2) from 0 to x."""
    z = special.dawsn(x)

    def backward(z_bar):
        return z_bar * (1 - 2 * x * z if np.iscomplexobj(x) else dawsn_slope(x, 1))

    return z, backward


@formula(special.fresnel, of_complex=True)
def fresnel(x):
    """z = integrals of sin(pi / 2 t**2) and cos(pi / 2 t**2) from 0 to x."""
    z = special.fresnel(x)

    def backward(z_bar):
        # a whole turn is 4 in the square, and taken off before the rounding of pi matters
        turns = x**2 if np.iscomplexobj(x) else np.mod(x**2, 4.0)
        angle = math.pi / 2 * turns
        return z_bar[0] * np.sin(angle) + z_bar[1] * np.cos(angle)

    return z, backward


nondifferentiable(
    special.gammasgn, special.erf_zeros, special.fresnel_zeros,
    special.fresnelc_zeros, special.fresnels_zeros,
)  # fmt: skip
