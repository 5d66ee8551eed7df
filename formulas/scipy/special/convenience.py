"""Derivatives of SciPy's other special functions and of its convenience functions."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast

# Exponential integrals


@formula(special.exp1)
def exp1(x):
    """z = integral of e**-t / t from x on; x > 0."""
    return special.exp1(x), lambda z_bar: -z_bar * np.exp(-x) / x


@formula(special.expi)
def expi(x):
    """z = principal value of the integral of e**t / t up to x; x != 0."""
    return special.expi(x), lambda z_bar: z_bar * np.exp(x) / x


@formula(special.expn, constant="n")
def expn(n, x):
    """z = integral of e**(-x t) / t**n from 1 on; x > 0. At n == 0, it is e**-x / x."""
    z = special.expn(n, x)

    def backward(z_bar):
        below = np.where(n == 0, np.exp(-x) * (1 + x) / x**2, special.expn(n - (n != 0), x))
        return None, unbroadcast(-z_bar * below, x)

    return z, backward


@formula(special.shichi)
def shichi(x):
    """z = hyperbolic sine and cosine integrals; x > 0."""
    z = special.shichi(x)
    return z, lambda z_bar: (z_bar[0] * np.sinh(x) + z_bar[1] * np.cosh(x)) / x


@formula(special.sici)
def sici(x):
    """z = sine and cosine integrals; x > 0."""
    z = special.sici(x)
    return z, lambda z_bar: (z_bar[0] * np.sin(x) + z_bar[1] * np.cos(x)) / x


@formula(special.spence)
def spence(x):
    """z = integral of log(t) / (1 - t) from 1 to x; x > 0, x != 1 for second derivatives."""
    z = special.spence(x)

    def backward(z_bar):
        return z_bar * np.where(x == 1, -1.0, np.log(x) / (1 - x + (x == 1)))

    return z, backward


# Zeta and omega functions


@formula(special.zeta, constant="s")
def zeta(s, q=1.0):
    """z = sum of (k + q)**-s over k >= 0; s > 1, q > 0."""
    z = special.zeta(s, q)
    return z, lambda z_bar: (None, unbroadcast(-z_bar * s * special.zeta(s + 1, q), q))


@formula(special.wrightomega)
def wrightomega(x):
    """z = the root of z + log z = x."""
    z = special.wrightomega(x)
    return z, lambda z_bar: z_bar * z / (1 + z)


# Exponentials, powers and logarithms


@formula(special.exprel)
def exprel(x):
    """z = (e**x - 1) / x, which is 1F1(1; 2; x)."""
    return special.exprel(x), lambda z_bar: z_bar * special.hyp1f1(2.0, 3.0, x) / 2


@formula(special.exp10)
def exp10(x):
    """z = 10**x."""
    z = special.exp10(x)
    return z, lambda z_bar: z_bar * z * math.log(10)


@formula(special.exp2)
def exp2(x):
    """z = 2**x."""
    z = special.exp2(x)
    return z, lambda z_bar: z_bar * z * math.log(2)


@formula(special.expm1)
def expm1(x):
    """z = e**x - 1."""
    return special.expm1(x), lambda z_bar: z_bar * np.exp(x)


@formula(special.log1p)
def log1p(x):
    """z = log(1 + x); x > -1."""
    return special.log1p(x), lambda z_bar: z_bar / (1 + x)


@formula(special.cosm1)
def cosm1(x):
    """z = cos(x) - 1."""
    return special.cosm1(x), lambda z_bar: -z_bar * np.sin(x)


@formula(special.powm1)
def powm1(x, y):
    """z = x**y - 1; x > 0."""
    z = special.powm1(x, y)

    def backward(z_bar):
        x_bar = z_bar * y * x ** (y - 1)
        y_bar = z_bar * special.xlogy(x**y, x)
        return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(special.xlogy)
def xlogy(x, y):
    """z = x log y, and 0 where x == 0; y > 0, or x == 0, where the slope in y is 0."""
    z = special.xlogy(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == 0), 1, y)
        return unbroadcast(z_bar * np.log(y), x), unbroadcast(z_bar * x / base, y)

    return z, backward


@formula(special.xlog1py)
def xlog1py(x, y):
    """z = x log(1 + y), and 0 where x == 0; y > -1, or x == 0, where the slope in y is 0."""
    z = special.xlog1py(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == -1), 1, 1 + y)
        return unbroadcast(z_bar * np.log1p(y), x), unbroadcast(z_bar * x / base, y)

    return z, backward


@formula(special.cbrt)
def cbrt(x):
    """z = cube root of x; x != 0."""
    z = special.cbrt(x)
    return z, lambda z_bar: z_bar / (3 * z**2)


# Angles in degrees


@formula(special.sindg)
def sindg(x):
    """z = sine of x degrees."""
    return special.sindg(x), lambda z_bar: z_bar * (math.pi / 180) * special.cosdg(x)


@formula(special.cosdg)
def cosdg(x):
    """z = cosine of x degrees."""
    return special.cosdg(x), lambda z_bar: -z_bar * (math.pi / 180) * special.sindg(x)


@formula(special.tandg)
def tandg(x):
    """z = tangent of x degrees."""
    z = special.tandg(x)
    return z, lambda z_bar: z_bar * (math.pi / 180) * (1 + z**2)


@formula(special.cotdg)
def cotdg(x):
    """z = cotangent of x degrees."""
    z = special.cotdg(x)
    return z, lambda z_bar: -z_bar * (math.pi / 180) * (1 + z**2)


@formula(special.radian)
def radian(d, m, s):
    """z = angle of d degrees, m minutes and s seconds, in radians."""
    z = special.radian(d, m, s)

    def backward(z_bar):
        d_bar = z_bar * (math.pi / 180)
        m_bar = unbroadcast(d_bar / 60, m)
        return unbroadcast(d_bar, d), m_bar, unbroadcast(d_bar / 3600, s)

    return z, backward


@formula(special.diric, constant="n")
def diric(x, n):
    """z = sin(n x / 2) / (n sin(x / 2)); slope 0 at multiples of 2 pi."""
    z = special.diric(x, n)

    def backward(z_bar):
        sine = np.sin(x / 2)
        flat = np.abs(sine) < 1e-9
        slope = (np.cos(n * x / 2) - z * np.cos(x / 2)) / (2 * (sine + flat))
        return unbroadcast(z_bar * np.where(flat, 0.0, slope), x), None

    return z, backward


# Counts, between whole numbers


@formula(special.binom)
def binom(n, k):
    """z = gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)); -1 < k < n + 1."""
    z = special.binom(n, k)

    def backward(z_bar):
        rest = special.psi(n - k + 1)
        n_bar = z_bar * z * (special.psi(n + 1) - rest)
        k_bar = z_bar * z * (rest - special.psi(k + 1))
        return unbroadcast(n_bar, n), unbroadcast(k_bar, k)

    return z, backward


@formula(special.comb)
def comb(N, k):
    """z = binom(N, k) for 0 <= k <= N."""
    z = special.comb(N, k)

    def backward(z_bar):
        rest = special.psi(N - k + 1)
        N_bar = z_bar * z * (special.psi(N + 1) - rest)
        k_bar = z_bar * z * (rest - special.psi(k + 1))
        return unbroadcast(N_bar, N), unbroadcast(k_bar, k)

    return z, backward


@formula(special.perm)
def perm(N, k):
    """z = gamma(N + 1) / gamma(N - k + 1); 0 <= k <= N."""
    z = special.perm(N, k)

    def backward(z_bar):
        rest = special.psi(N - k + 1)
        N_bar = z_bar * z * (special.psi(N + 1) - rest)
        return unbroadcast(N_bar, N), unbroadcast(z_bar * z * rest, k)

    return z, backward


@formula(special.factorial)
def factorial(n):
    """z = gamma(n + 1); n >= 0."""
    z = special.factorial(n)
    return z, lambda z_bar: z_bar * z * special.psi(n + 1)


@formula(special.factorial2)
def factorial2(n, *, exact=False, extend="zero"):
    """z = n!!; for extend="complex", 2**((n - 1) / 2) gamma(n / 2 + 1), divided by that of 1."""
    z = special.factorial2(n, exact=exact, extend=extend)
    return z, lambda z_bar: z_bar * z * (math.log(2) + special.psi(n / 2 + 1)) / 2


@formula(special.factorialk, constant="k")
def factorialk(n, k, *, exact=False, extend="zero"):
    """z = n (n - k) (n - 2 k) ...; for extend="complex", as in ``factorial2``, with k for 2."""
    z = special.factorialk(n, k, exact=exact, extend=extend)
    return z, lambda z_bar: (z_bar * z * (math.log(k) + special.psi(n / k + 1)) / k, None)
