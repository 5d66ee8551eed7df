"""Derivatives of SciPy's chi-square distribution.

The slopes of its distribution function in df have no closed form.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.chi2.pdf, elementwise=True)
def pdf(x, df, loc=0.0, scale=1.0):
    """z = density at x; x above loc."""
    z = stats.chi2.pdf(x, df, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * ((df / 2 - 1) / u - 0.5) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        df_bar = z_bar * z * ((np.log(u / 2) - special.psi(df / 2)) / 2)
        return x_bar, df_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.chi2.logpdf, elementwise=True)
def logpdf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x above loc, slope 0 in x below."""
    z = stats.chi2.logpdf(x, df, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        inside_bar = z_bar * (u >= 0)
        x_bar = inside_bar * ((df / 2 - 1) / u - 0.5) / scale
        scale_bar = -inside_bar / scale - x_bar * u
        df_bar = z_bar * ((np.log(u / 2) - special.psi(df / 2)) / 2)
        return x_bar, df_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.chi2.cdf, constant="df", elementwise=True)
def cdf(x, df, loc=0.0, scale=1.0):
    """z = probability of at most x; x above loc."""
    z = stats.chi2.cdf(x, df, loc, scale)

    def backward(z_bar):
        # SciPy's density is nan at infinity
        x_bar = z_bar * np.where(np.isinf(x), 0.0, stats.chi2.pdf(x, df, loc, scale))
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.chi2.sf, constant="df", elementwise=True)
def sf(x, df, loc=0.0, scale=1.0):
    """z = probability of more than x; x above loc."""
    z = stats.chi2.sf(x, df, loc, scale)

    def backward(z_bar):
        # SciPy's density is nan at infinity
        x_bar = -z_bar * np.where(np.isinf(x), 0.0, stats.chi2.pdf(x, df, loc, scale))
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.chi2.logcdf, constant="df", elementwise=True)
def logcdf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x above loc."""
    z = stats.chi2.logcdf(x, df, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.chi2.logpdf(t, df, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.chi2.logsf, constant="df", elementwise=True)
def logsf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of sf; x above loc."""
    z = stats.chi2.logsf(x, df, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.chi2.logpdf(t, df, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward
