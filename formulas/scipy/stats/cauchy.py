"""Derivatives of SciPy's Cauchy distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.cauchy.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x."""
    z = stats.cauchy.pdf(x, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        size = np.hypot(1.0, u)
        x_bar = z_bar * z * (-2 * (u / size) / size) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.cauchy.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x."""
    z = stats.cauchy.logpdf(x, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        size = np.hypot(1.0, u)
        x_bar = z_bar * (-2 * (u / size) / size) / scale
        scale_bar = -z_bar / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.cauchy.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x."""
    z = stats.cauchy.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.cauchy.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.cauchy.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x."""
    z = stats.cauchy.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.cauchy.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.cauchy.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf."""
    z = stats.cauchy.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.cauchy.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.cauchy.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf."""
    z = stats.cauchy.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.cauchy.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward
