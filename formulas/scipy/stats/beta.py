"""Derivatives of SciPy's beta distribution.

The slopes of its distribution function in a and b have no closed form.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.beta.pdf, elementwise=True)
def pdf(x, a, b, loc=0.0, scale=1.0):
    """z = density at x; x between loc and loc + scale."""
    z = stats.beta.pdf(x, a, b, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        x_bar = z_bar * z * ((a - 1) / u - (b - 1) / (1 - u)) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        a_bar = z_bar * z * (np.log(u) - special.psi(a) + special.psi(a + b))
        b_bar = z_bar * z * (np.log1p(-u) - special.psi(b) + special.psi(a + b))
        return x_bar, a_bar, b_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.beta.logpdf, elementwise=True)
def logpdf(x, a, b, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; x between loc and loc + scale, slope 0 in x beside."""
    z = stats.beta.logpdf(x, a, b, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        inside_bar = z_bar * ((u >= 0) & (u <= 1))
        x_bar = inside_bar * ((a - 1) / u - (b - 1) / (1 - u)) / scale
        scale_bar = -inside_bar / scale - x_bar * u
        a_bar = z_bar * (np.log(u) - special.psi(a) + special.psi(a + b))
        b_bar = z_bar * (np.log1p(-u) - special.psi(b) + special.psi(a + b))
        return x_bar, a_bar, b_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.beta.cdf, constant="a b", elementwise=True)
def cdf(x, a, b, loc=0.0, scale=1.0):
    """z = probability of at most x; x between loc and loc + scale."""
    z = stats.beta.cdf(x, a, b, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.beta.pdf(x, a, b, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, None, -x_bar, scale_bar

    return z, backward


@formula(stats.beta.sf, constant="a b", elementwise=True)
def sf(x, a, b, loc=0.0, scale=1.0):
    """z = probability of more than x; x between loc and loc + scale."""
    z = stats.beta.sf(x, a, b, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.beta.pdf(x, a, b, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, None, -x_bar, scale_bar

    return z, backward


@formula(stats.beta.logcdf, constant="a b", elementwise=True)
def logcdf(x, a, b, loc=0.0, scale=1.0):
    """z = logarithm of cdf; x between loc and loc + scale."""
    z = stats.beta.logcdf(x, a, b, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.beta.logpdf(t, a, b, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, None, -x_bar, scale_bar

    return z, backward


@formula(stats.beta.logsf, constant="a b", elementwise=True)
def logsf(x, a, b, loc=0.0, scale=1.0):
    """z = logarithm of sf; x between loc and loc + scale."""
    z = stats.beta.logsf(x, a, b, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = (
            -z_bar * (x > -np.inf) * np.exp(stats.beta.logpdf(t, a, b, loc, as_floats(scale)) - z)
        )
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, None, -x_bar, scale_bar

    return z, backward
