"""Derivatives of the densities that other formulas need; shapes are constant."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime.scipy.cancellations import erfcx_slope
from srcgrad.runtime.scipy.orders import gamma_density_slope
from srcgrad.runtime.scipy.stats.densities import (
    beta_density,
    f_density,
    gamma_density,
    inside,
    mills_ratio,
    noncentral_density,
    normal_density,
    poisson_probability,
    standardised,
    student_density,
)


@formula(normal_density, of_complex=True)
def normal_density_(x):
    """z = e**(-x**2 / 2) / sqrt(2 pi)."""
    z = normal_density(x)
    return z, lambda z_bar: -z_bar * x * z


@formula(standardised, elementwise=True)
def standardised_(x, loc, scale):
    """u = (x - loc) / scale; where x is infinite, a constant."""
    u = standardised(x, loc, scale)

    def backward(u_bar):
        x_bar = np.where(np.isinf(x), 0.0, u_bar) / scale
        scale_bar = -x_bar * u
        return x_bar, -x_bar, scale_bar

    return u, backward


@formula(inside, constant="far", elementwise=True)
def inside_(x, far, loc, scale):
    """z = x; where x is far, loc + scale / 2."""
    z = inside(x, far, loc, scale)

    def backward(z_bar):
        x_bar = np.where(x == far, 0.0, z_bar)
        loc_bar = np.where(x == far, z_bar, 0.0)
        return x_bar, None, loc_bar, loc_bar / 2

    return z, backward


@formula(mills_ratio, of_complex=True)
def mills_ratio_(x):
    """z = the slope of log ndtr(x)."""
    z = mills_ratio(x)

    def backward(z_bar):
        if np.iscomplexobj(x):
            slope = -z * (x + z)
        else:
            # of z = sqrt(2 / pi) / erfcx(-x / sqrt(2)), since x + z is small for x < 0
            place = np.maximum(-x, 0.0) / math.sqrt(2)
            below = z**2 * math.sqrt(math.pi) / 2 * erfcx_slope(place, 1)
            slope = np.where(x < 0, below, -z * (np.minimum(x, 1e3) + z))
        return z_bar * slope

    return z, backward


@formula(gamma_density, elementwise=True)
def gamma_density_(b, x):
    """z = x**(b - 1) e**-x / gamma(b); x > 0."""
    z = gamma_density(b, x)

    def backward(z_bar):
        flat = (x == 0) & (b >= 1)
        slope = np.where(b > 1, gamma_density(b - 1, x) - z, z * ((b - 1) / (x + flat) - 1))
        return z_bar * gamma_density_slope(b, x, 1), z_bar * slope

    return z, backward


@formula(beta_density, constant="a b", elementwise=True)
def beta_density_(a, b, x):
    """z = x**(a - 1) (1 - x)**(b - 1) / beta(a, b); 0 < x < 1."""
    z = beta_density(a, b, x)

    def backward(z_bar):
        x_bar = z_bar * z * ((a - 1) / x - (b - 1) / (1 - x))
        return None, None, x_bar

    return z, backward


@formula(f_density, constant="dfn dfd", elementwise=True)
def f_density_(dfn, dfd, x):
    """z ~ x**(dfn / 2 - 1) (dfn x + dfd)**(-(dfn + dfd) / 2); x > 0."""
    z = f_density(dfn, dfd, x)

    def backward(z_bar):
        slope = (dfn / 2 - 1) / x - (dfn + dfd) / 2 * dfn / (dfn * x + dfd)
        return None, None, z_bar * z * slope

    return z, backward


@formula(student_density, constant="df", elementwise=True)
def student_density_(df, t):
    """z ~ (1 + t**2 / df)**(-(df + 1) / 2)."""
    z = student_density(df, t)

    def backward(z_bar):
        size = np.hypot(df**0.5, t)
        return None, -z_bar * z * (df + 1) * (t / size) / size

    return z, backward


@formula(poisson_probability, constant="k", elementwise=True)
def poisson_probability_(k, m):
    """z = m**k e**-m / k!; m > 0."""
    z = poisson_probability(k, m)

    def backward(z_bar):
        before = poisson_probability(np.maximum(k - 1, 0), m)
        return None, z_bar * ((k > 0) * before - z)

    return z, backward


@formula(noncentral_density, constant="df", elementwise=True)
def noncentral_density_(x, df, nc):
    """z ~ e**(-(x + nc) / 2) (x / nc)**(v / 2) I_v(sqrt(nc x)) for v = df / 2 - 1; x, nc > 0.

    From the recurrences of I_v.
    """
    z = noncentral_density(x, df, nc)

    def backward(z_bar):
        x_bar = z_bar * (noncentral_density(x, df - 2, nc) - z) / 2
        nc_bar = z_bar * (noncentral_density(x, df + 2, nc) - z) / 2
        return x_bar, None, nc_bar

    return z, backward
