"""Derivatives of SciPy's special functions with complex results, and of Voigt's profile.

The equations are those of the NIST Digital Library of Mathematical Functions (DLMF):
Hankel functions in 10.6, Lambert's W in 4.13, Faddeeva's function in 7.10, Kelvin functions
in 10.61.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.cancellations import wofz_slope

# Hankel functions


@formula(special.hankel1, constant="v", of_complex=True)
def hankel1(v, x):
    """z = H_v(x) of the first kind; x != 0."""
    z = special.hankel1(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.hankel1(v - 1, x) - special.hankel1(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.hankel2, constant="v", of_complex=True)
def hankel2(v, x):
    """z = H_v(x) of the second kind; x != 0."""
    z = special.hankel2(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.hankel2(v - 1, x) - special.hankel2(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.hankel1e, constant="v", of_complex=True)
def hankel1e(v, x):
    """z = H_v(x) of the first kind, times e**(-i x); x != 0."""
    z = special.hankel1e(v, x)

    def backward(z_bar):
        slope = (special.hankel1e(v - 1, x) - special.hankel1e(v + 1, x)) / 2
        return None, z_bar * (slope - 1j * z)

    return z, backward


@formula(special.hankel2e, constant="v", of_complex=True)
def hankel2e(v, x):
    """z = H_v(x) of the second kind, times e**(i x); x != 0."""
    z = special.hankel2e(v, x)

    def backward(z_bar):
        slope = (special.hankel2e(v - 1, x) - special.hankel2e(v + 1, x)) / 2
        return None, z_bar * (slope + 1j * z)

    return z, backward


@formula(special.h1vp, constant="v n", elementwise=True, of_complex=True)
def h1vp(v, x, n=1):
    """z = derivative number n of H_v of the first kind at x; x != 0."""
    z = special.h1vp(v, x, n)
    return z, lambda z_bar: (None, z_bar * special.h1vp(v, x, n + 1), None)


@formula(special.h2vp, constant="v n", elementwise=True, of_complex=True)
def h2vp(v, x, n=1):
    """z = derivative number n of H_v of the second kind at x; x != 0."""
    z = special.h2vp(v, x, n)
    return z, lambda z_bar: (None, z_bar * special.h2vp(v, x, n + 1), None)


# Others


@formula(special.lambertw, constant="k tol", elementwise=True, of_complex=True)
def lambertw(x, k=0, tol=1e-8):
    """z = w with w e**w = x, on branch k; x != -1/e."""
    z = special.lambertw(x, k, tol)
    return z, lambda z_bar: (z_bar / (np.exp(z) * (1 + z)), None, None)


@formula(special.wofz, of_complex=True)
def wofz(x):
    """z = e**(-x**2) erfc(-i x), Faddeeva's function."""
    return special.wofz(x), lambda z_bar: z_bar * wofz_slope(x, 1)


@formula(special.voigt_profile)
def voigt_profile(x, sigma, gamma):
    """z = real part of w((x + i gamma) / (sqrt(2) sigma)) / (sqrt(2 pi) sigma); sigma > 0."""
    z = special.voigt_profile(x, sigma, gamma)

    def backward(z_bar):
        width = as_floats(sigma)
        place = (x + 1j * gamma) / (math.sqrt(2) * width)
        slope = wofz_slope(place, 1) / (2 * math.sqrt(math.pi) * width**2)
        # a wider bell is a smoother one: the slope in sigma is sigma times the second in x
        curved = np.real(wofz_slope(place, 2)) / (2 * math.sqrt(2 * math.pi) * width**2)
        return (
            z_bar * np.real(slope),
            z_bar * curved,
            -z_bar * np.imag(slope),
        )

    return z, backward


@formula(special.kelvin)
def kelvin(x):
    """z = ber + i bei, ker + i kei and their derivatives at x; x > 0."""
    z = special.kelvin(x)

    def backward(z_bar):
        rising = z_bar[0] * z[2] + z_bar[2] * (1j * z[0] - z[2] / x)
        falling = z_bar[1] * z[3] + z_bar[3] * (1j * z[1] - z[3] / x)
        return np.real(rising + falling)

    return z, backward


@formula(special.modfresnelp)
def modfresnelp(x):
    """z = (F, F e**(-i (x**2 + pi/4)) / sqrt(pi)): F = integral of e**(i t**2) from x >= 0 on."""
    z = special.modfresnelp(x)

    def backward(z_bar):
        turn = (1 - 1j) / math.sqrt(2)
        slope = -2j * x * z[1] - turn / math.sqrt(math.pi)
        return np.real(z_bar[1] * slope - z_bar[0] * np.exp(1j * x**2))

    return z, backward


@formula(special.modfresnelm)
def modfresnelm(x):
    """z = (F, F e**(i (x**2 + pi/4)) / sqrt(pi)): F = integral of e**(-i t**2) from x >= 0 on."""
    z = special.modfresnelm(x)

    def backward(z_bar):
        turn = (1 + 1j) / math.sqrt(2)
        slope = 2j * x * z[1] - turn / math.sqrt(math.pi)
        return np.real(z_bar[1] * slope - z_bar[0] * np.exp(-1j * x**2))

    return z, backward


@formula(*named(special, "sph_harm_y"), constant="n m", elementwise=True)
def sph_harm_y(n, m, theta, phi):
    """z = Y of degree n and order m, a multiple of e**(i m phi); theta is the polar angle."""
    z = special.sph_harm_y(n, m, theta, phi)

    def backward(z_bar):
        up = np.sqrt(np.abs((n - m) * (n + m + 1))) * special.sph_harm_y(n, m + 1, theta, phi)
        down = np.sqrt(np.abs((n + m) * (n - m + 1))) * special.sph_harm_y(n, m - 1, theta, phi)
        # beyond the poles, SciPy takes the size of the sine
        side = np.where(np.sin(theta) < 0, -1, 1)
        slope = side * (up * np.exp(-1j * phi) - down * np.exp(1j * phi)) / 2
        theta_bar = np.real(z_bar * slope)
        phi_bar = np.real(z_bar * 1j * m * z)
        return None, None, theta_bar, phi_bar

    return z, backward
