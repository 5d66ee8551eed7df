"""Derivatives of SciPy's elliptic functions and integrals.

The integrals of Carlson have slopes among themselves: NIST Digital Library of
Mathematical Functions (DLMF), 19.18. Those of Legendre's complete integrals are
hypergeometric functions (DLMF 19.5.1, 19.5.2, 15.5.1), so no order has a gap at m == 0;
what grows without limit as m approaches 1 is a factor of its own (DLMF 15.8.1).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from srcgrad.registry import formula
from srcgrad.runtime import cast_like
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.cancellations import elliptic_slope
from srcgrad.runtime.scipy.stats.densities import elliptic_d


@formula(special.ellipj)
def ellipj(u, m):
    """z = (sn, cn, dn, am)(u | m); 0 <= m <= 1.

    DLMF 22.13 for the slopes in u. That of the amplitude in m follows from u = F(am, m).
    """
    z = special.ellipj(u, m)

    def backward(z_bar):
        sn, cn, dn, am = z
        am_bar = z_bar[3] + z_bar[0] * cn - z_bar[1] * sn
        turn = -dn * elliptic_slope(am, m, 1, 0)
        m_bar = (am_bar - z_bar[2] * m * sn * cn / dn) * turn - z_bar[2] * sn**2 / (2 * dn)
        u_bar = am_bar * dn - z_bar[2] * m * sn * cn
        return u_bar, m_bar

    return z, backward


@formula(special.ellipk)
def ellipk(m):
    """z = K(m), the complete integral of the first kind; m < 1."""
    z = special.ellipk(m)

    def backward(z_bar):
        return z_bar * np.pi / 8 * cast_like(special.hyp2f1(0.5, 0.5, 2.0, m), m) / (1 - m)

    return z, backward


@formula(special.ellipkm1)
def ellipkm1(p):
    """z = K(1 - p); p > 0."""
    z = special.ellipkm1(p)

    def backward(z_bar):
        return -z_bar * np.pi / 8 * cast_like(special.hyp2f1(0.5, 0.5, 2.0, 1 - p), p) / p

    return z, backward


@formula(special.ellipe)
def ellipe(m):
    """z = E(m), the complete integral of the second kind; m < 1."""
    z = special.ellipe(m)

    def backward(z_bar):
        return -z_bar * np.pi / 8 * cast_like(special.hyp2f1(0.5, 1.5, 2.0, m), m)

    return z, backward


@formula(special.ellipkinc)
def ellipkinc(phi, m):
    """z = F(phi, m), the integral of the first kind; m sin(phi)**2 < 1, m <= 1."""
    z = special.ellipkinc(phi, m)

    def backward(z_bar):
        root = np.sqrt(np.cos(phi) ** 2 + (1 - m) * np.sin(phi) ** 2)
        phi_bar = z_bar / root
        m_bar = z_bar * elliptic_slope(phi, m, 1, 0)
        return phi_bar, m_bar

    return z, backward


@formula(special.ellipeinc)
def ellipeinc(phi, m):
    """z = E(phi, m), the integral of the second kind; m sin(phi)**2 < 1, m < 1."""
    z = special.ellipeinc(phi, m)

    def backward(z_bar):
        root = np.sqrt(np.cos(phi) ** 2 + (1 - m) * np.sin(phi) ** 2)
        phi_bar = z_bar * root
        m_bar = -z_bar * elliptic_d(phi, m) / 2
        return phi_bar, m_bar

    return z, backward


@formula(elliptic_d, elementwise=True)
def elliptic_d_(phi, m):
    """z = D(phi, m) = (F - E) / m; m < 1."""
    z = elliptic_d(phi, m)

    def backward(z_bar):
        sine = np.sin(phi)
        root = np.sqrt(np.cos(phi) ** 2 + (1 - m) * sine**2)
        phi_bar = z_bar * sine**2 / root
        m_bar = z_bar * elliptic_slope(phi, m, 1, 1)
        return phi_bar, m_bar

    return z, backward


@formula(special.elliprc, of_complex=True)
def elliprc(x, y):
    """z = R_C(x, y); x > 0, y > 0, x != y."""
    z = special.elliprc(x, y)

    def backward(z_bar):
        slope = (z - 1 / np.sqrt(as_floats(x))) / (2 * (y - x))
        x_bar = z_bar * slope
        y_bar = -z_bar * (z / 2 + x * slope) / y
        return x_bar, y_bar

    return z, backward


@formula(special.elliprd, of_complex=True)
def elliprd(x, y, p):
    """z = R_D(x, y, p); x > 0, y > 0, p > 0, p != x, p != y.

    The slopes in x and y are partial fractions of the integrand; that in p is
    the rest of the homogeneity of degree -3/2.
    """
    z = special.elliprd(x, y, p)

    def backward(z_bar):
        in_x = (z - special.elliprd(y, p, x)) / (2 * (p - x))
        in_y = (z - special.elliprd(x, p, y)) / (2 * (p - y))
        x_bar = z_bar * in_x
        y_bar = z_bar * in_y
        p_bar = -z_bar * (1.5 * z + x * in_x + y * in_y) / p
        return x_bar, y_bar, p_bar

    return z, backward


@formula(special.elliprf, of_complex=True)
def elliprf(x, y, p):
    """z = R_F(x, y, p); all > 0. DLMF 19.18.1."""
    z = special.elliprf(x, y, p)

    def backward(z_bar):
        x_bar = -z_bar * special.elliprd(y, p, x) / 6
        y_bar = -z_bar * special.elliprd(p, x, y) / 6
        p_bar = -z_bar * special.elliprd(x, y, p) / 6
        return x_bar, y_bar, p_bar

    return z, backward


@formula(special.elliprg, of_complex=True)
def elliprg(x, y, p):
    """z = R_G(x, y, p); all > 0."""
    z = special.elliprg(x, y, p)

    def backward(z_bar):
        first = special.elliprf(x, y, p)
        x_bar = z_bar * (first - x * special.elliprd(y, p, x) / 3) / 4
        y_bar = z_bar * (first - y * special.elliprd(p, x, y) / 3) / 4
        p_bar = z_bar * (first - p * special.elliprd(x, y, p) / 3) / 4
        return x_bar, y_bar, p_bar

    return z, backward


@formula(special.elliprj, of_complex=True)
def elliprj(x, y, q, p):
    """z = R_J(x, y, q, p); all > 0, p different from the others; see elliprd."""
    z = special.elliprj(x, y, q, p)

    def backward(z_bar):
        in_x = (z - special.elliprd(y, q, x)) / (2 * (p - x))
        in_y = (z - special.elliprd(q, x, y)) / (2 * (p - y))
        in_q = (z - special.elliprd(x, y, q)) / (2 * (p - q))
        x_bar = z_bar * in_x
        y_bar = z_bar * in_y
        q_bar = z_bar * in_q
        p_bar = -z_bar * (1.5 * z + x * in_x + y * in_y + q * in_q) / p
        return x_bar, y_bar, q_bar, p_bar

    return z, backward


@formula(special.agm)
def agm(a, b):
    """z = arithmetic-geometric mean; a > 0, b > 0.

    z = pi / 4 (a + b) / K(t**2) with t = (a - b) / (a + b): DLMF 19.8.5.
    """
    z = special.agm(a, b)

    def backward(z_bar):
        t = (a - b) / (a + b)
        rest = 4 * as_floats(a) * b / (a + b) ** 2
        series = cast_like(special.hyp2f1(0.5, 0.5, 2.0, t**2), t)
        ratio = np.pi / 4 * series / special.ellipkm1(rest)
        slope = 2 * t * ratio / (rest * (a + b))
        a_bar = z_bar * z * (1 - slope * b) / (a + b)
        b_bar = z_bar * z * (1 + slope * a) / (a + b)
        return a_bar, b_bar

    return z, backward
