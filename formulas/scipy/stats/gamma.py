"""Derivatives of SciPy's gamma distribution."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.orders import gammainc_slope
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.gamma.pdf, elementwise=True)
def pdf(x, a, loc=0.0, scale=1.0):
    """z = density at x; x above loc."""
    z = stats.gamma.pdf(x, a, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * ((a - 1) / u - 1) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        a_bar = z_bar * z * (np.log(u) - special.psi(a))
        return x_bar, a_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.gamma.logpdf, elementwise=True)
def logpdf(x, a, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x above loc, slope 0 in x below."""
    z = stats.gamma.logpdf(x, a, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        inside_bar = z_bar * (u >= 0)
        x_bar = inside_bar * ((a - 1) / u - 1) / scale
        scale_bar = -inside_bar / scale - x_bar * u
        a_bar = z_bar * (np.log(u) - special.psi(a))
        return x_bar, a_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.gamma.cdf, elementwise=True)
def cdf(x, a, loc=0.0, scale=1.0):
    """z = probability of at most x; x above loc."""
    z = stats.gamma.cdf(x, a, loc, scale)

    def backward(z_bar):
        # SciPy's density is nan at infinity
        x_bar = z_bar * np.where(np.isinf(x), 0.0, stats.gamma.pdf(x, a, loc, scale))
        u = standardised(x, loc, scale)
        scale_bar = -x_bar * u
        return x_bar, z_bar * gammainc_slope(a, u, 1), -x_bar, scale_bar

    return z, backward


@formula(stats.gamma.sf, elementwise=True)
def sf(x, a, loc=0.0, scale=1.0):
    """z = probability of more than x; x above loc."""
    z = stats.gamma.sf(x, a, loc, scale)

    def backward(z_bar):
        # SciPy's density is nan at infinity
        x_bar = -z_bar * np.where(np.isinf(x), 0.0, stats.gamma.pdf(x, a, loc, scale))
        u = standardised(x, loc, scale)
        scale_bar = -x_bar * u
        return x_bar, -z_bar * gammainc_slope(a, u, 1), -x_bar, scale_bar

    return z, backward


@formula(stats.gamma.logcdf, constant="a", elementwise=True)
def logcdf(x, a, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x above loc."""
    z = stats.gamma.logcdf(x, a, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.gamma.logpdf(t, a, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.gamma.logsf, constant="a", elementwise=True)
def logsf(x, a, loc=0.0, scale=1.0):
    """z = logarithm of sf; x above loc."""
    z = stats.gamma.logsf(x, a, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.gamma.logpdf(t, a, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward
