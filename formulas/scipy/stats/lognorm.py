"""Derivatives of SciPy's lognormal distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.lognorm.pdf, elementwise=True)
def pdf(x, s, loc=0.0, scale=1.0):
    """z = density at x; 0 up to loc."""
    z = stats.lognorm.pdf(x, s, loc, scale)

    def backward(z_bar):
        u = np.where(x > loc, standardised(x, loc, scale), 1.0)
        x_bar = z_bar * z * (-(1 + np.log(u) / s**2) / u) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        s_bar = z_bar * z * (np.log(u) ** 2 / s**3 - 1 / s)
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.lognorm.logpdf, elementwise=True)
def logpdf(x, s, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; slope 0 up to loc."""
    z = stats.lognorm.logpdf(x, s, loc, scale)

    def backward(z_bar):
        u = np.where(x > loc, (x - loc) / scale, 1.0)
        inside_bar = z_bar * (x > loc)
        x_bar = inside_bar * (-(1 + np.log(u) / s**2) / u) / scale
        scale_bar = -inside_bar / scale - x_bar * u
        s_bar = inside_bar * (np.log(u) ** 2 / s**3 - 1 / s)
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.lognorm.cdf, elementwise=True)
def cdf(x, s, loc=0.0, scale=1.0):
    """z = probability of at most x; x above loc."""
    z = stats.lognorm.cdf(x, s, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.lognorm.pdf(x, s, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        u = np.where(x > loc, standardised(x, loc, scale), 1.0)
        s_bar = -x_bar * scale * u * np.log(u) / s
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.lognorm.sf, elementwise=True)
def sf(x, s, loc=0.0, scale=1.0):
    """z = probability of more than x; x above loc."""
    z = stats.lognorm.sf(x, s, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.lognorm.pdf(x, s, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        u = np.where(x > loc, standardised(x, loc, scale), 1.0)
        s_bar = -x_bar * scale * u * np.log(u) / s
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.lognorm.logcdf, elementwise=True)
def logcdf(x, s, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x above loc."""
    z = stats.lognorm.logcdf(x, s, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.lognorm.logpdf(t, s, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        u = np.where(t > loc, (t - loc) / scale, 1.0)
        s_bar = -x_bar * (t - loc) * np.log(u) / s
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.lognorm.logsf, elementwise=True)
def logsf(x, s, loc=0.0, scale=1.0):
    """z = logarithm of sf; x above loc."""
    z = stats.lognorm.logsf(x, s, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = (
            -z_bar * (x > -np.inf) * np.exp(stats.lognorm.logpdf(t, s, loc, as_floats(scale)) - z)
        )
        scale_bar = -x_bar * (t - loc) / scale
        u = np.where(t > loc, (t - loc) / scale, 1.0)
        s_bar = -x_bar * (t - loc) * np.log(u) / s
        return x_bar, s_bar, -x_bar, scale_bar

    return z, backward
