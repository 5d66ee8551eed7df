"""Derivatives of SciPy's exponential distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.expon.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x; x above loc."""
    z = stats.expon.pdf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * z / scale
        scale_bar = -z_bar * z / scale - x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.expon.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x above loc, slope 0 below."""
    z = stats.expon.logpdf(x, loc, scale)

    def backward(z_bar):
        inside_bar = z_bar * (x >= loc)
        x_bar = -inside_bar / scale
        scale_bar = -(inside_bar + x_bar * (x - loc)) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.expon.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x; x above loc."""
    z = stats.expon.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.expon.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.expon.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x; x above loc."""
    z = stats.expon.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.expon.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.expon.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x above loc."""
    z = stats.expon.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.expon.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.expon.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf; x above loc."""
    z = stats.expon.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x >= loc) / scale
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward
