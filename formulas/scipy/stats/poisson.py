"""Derivatives of SciPy's Poisson distribution, in mu; counts are constant."""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula


@formula(stats.poisson.pmf, constant="k loc", elementwise=True)
def pmf(k, mu, loc=0):
    """z = probability of k; mu > 0."""
    z = stats.poisson.pmf(k, mu, loc)

    def backward(z_bar):
        mu_bar = z_bar * z * ((k - loc) / mu - 1)
        return None, mu_bar, None

    return z, backward


@formula(stats.poisson.logpmf, constant="k loc", elementwise=True)
def logpmf(k, mu, loc=0):
    """z = logarithm of the probability of k; mu > 0."""
    z = stats.poisson.logpmf(k, mu, loc)

    def backward(z_bar):
        mu_bar = z_bar * ((k - loc) / mu - 1)
        return None, mu_bar, None

    return z, backward


@formula(stats.poisson.cdf, constant="k loc", elementwise=True)
def cdf(k, mu, loc=0):
    """z = probability of at most k; mu > 0."""
    z = stats.poisson.cdf(k, mu, loc)

    def backward(z_bar):
        mu_bar = -z_bar * stats.poisson.pmf(np.floor(k), mu, loc)
        return None, mu_bar, None

    return z, backward


@formula(stats.poisson.sf, constant="k loc", elementwise=True)
def sf(k, mu, loc=0):
    """z = probability of more than k; mu > 0."""
    z = stats.poisson.sf(k, mu, loc)

    def backward(z_bar):
        mu_bar = z_bar * stats.poisson.pmf(np.floor(k), mu, loc)
        return None, mu_bar, None

    return z, backward


@formula(stats.poisson.logcdf, constant="k loc", elementwise=True)
def logcdf(k, mu, loc=0):
    """z = logarithm of cdf; mu > 0."""
    z = stats.poisson.logcdf(k, mu, loc)

    def backward(z_bar):
        mu_bar = -z_bar * np.exp(stats.poisson.logpmf(np.floor(k), mu, loc) - z)
        return None, mu_bar, None

    return z, backward


@formula(stats.poisson.logsf, constant="k loc", elementwise=True)
def logsf(k, mu, loc=0):
    """z = logarithm of sf; mu > 0."""
    z = stats.poisson.logsf(k, mu, loc)

    def backward(z_bar):
        mu_bar = z_bar * np.exp(stats.poisson.logpmf(np.floor(k), mu, loc) - z)
        return None, mu_bar, None

    return z, backward
