"""Derivatives of SciPy's logistic distribution."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.registry import formula
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.logistic.pdf, elementwise=True)
def pdf(x, loc=0.0, scale=1.0):
    """z = density at x."""
    z = stats.logistic.pdf(x, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * (-np.tanh(u / 2)) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.logistic.logpdf, elementwise=True)
def logpdf(x, loc=0.0, scale=1.0):
    """z = logarithm of the density at x."""
    z = stats.logistic.logpdf(x, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        x_bar = z_bar * (-np.tanh(u / 2)) / scale
        scale_bar = -z_bar / scale - x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.logistic.cdf, elementwise=True)
def cdf(x, loc=0.0, scale=1.0):
    """z = probability of at most x."""
    z = stats.logistic.cdf(x, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.logistic.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.logistic.sf, elementwise=True)
def sf(x, loc=0.0, scale=1.0):
    """z = probability of more than x."""
    z = stats.logistic.sf(x, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.logistic.pdf(x, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.logistic.logcdf, elementwise=True)
def logcdf(x, loc=0.0, scale=1.0):
    """z = logarithm of cdf."""
    z = stats.logistic.logcdf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        u = (t - loc) / scale
        x_bar = z_bar * (x < np.inf) * special.expit(-u) / scale
        scale_bar = -x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.logistic.logsf, elementwise=True)
def logsf(x, loc=0.0, scale=1.0):
    """z = logarithm of sf."""
    z = stats.logistic.logsf(x, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        u = (t - loc) / scale
        x_bar = -z_bar * (x > -np.inf) * special.expit(u) / scale
        scale_bar = -x_bar * u
        return x_bar, -x_bar, scale_bar

    return z, backward
