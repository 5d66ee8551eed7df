"""Derivatives of SciPy's spheroidal wave functions and of its Legendre functions of order 2.

All are solutions of linear equations of second order, from which the slopes of the slopes
come: NIST Digital Library of Mathematical Functions, 30.2.1 and 14.2.2.
"""

from __future__ import annotations

from scipy import special

from srcgrad.registry import formula, nondifferentiable, primal
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy.stats.densities import all_up_to, oblate_level, prolate_level


@formula(special.pro_ang1, special.pro_rad1, special.pro_rad2, constant="m n c")
def prolate(m, n, c, x):
    """z = (y, y') of a prolate function of the first or second kind."""
    z = primal(m, n, c, x)

    def backward(z_bar):
        level = prolate_level(m, n, c, x) - (c * x) ** 2 - m**2 / (1 - x**2)
        bend = (2 * x * z[1] - level * z[0]) / (1 - x**2)
        return None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


@formula(special.pro_ang1_cv, special.pro_rad1_cv, special.pro_rad2_cv, constant="m n c cv")
def prolate_of_level(m, n, c, cv, x):
    """z = (y, y') of a prolate function whose characteristic value is given."""
    z = primal(m, n, c, cv, x)

    def backward(z_bar):
        level = cv - (c * x) ** 2 - m**2 / (1 - x**2)
        bend = (2 * x * z[1] - level * z[0]) / (1 - x**2)
        return None, None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


@formula(special.obl_ang1, constant="m n c")
def oblate_angular(m, n, c, x):
    """z = (y, y') of an oblate angular function."""
    z = special.obl_ang1(m, n, c, x)

    def backward(z_bar):
        level = oblate_level(m, n, c, x) + (c * x) ** 2 - m**2 / (1 - x**2)
        bend = (2 * x * z[1] - level * z[0]) / (1 - x**2)
        return None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


@formula(special.obl_ang1_cv, constant="m n c cv")
def oblate_angular_of_level(m, n, c, cv, x):
    """z = (y, y') of an oblate angular function whose characteristic value is given."""
    z = special.obl_ang1_cv(m, n, c, cv, x)

    def backward(z_bar):
        level = cv + (c * x) ** 2 - m**2 / (1 - x**2)
        bend = (2 * x * z[1] - level * z[0]) / (1 - x**2)
        return None, None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


@formula(special.obl_rad1, constant="m n c")
def oblate_radial(m, n, c, x):
    """z = (y, y') of an oblate radial function of the first kind."""
    z = special.obl_rad1(m, n, c, x)

    def backward(z_bar):
        level = oblate_level(m, n, c, x) - (c * x) ** 2 - m**2 / (1 + x**2)
        bend = (level * z[0] - 2 * x * z[1]) / (1 + x**2)
        return None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


@formula(special.obl_rad1_cv, constant="m n c cv")
def oblate_radial_of_level(m, n, c, cv, x):
    """z = (y, y') of an oblate radial function whose characteristic value is given."""
    z = special.obl_rad1_cv(m, n, c, cv, x)

    def backward(z_bar):
        level = cv - (c * x) ** 2 - m**2 / (1 + x**2)
        bend = (level * z[0] - 2 * x * z[1]) / (1 + x**2)
        return None, None, None, None, z_bar[0] * z[1] + z_bar[1] * bend

    return z, backward


# Of all degrees up to n


@formula(special.lqn, constant="n")
def lqn(n, x):
    """z = (Q_k, Q_k') of all degrees k up to n. DLMF 14.2.1."""
    z = special.lqn(n, x)

    def backward(z_bar):
        k = all_up_to(n, x)
        bend = (2 * x * z[1] - k * (k + 1) * z[0]) / (1 - x**2)
        return None, unbroadcast(z_bar[0] * z[1] + z_bar[1] * bend, x)

    return z, backward


@formula(special.lqmn, constant="m n")
def lqmn(m, n, x):
    """z = (Q_k^j, Q_k^j') of all orders j up to m, and all degrees k up to n. DLMF 14.2.2."""
    z = special.lqmn(m, n, x)

    def backward(z_bar):
        k = all_up_to(n, x)
        j = all_up_to(m, k)
        bend = (2 * x * z[1] - (k * (k + 1) - j**2 / (1 - x**2)) * z[0]) / (1 - x**2)
        return None, None, unbroadcast(z_bar[0] * z[1] + z_bar[1] * bend, x)

    return z, backward


nondifferentiable(prolate_level, oblate_level, all_up_to)
