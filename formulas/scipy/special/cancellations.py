"""Derivatives of the differences that other formulas need; each is the next one of its kind."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.scipy.cancellations import (
    bessel_gap,
    dawsn_slope,
    elliptic_slope,
    erfcx_slope,
    ive_slope,
    modified_gap,
    psi_rise,
    rgamma_slope,
    wofz_slope,
)


@formula(dawsn_slope)
def dawsn_slope_(x, n):
    """z = derivative number n of Dawson's integral."""
    return dawsn_slope(x, n), lambda z_bar: (z_bar * dawsn_slope(x, n + 1), None)


@formula(erfcx_slope)
def erfcx_slope_(x, n):
    """z = derivative number n of e**(x**2) erfc(x)."""
    return erfcx_slope(x, n), lambda z_bar: (z_bar * erfcx_slope(x, n + 1), None)


@formula(wofz_slope, of_complex=True)
def wofz_slope_(x, n):
    """z = derivative number n of Faddeeva's function."""
    return wofz_slope(x, n), lambda z_bar: (z_bar * wofz_slope(x, n + 1), None)


@formula(ive_slope, constant="v", elementwise=True)
def ive_slope_(v, x, n):
    """z = derivative number n of e**-|x| I_v(x)."""
    z = ive_slope(v, x, n)
    return z, lambda z_bar: (None, z_bar * ive_slope(v, x, n + 1), None)


@formula(bessel_gap)
def bessel_gap_(x, n):
    """z = derivative number n of (1 - J_0(x)) / x."""
    return bessel_gap(x, n), lambda z_bar: (z_bar * bessel_gap(x, n + 1), None)


@formula(modified_gap)
def modified_gap_(x, n):
    """z = derivative number n of (I_0(x) - 1) / x."""
    return modified_gap(x, n), lambda z_bar: (z_bar * modified_gap(x, n + 1), None)


@formula(rgamma_slope)
def rgamma_slope_(x):
    """z = the slope of 1 / gamma(x)."""
    z = rgamma_slope(x)

    def backward(z_bar):
        left, right = np.minimum(x, 0.5), np.clip(x, 0.5, 500.0)
        sine, cosine = np.sin(math.pi * left), np.cos(math.pi * left)
        level, curve = special.psi(1 - left), special.zeta(2.0, 1 - left)
        turn = sine * (level**2 + curve) / math.pi - 2 * cosine * level - math.pi * sine
        after = special.psi(right) ** 2 - special.zeta(2.0, right)
        by_reflection = special.gamma(1 - left) * turn
        return z_bar * np.where(x < 0.5, by_reflection, special.rgamma(right) * after)

    return z, backward


@formula(psi_rise, elementwise=True)
def psi_rise_(x, d):
    """z = psi(x + d) - psi(x)."""
    z = psi_rise(x, d)

    def backward(z_bar):
        top = special.zeta(2.0, x + d)
        x_bar = z_bar * (top - special.zeta(2.0, x))
        return x_bar, z_bar * top

    return z, backward


@formula(elliptic_slope, elementwise=True)
def elliptic_slope_(phi, m, n, power):
    """z = derivative number n in m of the integral of sin(t)**(2 power) / sqrt(1 - m sin(t)**2)."""
    z = elliptic_slope(phi, m, n, power)

    def backward(z_bar):
        square = np.sin(phi) ** 2
        factor = cast_like(special.poch(0.5, n), phi)
        delta = np.cos(phi) ** 2 + (1 - m) * square
        phi_bar = z_bar * factor * square ** (n + power) * delta ** (-0.5 - n)
        m_bar = z_bar * elliptic_slope(phi, m, n + 1, power)
        return phi_bar, m_bar, None, None

    return z, backward
