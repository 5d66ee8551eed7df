"""Derivatives of SciPy's normal distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.scipy.stats.densities import inside, mills_ratio, standardised


@formula(stats.norm.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x."""
    z = stats.norm.pdf(x, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * -u / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.norm.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x."""
    z = stats.norm.logpdf(x, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        x_bar = z_bar * -u / scale
        scale_bar = -z_bar / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.norm.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x."""
    z = stats.norm.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.norm.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.norm.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x."""
    z = stats.norm.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.norm.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.norm.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf."""
    z = stats.norm.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        u = (t - loc) / scale
        x_bar = z_bar * (x < np.inf) * mills_ratio(u) / scale
        scale_bar = -x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.norm.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf."""
    z = stats.norm.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        u = (t - loc) / scale
        x_bar = -z_bar * (x > -np.inf) * mills_ratio(-u) / scale
        scale_bar = -x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward
