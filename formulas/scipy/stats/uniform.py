"""Derivatives of SciPy's uniform distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.uniform.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x; x between loc and loc + scale."""
    z = stats.uniform.pdf(x, loc, scale)

    def backward(z_bar):
        x_bar = 0.0 * z_bar
        scale_bar = -z_bar * z / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.uniform.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x between loc and loc + scale, slope 0 beside."""
    z = stats.uniform.logpdf(x, loc, scale)

    def backward(z_bar):
        x_bar = 0.0 * z_bar
        inside = (x >= loc) & (x <= loc + scale)
        scale_bar = -z_bar * inside / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.uniform.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x; x between loc and loc + scale."""
    z = stats.uniform.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.uniform.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.uniform.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x; x between loc and loc + scale."""
    z = stats.uniform.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.uniform.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.uniform.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x between loc and loc + scale."""
    z = stats.uniform.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.uniform.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.uniform.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf; x between loc and loc + scale."""
    z = stats.uniform.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.uniform.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward
