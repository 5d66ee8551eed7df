"""Derivatives of SciPy's Student's t distribution.

The slopes of its distribution function in df have no closed form.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.cancellations import psi_rise
from srcgrad.runtime.scipy.stats.densities import inside, standardised


@formula(stats.t.pdf, elementwise=True)
def pdf(x, df, loc=0.0, scale=1.0):
    """z = density at x; df > 0."""
    z = stats.t.pdf(x, df, loc, scale)

    def backward(z_bar):
        u = standardised(x, loc, scale)
        size = np.hypot(np.sqrt(df), u)
        x_bar = z_bar * z * (-(df + 1.0) * (u / size) / size) / scale
        scale_bar = -z_bar * z / scale - x_bar * u
        in_df = 0.5 * (psi_rise(df / 2, 0.5) - 1 / df - np.log1p(np.square(u / np.sqrt(df))))
        df_bar = z_bar * z * (in_df + (df + 1.0) / 2 * (u / size) ** 2 / df)
        return x_bar, df_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.t.logpdf, elementwise=True)
def logpdf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of the density at x; df > 0."""
    z = stats.t.logpdf(x, df, loc, scale)

    def backward(z_bar):
        u = (x - loc) / scale
        size = np.hypot(np.sqrt(df), u)
        x_bar = z_bar * (-(df + 1.0) * (u / size) / size) / scale
        scale_bar = -z_bar / scale - x_bar * u
        in_df = 0.5 * (psi_rise(df / 2, 0.5) - 1 / df - np.log1p(np.square(u / np.sqrt(df))))
        df_bar = z_bar * (in_df + (df + 1.0) / 2 * (u / size) ** 2 / df)
        return x_bar, df_bar, -x_bar, scale_bar

    return z, backward


@formula(stats.t.cdf, constant="df", elementwise=True)
def cdf(x, df, loc=0.0, scale=1.0):
    """z = probability of at most x; df > 0."""
    z = stats.t.cdf(x, df, loc, scale)

    def backward(z_bar):
        x_bar = z_bar * stats.t.pdf(x, df, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.t.sf, constant="df", elementwise=True)
def sf(x, df, loc=0.0, scale=1.0):
    """z = probability of more than x; df > 0."""
    z = stats.t.sf(x, df, loc, scale)

    def backward(z_bar):
        x_bar = -z_bar * stats.t.pdf(x, df, loc, scale)
        scale_bar = -x_bar * standardised(x, loc, scale)
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.t.logcdf, constant="df", elementwise=True)
def logcdf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of cdf; df > 0."""
    z = stats.t.logcdf(x, df, loc, scale)

    def backward(z_bar):
        t = inside(x, np.inf, loc, scale)
        x_bar = z_bar * (x < np.inf) * np.exp(stats.t.logpdf(t, df, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward


@formula(stats.t.logsf, constant="df", elementwise=True)
def logsf(x, df, loc=0.0, scale=1.0):
    """z = logarithm of sf; df > 0."""
    z = stats.t.logsf(x, df, loc, scale)

    def backward(z_bar):
        t = inside(x, -np.inf, loc, scale)
        x_bar = -z_bar * (x > -np.inf) * np.exp(stats.t.logpdf(t, df, loc, as_floats(scale)) - z)
        scale_bar = -x_bar * (t - loc) / scale
        return x_bar, None, -x_bar, scale_bar

    return z, backward
