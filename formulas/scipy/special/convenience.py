"""Derivatives of SciPy's other special functions and of its convenience functions."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.cancellations import psi_rise, rgamma_slope

# Exponential integrals


@formula(special.exp1, of_complex=True)
def exp1(x):
    """z = integral of e**-t / t from x on; x > 0."""
    return special.exp1(x), lambda z_bar: -z_bar * np.exp(-x) / x


@formula(special.expi, of_complex=True)
def expi(x):
    """z = principal value of the integral of e**t / t up to x; x != 0."""
    return special.expi(x), lambda z_bar: z_bar * np.exp(x) / x


@formula(special.expn, constant="n")
def expn(n, x):
    """z = integral of e**(-x t) / t**n from 1 on; x > 0. At n == 0, it is e**-x / x."""
    z = special.expn(n, x)

    def backward(z_bar):
        below = np.where(n == 0, np.exp(-x) * (1 + x) / x**2, special.expn(n - (n != 0), x))
        return None, -z_bar * below

    return z, backward


@formula(special.shichi, of_complex=True)
def shichi(x):
    """z = hyperbolic sine and cosine integrals; x > 0 for the second one."""
    z = special.shichi(x)

    def backward(z_bar):
        if np.iscomplexobj(x):
            ratio = np.sinh(x) / x
        else:
            ratio = (special.exprel(x) + special.exprel(-x)) / 2
        if z_bar[1] is None:
            x_bar = z_bar[0] * ratio
        elif z_bar[0] is None:
            x_bar = z_bar[1] * np.cosh(x) / x
        else:
            x_bar = z_bar[0] * ratio + z_bar[1] * np.cosh(x) / x
        return x_bar

    return z, backward


@formula(special.sici, of_complex=True)
def sici(x):
    """z = sine and cosine integrals; x > 0 for the second one."""
    z = special.sici(x)

    def backward(z_bar):
        ratio = np.sin(x) / x if np.iscomplexobj(x) else np.sinc(x / math.pi)
        if z_bar[1] is None:
            x_bar = z_bar[0] * ratio
        elif z_bar[0] is None:
            x_bar = z_bar[1] * np.cos(x) / x
        else:
            x_bar = z_bar[0] * ratio + z_bar[1] * np.cos(x) / x
        return x_bar

    return z, backward


@formula(special.spence, of_complex=True)
def spence(x):
    """z = integral of log(t) / (1 - t) from 1 to x; x > 0."""
    z = special.spence(x)

    def backward(z_bar):
        near = np.abs(x - 1) < 0.1
        series = -special.hyp2f1(1.0, 1.0, 2.0, np.where(near, 1 - x, 0.0))
        far = np.where(near, 2.0, x)
        return z_bar * np.where(near, cast_like(series, x), np.log(far) / (1 - far))

    return z, backward


# Zeta and omega functions


@formula(special.zeta, constant="s", elementwise=True)
def zeta(s, q=1.0):
    """z = sum of (k + q)**-s over k >= 0; s > 1, q > 0."""
    z = special.zeta(s, q)
    return z, lambda z_bar: (None, -z_bar * s * special.zeta(s + 1, q))


@formula(special.wrightomega, of_complex=True)
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
        return x_bar, y_bar

    return z, backward


@formula(special.xlogy, of_complex=True)
def xlogy(x, y):
    """z = x log y, and 0 where x == 0; y > 0, or x == 0, where the slope in y is 0."""
    z = special.xlogy(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == 0), 1, y)
        return z_bar * np.log(as_floats(y)), z_bar * x / base

    return z, backward


@formula(special.xlog1py, of_complex=True)
def xlog1py(x, y):
    """z = x log(1 + y), and 0 where x == 0; y > -1, or x == 0, where the slope in y is 0."""
    z = special.xlog1py(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == -1), 1, 1 + as_floats(y))
        return z_bar * np.log1p(as_floats(y)), z_bar * x / base

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
        m_bar = d_bar / 60
        return d_bar, m_bar, d_bar / 3600

    return z, backward


@formula(special.diric, constant="n", elementwise=True)
def diric(x, n):
    """z = sin(n x / 2) / (n sin(x / 2)); near multiples of 2 pi by a power series."""
    z = special.diric(x, n)

    def backward(z_bar):
        y = x - 2 * math.pi * np.round(x / (2 * math.pi))
        near = np.abs(n * y) < 0.1
        sine = np.where(near, 1.0, np.sin(x / 2))
        far_slope = (np.cos(n * x / 2) - z * np.cos(x / 2)) / (2 * sine)
        terms = (n**2 - 1) / 12 + y**2 * ((n**4 - 1) / 720 + y**2 * (n**6 - 1) / 30240)
        return z_bar * np.where(near, -z * y * terms, far_slope), None

    return z, backward


# Counts, between whole numbers


@formula(special.binom)
def binom(n, k):
    """z = gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)); n is no whole number below 0."""
    z = special.binom(n, k)

    def backward(z_bar):
        below, above = k + 1, n - k + 1
        near_low = (below < 0.25) & (np.abs(below - np.round(below)) < 0.25)
        near_high = (above < 0.25) & (np.abs(above - np.round(above)) < 0.25)
        near = near_low | near_high
        low, high = np.where(near, 1.0, below), np.where(near, 1.0, above)
        low_pole, high_pole = np.where(near, below, 1.0), np.where(near, above, 1.0)
        top = special.gamma(np.where(near, n + 1, 1.0))
        in_low = rgamma_slope(low_pole) * special.rgamma(high_pole)
        in_high = special.rgamma(low_pole) * rgamma_slope(high_pole)
        grown = z * special.psi(np.where(near, n + 1, 1.0)) + top * in_high
        n_bar = z_bar * np.where(near, grown, z * psi_rise(high, np.where(near, 0.0, k)))
        slope = z * (special.psi(high) - special.psi(low))
        k_bar = z_bar * np.where(near, top * (in_low - in_high), slope)
        return n_bar, k_bar

    return z, backward


@formula(special.comb, elementwise=True)
def comb(N, k):
    """z = binom(N, k) for 0 <= k <= N, and 0 elsewhere."""
    z = special.comb(N, k)

    def backward(z_bar):
        known = (k >= 0) & (k <= N)
        n, j = np.where(known, N, 1.0), np.where(known, k, 0.0)
        N_bar = z_bar * z * psi_rise(n - j + 1, j)
        k_bar = z_bar * z * (special.psi(n - j + 1) - special.psi(j + 1))
        return N_bar, k_bar

    return z, backward


@formula(special.perm, elementwise=True)
def perm(N, k):
    """z = gamma(N + 1) / gamma(N - k + 1) for 0 <= k <= N, and 0 elsewhere."""
    z = special.perm(N, k)

    def backward(z_bar):
        known = (k >= 0) & (k <= N)
        n, j = np.where(known, N, 1.0), np.where(known, k, 0.0)
        N_bar = z_bar * z * psi_rise(n - j + 1, j)
        k_bar = z_bar * z * special.psi(n - j + 1)
        return N_bar, k_bar

    return z, backward


@formula(special.factorial)
def factorial(n):
    """z = gamma(n + 1) for n >= 0, and 0 below."""
    z = special.factorial(n)
    return z, lambda z_bar: z_bar * z * special.psi(np.maximum(n, 0) + 1)


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
