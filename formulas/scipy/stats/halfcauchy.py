"""Derivatives of SciPy's half-Cauchy distribution: that of the size of a Cauchy variable."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.halfcauchy.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x; x above loc, slope 0 below."""
    z = stats.halfcauchy.pdf(x, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        size = np.hypot(1.0, u)
        x_bar = z_bar * z * (-2 * (u / size) / size) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.halfcauchy.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x above loc, slope 0 below."""
    z = stats.halfcauchy.logpdf(x, loc, scale)

    def backward(z_bar):
        inside_bar = z_bar * (x >= loc)
        u = (x - loc) / scale
        size = np.hypot(1.0, u)
        x_bar = inside_bar * (-2 * (u / size) / size) / scale
        scale_bar = -inside_bar / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.halfcauchy.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x; x above loc, slope 0 below."""
    z = stats.halfcauchy.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.halfcauchy.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.halfcauchy.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x; x above loc, slope 0 below."""
    z = stats.halfcauchy.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.halfcauchy.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.halfcauchy.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x above loc."""
    z = stats.halfcauchy.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.halfcauchy.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.halfcauchy.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf; x above loc, slope 0 below."""
    z = stats.halfcauchy.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = (
            -z_bar * (x > -np.inf) * np.exp(stats.halfcauchy.logpdf(t, loc, as_floats(scale)) - z)
        )
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward
