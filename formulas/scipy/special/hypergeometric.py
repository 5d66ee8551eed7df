"""Derivatives of SciPy's hypergeometric, Mathieu and parabolic cylinder functions.

Parameters are constant. The slope of a hypergeometric function is another one; the
slope of a slope in the other families is in their differential equations. All are
in the NIST Digital Library of Mathematical Functions (DLMF).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime.scipy.stats.densities import even_mathieu_level, odd_mathieu_level

# Hypergeometric functions: DLMF 13.3.15, 13.3.22, 15.5.1, 16.3.1


@formula(special.hyp2f1, constant="a b c", of_complex=True)
def hyp2f1(a, b, c, x):
    """z = 2F1(a, b; c; x); x < 1."""
    z = special.hyp2f1(a, b, c, x)

    def backward(z_bar):
        slope = a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, x)
        return None, None, None, z_bar * slope

    return z, backward


@formula(special.hyp1f1, constant="a b", of_complex=True)
def hyp1f1(a, b, x):
    """z = 1F1(a; b; x)."""
    z = special.hyp1f1(a, b, x)

    def backward(z_bar):
        slope = a / b * special.hyp1f1(a + 1, b + 1, x)
        return None, None, z_bar * slope

    return z, backward


@formula(special.hyperu, constant="a b")
def hyperu(a, b, x):
    """z = U(a, b, x); x > 0."""
    z = special.hyperu(a, b, x)

    def backward(z_bar):
        return None, None, -z_bar * a * special.hyperu(a + 1, b + 1, x)

    return z, backward


@formula(special.hyp0f1, constant="v", of_complex=True)
def hyp0f1(v, x):
    """z = 0F1(; v; x)."""
    z = special.hyp0f1(v, x)
    return z, lambda z_bar: (None, z_bar * special.hyp0f1(v + 1, x) / v)


# Parabolic cylinder functions: DLMF 12.2.2


@formula(special.pbdv, constant="v")
def pbdv(v, x):
    """z = (D_v, D_v')(x)."""
    z = special.pbdv(v, x)

    def backward(z_bar):
        x_bar = z_bar[0] * z[1] + z_bar[1] * (x**2 / 4 - v - 0.5) * z[0]
        return None, x_bar

    return z, backward


@formula(special.pbvv, constant="v")
def pbvv(v, x):
    """z = (V_v, V_v')(x)."""
    z = special.pbvv(v, x)

    def backward(z_bar):
        x_bar = z_bar[0] * z[1] + z_bar[1] * (x**2 / 4 - v - 0.5) * z[0]
        return None, x_bar

    return z, backward


@formula(special.pbwa, constant="a")
def pbwa(a, x):
    """z = (W, W')(a, x). DLMF 12.14.2."""
    z = special.pbwa(a, x)

    def backward(z_bar):
        x_bar = z_bar[0] * z[1] + z_bar[1] * (a - x**2 / 4) * z[0]
        return None, x_bar

    return z, backward


# Mathieu functions of an angle in degrees; the second result is the slope per radian


@formula(special.mathieu_cem, constant="m q")
def mathieu_cem(m, q, x):
    """z = (ce_m, ce_m') of an angle x. DLMF 28.2.1."""
    z = special.mathieu_cem(m, q, x)

    def backward(z_bar):
        turn = 2 * q * np.cos(2 * math.pi / 180 * x) - even_mathieu_level(m, q, x)
        x_bar = math.pi / 180 * (z_bar[0] * z[1] + z_bar[1] * turn * z[0])
        return None, None, x_bar

    return z, backward


@formula(special.mathieu_sem, constant="m q")
def mathieu_sem(m, q, x):
    """z = (se_m, se_m') of an angle x. DLMF 28.2.1."""
    z = special.mathieu_sem(m, q, x)

    def backward(z_bar):
        turn = 2 * q * np.cos(2 * math.pi / 180 * x) - odd_mathieu_level(m, q, x)
        x_bar = math.pi / 180 * (z_bar[0] * z[1] + z_bar[1] * turn * z[0])
        return None, None, x_bar

    return z, backward


@formula(special.mathieu_modcem1, constant="m q")
def mathieu_modcem1(m, q, x):
    """z = (Mc1_m, Mc1_m')(x). DLMF 28.20.1."""
    z = special.mathieu_modcem1(m, q, x)

    def backward(z_bar):
        growth = even_mathieu_level(m, q, x) - 2 * q * np.cosh(2 * x)
        return None, None, z_bar[0] * z[1] + z_bar[1] * growth * z[0]

    return z, backward


@formula(special.mathieu_modcem2, constant="m q")
def mathieu_modcem2(m, q, x):
    """z = (Mc2_m, Mc2_m')(x). DLMF 28.20.1."""
    z = special.mathieu_modcem2(m, q, x)

    def backward(z_bar):
        growth = even_mathieu_level(m, q, x) - 2 * q * np.cosh(2 * x)
        return None, None, z_bar[0] * z[1] + z_bar[1] * growth * z[0]

    return z, backward


@formula(special.mathieu_modsem1, constant="m q")
def mathieu_modsem1(m, q, x):
    """z = (Ms1_m, Ms1_m')(x). DLMF 28.20.1."""
    z = special.mathieu_modsem1(m, q, x)

    def backward(z_bar):
        growth = odd_mathieu_level(m, q, x) - 2 * q * np.cosh(2 * x)
        return None, None, z_bar[0] * z[1] + z_bar[1] * growth * z[0]

    return z, backward


@formula(special.mathieu_modsem2, constant="m q")
def mathieu_modsem2(m, q, x):
    """z = (Ms2_m, Ms2_m')(x). DLMF 28.20.1."""
    z = special.mathieu_modsem2(m, q, x)

    def backward(z_bar):
        growth = odd_mathieu_level(m, q, x) - 2 * q * np.cosh(2 * x)
        return None, None, z_bar[0] * z[1] + z_bar[1] * growth * z[0]

    return z, backward


nondifferentiable(even_mathieu_level, odd_mathieu_level)  # of parameters that are constant
