"""Derivatives of SciPy's Laplace distribution."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.laplace.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x; slope 0 at x == loc."""
    z = stats.laplace.pdf(x, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * (-np.sign(u)) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.laplace.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; slope 0 at x == loc."""
    z = stats.laplace.logpdf(x, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        x_bar = z_bar * (-np.sign(u)) / scale
        scale_bar = -z_bar / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.laplace.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x."""
    z = stats.laplace.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.laplace.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.laplace.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x."""
    z = stats.laplace.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.laplace.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.laplace.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf."""
    z = stats.laplace.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.laplace.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.laplace.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf."""
    z = stats.laplace.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.laplace.logpdf(t, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, -x_bar, scale_bar

    return z, backward
