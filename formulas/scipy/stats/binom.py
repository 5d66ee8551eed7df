"""Derivatives of SciPy's binomial distribution, in p; counts are constant."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula


@formula(stats.binom.pmf, constant="k n loc", elementwise=True)
def pmf(k, n, p, loc=0):
    """z = probability of k; 0 < p < 1."""
    z = stats.binom.pmf(k, n, p, loc)

    def backward(z_bar):
        p_bar = z_bar * z * ((k - loc) / p - (n - k + loc) / (1 - p))
        return None, None, p_bar, None

    return z, backward


@formula(stats.binom.logpmf, constant="k n loc", elementwise=True)
def logpmf(k, n, p, loc=0):
    """z = logarithm of the probability of k; 0 < p < 1."""
    z = stats.binom.logpmf(k, n, p, loc)

    def backward(z_bar):
        p_bar = z_bar * ((k - loc) / p - (n - k + loc) / (1 - p))
        return None, None, p_bar, None

    return z, backward


@formula(stats.binom.cdf, constant="k n loc", elementwise=True)
def cdf(k, n, p, loc=0):
    """z = probability of at most k; 0 < p < 1."""
    z = stats.binom.cdf(k, n, p, loc)

    def backward(z_bar):
        p_bar = -z_bar * n * stats.binom.pmf(np.floor(k), n - 1, p, loc)
        return None, None, p_bar, None

    return z, backward


@formula(stats.binom.sf, constant="k n loc", elementwise=True)
def sf(k, n, p, loc=0):
    """z = probability of more than k; 0 < p < 1."""
    z = stats.binom.sf(k, n, p, loc)

    def backward(z_bar):
        p_bar = z_bar * n * stats.binom.pmf(np.floor(k), n - 1, p, loc)
        return None, None, p_bar, None

    return z, backward


@formula(stats.binom.logcdf, constant="k n loc", elementwise=True)
def logcdf(k, n, p, loc=0):
    """z = logarithm of cdf; 0 < p < 1."""
    z = stats.binom.logcdf(k, n, p, loc)

    def backward(z_bar):
        p_bar = -z_bar * n * np.exp(stats.binom.logpmf(np.floor(k), n - 1, p, loc) - z)
        return None, None, p_bar, None

    return z, backward


@formula(stats.binom.logsf, constant="k n loc", elementwise=True)
def logsf(k, n, p, loc=0):
    """z = logarithm of sf; 0 < p < 1."""
    z = stats.binom.logsf(k, n, p, loc)

    def backward(z_bar):
        p_bar = z_bar * n * np.exp(stats.binom.logpmf(np.floor(k), n - 1, p, loc) - z)
        return None, None, p_bar, None

    return z, backward
