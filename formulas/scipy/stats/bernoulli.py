"""Derivatives of SciPy's Bernoulli distribution, in p; counts are constant."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula


@formula(stats.bernoulli.pmf, constant="k loc", elementwise=True)
def pmf(k, p, loc=0):
    """z = probability of k; 0 < p < 1."""
    z = stats.bernoulli.pmf(k, p, loc)

    def backward(z_bar):
        p_bar = z_bar * z * ((k - loc) / p - (1 - k + loc) / (1 - p))
        return None, p_bar, None

    return z, backward


@formula(stats.bernoulli.logpmf, constant="k loc", elementwise=True)
def logpmf(k, p, loc=0):
    """z = logarithm of the probability of k; 0 < p < 1."""
    z = stats.bernoulli.logpmf(k, p, loc)

    def backward(z_bar):
        p_bar = z_bar * ((k - loc) / p - (1 - k + loc) / (1 - p))
        return None, p_bar, None

    return z, backward


@formula(stats.bernoulli.cdf, constant="k loc", elementwise=True)
def cdf(k, p, loc=0):
    """z = probability of at most k; 0 < p < 1."""
    z = stats.bernoulli.cdf(k, p, loc)

    def backward(z_bar):
        p_bar = np.where(np.floor(k - loc) == 0, -z_bar, 0.0)
        return None, p_bar, None

    return z, backward


@formula(stats.bernoulli.sf, constant="k loc", elementwise=True)
def sf(k, p, loc=0):
    """z = probability of more than k; 0 < p < 1."""
    z = stats.bernoulli.sf(k, p, loc)

    def backward(z_bar):
        p_bar = np.where(np.floor(k - loc) == 0, z_bar, 0.0)
        return None, p_bar, None

    return z, backward


@formula(stats.bernoulli.logcdf, constant="k loc", elementwise=True)
def logcdf(k, p, loc=0):
    """z = logarithm of cdf; 0 < p < 1."""
    z = stats.bernoulli.logcdf(k, p, loc)

    def backward(z_bar):
        p_bar = np.where(np.floor(k - loc) == 0, -z_bar, 0.0) * np.exp(-z)
        return None, p_bar, None

    return z, backward


@formula(stats.bernoulli.logsf, constant="k loc", elementwise=True)
def logsf(k, p, loc=0):
    """z = logarithm of sf; 0 < p < 1."""
    z = stats.bernoulli.logsf(k, p, loc)

    def backward(z_bar):
        p_bar = np.where(np.floor(k - loc) == 0, z_bar, 0.0) * np.exp(-z)
        return None, p_bar, None

    return z, backward
