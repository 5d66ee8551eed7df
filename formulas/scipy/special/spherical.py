"""Derivatives of SciPy's spherical Bessel, Struve and Kelvin functions.

From the NIST Digital Library of Mathematical Functions (DLMF). Orders are constant.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import cast_like

# Spherical Bessel functions: DLMF 10.51.2 and 10.51.5


@formula(special.spherical_jn, constant="n", elementwise=True, of_complex=True)
def spherical_jn(n, x, *, derivative=False):
    """z = j_n(x), or its derivative."""
    z = special.spherical_jn(n, x, derivative=derivative)

    def backward(z_bar):
        if derivative:
            below = n * special.spherical_jn(np.maximum(n - 1, 0), x, derivative=True)
            above = (n + 1) * special.spherical_jn(n + 1, x, derivative=True)
            x_bar = z_bar * (below - above) / (2 * n + 1)
        else:
            x_bar = z_bar * special.spherical_jn(n, x, derivative=True)
        return None, x_bar

    return z, backward


@formula(special.spherical_yn, constant="n", elementwise=True, of_complex=True)
def spherical_yn(n, x, *, derivative=False):
    """z = y_n(x), or its derivative; x != 0."""
    z = special.spherical_yn(n, x, derivative=derivative)

    def backward(z_bar):
        if derivative:
            below = n * special.spherical_yn(np.maximum(n - 1, 0), x, derivative=True)
            above = (n + 1) * special.spherical_yn(n + 1, x, derivative=True)
            x_bar = z_bar * (below - above) / (2 * n + 1)
        else:
            x_bar = z_bar * special.spherical_yn(n, x, derivative=True)
        return None, x_bar

    return z, backward


@formula(special.spherical_in, constant="n", elementwise=True, of_complex=True)
def spherical_in(n, x, *, derivative=False):
    """z = i_n(x), or its derivative."""
    z = special.spherical_in(n, x, derivative=derivative)

    def backward(z_bar):
        if derivative:
            below = n * special.spherical_in(np.maximum(n - 1, 0), x, derivative=True)
            above = (n + 1) * special.spherical_in(n + 1, x, derivative=True)
            x_bar = z_bar * (below + above) / (2 * n + 1)
        else:
            x_bar = z_bar * special.spherical_in(n, x, derivative=True)
        return None, x_bar

    return z, backward


@formula(special.spherical_kn, constant="n", elementwise=True, of_complex=True)
def spherical_kn(n, x, *, derivative=False):
    """z = k_n(x), or its derivative; x > 0."""
    z = special.spherical_kn(n, x, derivative=derivative)

    def backward(z_bar):
        if derivative:
            below = n * special.spherical_kn(np.maximum(n - 1, 0), x, derivative=True)
            above = (n + 1) * special.spherical_kn(n + 1, x, derivative=True)
            x_bar = -z_bar * (below + above) / (2 * n + 1)
        else:
            x_bar = z_bar * special.spherical_kn(n, x, derivative=True)
        return None, x_bar

    return z, backward


@formula(special.riccati_jn, constant="n")
def riccati_jn(n, x):
    """z = (S, S') for S_k(x) = x j_k(x), k = 0 ... n; x != 0. DLMF 10.51(i)."""
    z = special.riccati_jn(n, x)

    def backward(z_bar):
        k = np.arange(n + 1)
        return None, np.sum(z_bar[0] * z[1] + z_bar[1] * (k * (k + 1) / x**2 - 1) * z[0])

    return z, backward


@formula(special.riccati_yn, constant="n")
def riccati_yn(n, x):
    """z = (C, C') for C_k(x) = x y_k(x), k = 0 ... n; x != 0."""
    z = special.riccati_yn(n, x)

    def backward(z_bar):
        k = np.arange(n + 1)
        return None, np.sum(z_bar[0] * z[1] + z_bar[1] * (k * (k + 1) / x**2 - 1) * z[0])

    return z, backward


# Struve functions: DLMF 11.4.27 and 11.4.30


@formula(special.struve, constant="v")
def struve(v, x):
    """z = H_v(x); x > 0."""
    z = special.struve(v, x)

    def backward(z_bar):
        middle = (x / 2) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)
        x_bar = z_bar * (special.struve(v - 1, x) - special.struve(v + 1, x) + middle) / 2
        return None, cast_like(x_bar, x)

    return z, backward


@formula(special.modstruve, constant="v")
def modstruve(v, x):
    """z = L_v(x); x > 0."""
    z = special.modstruve(v, x)

    def backward(z_bar):
        middle = (x / 2) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)
        x_bar = z_bar * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + middle) / 2
        return None, cast_like(x_bar, x)

    return z, backward


@formula(special.itstruve0)
def itstruve0(x):
    """z = integral of H_0 from 0 to x; x >= 0."""
    return special.itstruve0(x), lambda z_bar: z_bar * cast_like(special.struve(0.0, x), x)


@formula(special.it2struve0)
def it2struve0(x):
    """z = integral of H_0(t) / t from x >= 0 on."""
    z = special.it2struve0(x)

    def backward(z_bar):
        ratio = cast_like(special.struve(0.0, x), x) / (x + (x == 0))
        return -z_bar * np.where(x == 0, 2 / math.pi, ratio)

    return z, backward


@formula(special.itmodstruve0)
def itmodstruve0(x):
    """z = integral of L_0 from 0 to x; x >= 0."""
    return special.itmodstruve0(x), lambda z_bar: z_bar * cast_like(special.modstruve(0.0, x), x)


# Kelvin functions: their equation is x**2 w'' + x w' = i x**2 w, DLMF 10.61.3


@formula(special.ber)
def ber(x):
    """z = ber(x)."""
    return special.ber(x), lambda z_bar: z_bar * special.berp(x)


@formula(special.bei)
def bei(x):
    """z = bei(x)."""
    return special.bei(x), lambda z_bar: z_bar * special.beip(x)


@formula(special.ker)
def ker(x):
    """z = ker(x); x > 0."""
    return special.ker(x), lambda z_bar: z_bar * special.kerp(x)


@formula(special.kei)
def kei(x):
    """z = kei(x); x > 0."""
    return special.kei(x), lambda z_bar: z_bar * special.keip(x)


@formula(special.berp)
def berp(x):
    """z = ber'(x)."""
    z = special.berp(x)
    return z, lambda z_bar: -z_bar * (special.bei(x) + z / (x + (x == 0)))


@formula(special.beip)
def beip(x):
    """z = bei'(x)."""
    z = special.beip(x)

    def backward(z_bar):
        return z_bar * (special.ber(x) - np.where(x == 0, 0.5, z / (x + (x == 0))))

    return z, backward


@formula(special.kerp)
def kerp(x):
    """z = ker'(x); x > 0."""
    z = special.kerp(x)
    return z, lambda z_bar: -z_bar * (special.kei(x) + z / x)


@formula(special.keip)
def keip(x):
    """z = kei'(x); x > 0."""
    z = special.keip(x)
    return z, lambda z_bar: z_bar * (special.ker(x) - z / x)


nondifferentiable(
    special.bei_zeros, special.beip_zeros, special.ber_zeros, special.berp_zeros,
    special.kei_zeros, special.keip_zeros, special.ker_zeros, special.kerp_zeros,
    special.kelvin_zeros,
)  # fmt: skip
