"""Derivatives of SciPy's Bessel functions, in their argument; orders are constant.

The recurrences are those of the NIST Digital Library of Mathematical Functions
(DLMF), 10.6 and 10.29; the scaled functions have the slope of their factor too.
"""

from __future__ import annotations

import numpy as np
from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime.scipy.cancellations import bessel_gap, ive_slope, modified_gap

# Real order


@formula(special.jv, constant="v", of_complex=True)
def jv(v, x):
    """z = J_v(x)."""
    z = special.jv(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.jv(v - 1, x) - special.jv(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.jve, constant="v")
def jve(v, x):
    """z = J_v(x), as the scaling is by the imaginary part of x."""
    z = special.jve(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.jve(v - 1, x) - special.jve(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.yn, constant="n")
def yn(n, x):
    """z = Y_n(x); x > 0."""
    z = special.yn(n, x)

    def backward(z_bar):
        x_bar = z_bar * (special.yn(n - 1, x) - special.yn(n + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.yv, constant="v", of_complex=True)
def yv(v, x):
    """z = Y_v(x); x > 0."""
    z = special.yv(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.yv(v - 1, x) - special.yv(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.yve, constant="v")
def yve(v, x):
    """z = Y_v(x), as the scaling is by the imaginary part of x; x > 0."""
    z = special.yve(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.yve(v - 1, x) - special.yve(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.kn, constant="n")
def kn(n, x):
    """z = K_n(x); x > 0."""
    z = special.kn(n, x)

    def backward(z_bar):
        x_bar = -z_bar * (special.kv(n - 1, x) + special.kv(n + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.kv, constant="v", of_complex=True)
def kv(v, x):
    """z = K_v(x); x > 0."""
    z = special.kv(v, x)

    def backward(z_bar):
        x_bar = -z_bar * (special.kv(v - 1, x) + special.kv(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.kve, constant="v", of_complex=True)
def kve(v, x):
    """z = K_v(x) e**x; x > 0."""
    z = special.kve(v, x)

    def backward(z_bar):
        x_bar = z_bar * (z - (special.kve(v - 1, x) + special.kve(v + 1, x)) / 2)
        return None, x_bar

    return z, backward


@formula(special.iv, constant="v", of_complex=True)
def iv(v, x):
    """z = I_v(x)."""
    z = special.iv(v, x)

    def backward(z_bar):
        x_bar = z_bar * (special.iv(v - 1, x) + special.iv(v + 1, x)) / 2
        return None, x_bar

    return z, backward


@formula(special.ive, constant="v")
def ive(v, x):
    """z = I_v(x) e**-|x|; at 0, the slope in between."""
    z = special.ive(v, x)
    return z, lambda z_bar: (None, z_bar * ive_slope(v, x, 1))


@formula(special.wright_bessel, constant="a b")
def wright_bessel(a, b, x):
    """z = sum of x**k / (k! gamma(a k + b)); x >= 0."""
    z = special.wright_bessel(a, b, x)

    def backward(z_bar):
        return None, None, z_bar * special.wright_bessel(a, a + b, x)

    return z, backward


@formula(*named(special, "log_wright_bessel"), constant="a b")
def log_wright_bessel(a, b, x):
    """z = log wright_bessel(a, b, x); x >= 0."""
    z = special.log_wright_bessel(a, b, x)

    def backward(z_bar):
        x_bar = z_bar * np.exp(special.log_wright_bessel(a, a + b, x) - z)
        return None, None, x_bar

    return z, backward


# Orders 0 and 1


@formula(special.j0)
def j0(x):
    """z = J_0(x)."""
    return special.j0(x), lambda z_bar: -z_bar * special.j1(x)


@formula(special.j1)
def j1(x):
    """z = J_1(x)."""
    return special.j1(x), lambda z_bar: z_bar * (special.j0(x) - special.jv(2, x)) / 2


@formula(special.y0)
def y0(x):
    """z = Y_0(x); x > 0."""
    return special.y0(x), lambda z_bar: -z_bar * special.y1(x)


@formula(special.y1)
def y1(x):
    """z = Y_1(x); x > 0."""
    z = special.y1(x)
    return z, lambda z_bar: z_bar * (special.y0(x) - z / x)


@formula(special.i0)
def i0(x):
    """z = I_0(x)."""
    return special.i0(x), lambda z_bar: z_bar * special.i1(x)


@formula(special.i0e)
def i0e(x):
    """z = I_0(x) e**-|x|; slope 0 at 0."""
    return special.i0e(x), lambda z_bar: z_bar * ive_slope(0, x, 1)


@formula(special.i1)
def i1(x):
    """z = I_1(x)."""
    return special.i1(x), lambda z_bar: z_bar * (special.i0(x) + special.iv(2, x)) / 2


@formula(special.i1e)
def i1e(x):
    """z = I_1(x) e**-|x|."""
    return special.i1e(x), lambda z_bar: z_bar * ive_slope(1, x, 1)


@formula(special.k0)
def k0(x):
    """z = K_0(x); x > 0."""
    return special.k0(x), lambda z_bar: -z_bar * special.k1(x)


@formula(special.k0e)
def k0e(x):
    """z = K_0(x) e**x; x > 0."""
    z = special.k0e(x)
    return z, lambda z_bar: z_bar * (z - special.k1e(x))


@formula(special.k1)
def k1(x):
    """z = K_1(x); x > 0."""
    z = special.k1(x)
    return z, lambda z_bar: -z_bar * (special.k0(x) + z / x)


@formula(special.k1e)
def k1e(x):
    """z = K_1(x) e**x; x > 0."""
    z = special.k1e(x)
    return z, lambda z_bar: z_bar * (z - special.k0e(x) - z / x)


# Integrals


@formula(special.itj0y0)
def itj0y0(x):
    """z = integrals from 0 to x of J_0 and Y_0; x > 0 for the second one."""
    z = special.itj0y0(x)

    def backward(z_bar):
        if z_bar[1] is None:
            x_bar = z_bar[0] * special.j0(x)
        elif z_bar[0] is None:
            x_bar = z_bar[1] * special.y0(x)
        else:
            x_bar = z_bar[0] * special.j0(x) + z_bar[1] * special.y0(x)
        return x_bar

    return z, backward


@formula(special.it2j0y0)
def it2j0y0(x):
    """z = integrals of (1 - J_0(t)) / t from 0 to x, and of Y_0(t) / t from x > 0 on."""
    z = special.it2j0y0(x)

    def backward(z_bar):
        if z_bar[1] is None:
            x_bar = z_bar[0] * bessel_gap(x, 0)
        elif z_bar[0] is None:
            x_bar = -z_bar[1] * special.y0(x) / x
        else:
            x_bar = z_bar[0] * bessel_gap(x, 0) - z_bar[1] * special.y0(x) / x
        return x_bar

    return z, backward


@formula(special.iti0k0)
def iti0k0(x):
    """z = integrals from 0 to x of I_0 and K_0; x > 0 for the second one."""
    z = special.iti0k0(x)

    def backward(z_bar):
        if z_bar[1] is None:
            x_bar = z_bar[0] * special.i0(x)
        elif z_bar[0] is None:
            x_bar = z_bar[1] * special.k0(x)
        else:
            x_bar = z_bar[0] * special.i0(x) + z_bar[1] * special.k0(x)
        return x_bar

    return z, backward


@formula(special.it2i0k0)
def it2i0k0(x):
    """z = integrals of (I_0(t) - 1) / t from 0 to x, and of K_0(t) / t from x > 0 on."""
    z = special.it2i0k0(x)

    def backward(z_bar):
        if z_bar[1] is None:
            x_bar = z_bar[0] * modified_gap(x, 0)
        elif z_bar[0] is None:
            x_bar = -z_bar[1] * special.k0(x) / x
        else:
            x_bar = z_bar[0] * modified_gap(x, 0) - z_bar[1] * special.k0(x) / x
        return x_bar

    return z, backward


# Derivatives


@formula(special.jvp, constant="v n", elementwise=True, of_complex=True)
def jvp(v, x, n=1):
    """z = derivative number n of J_v at x."""
    z = special.jvp(v, x, n)

    def backward(z_bar):
        return None, z_bar * special.jvp(v, x, n + 1), None

    return z, backward


@formula(special.yvp, constant="v n", elementwise=True, of_complex=True)
def yvp(v, x, n=1):
    """z = derivative number n of Y_v at x; x > 0."""
    z = special.yvp(v, x, n)

    def backward(z_bar):
        return None, z_bar * special.yvp(v, x, n + 1), None

    return z, backward


@formula(special.kvp, constant="v n", elementwise=True, of_complex=True)
def kvp(v, x, n=1):
    """z = derivative number n of K_v at x; x > 0."""
    z = special.kvp(v, x, n)

    def backward(z_bar):
        return None, z_bar * special.kvp(v, x, n + 1), None

    return z, backward


@formula(special.ivp, constant="v n", elementwise=True, of_complex=True)
def ivp(v, x, n=1):
    """z = derivative number n of I_v at x."""
    z = special.ivp(v, x, n)

    def backward(z_bar):
        return None, z_bar * special.ivp(v, x, n + 1), None

    return z, backward


nondifferentiable(
    special.jn_zeros, special.jnjnp_zeros, special.jnp_zeros, special.jnyn_zeros,
    special.y0_zeros, special.y1_zeros, special.y1p_zeros, special.yn_zeros,
    special.ynp_zeros,
)  # fmt: skip
