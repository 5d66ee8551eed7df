"""Derivatives of SciPy's multivariate normal and Dirichlet densities.

The cotangent of a covariance that is a matrix is symmetric.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from srcgrad.registry import formula, refused, static
from srcgrad.runtime.scipy.stats.multivariate import (
    dirichlet_change,
    dirichlet_cotangents,
    normal_change,
    normal_cotangents,
)


@static
def require_dimension(plain, rank_of_mean, rank_of_cov):
    """Refuse means and covariances that do not tell how many entries a point has."""
    if (plain and rank_of_cov == 0) or (not plain and rank_of_mean == 0):
        raise NotImplementedError(
            "no formula for multivariate_normal of numbers; use scipy.stats.norm, or pass the "
            "mean as a vector"
        )
    return rank_of_cov


@formula(stats.multivariate_normal.logpdf)
def normal_logpdf(x, mean=None, cov=1.0, *, allow_singular=False):
    """z = logarithm of the normal density at the last axis of x.

    mean is a vector; cov is a matrix, a vector on its diagonal, or a number. A singular one that
    is allowed is taken to keep its rank.
    """
    z = stats.multivariate_normal.logpdf(x, mean, cov, allow_singular)

    def backward(z_bar):
        require_dimension(mean is None, np.ndim(mean), np.ndim(cov))
        centre = np.zeros_like(x) if mean is None else mean
        x_bar, mean_bar, cov_bar = normal_cotangents(z_bar, x, centre, cov, allow_singular)
        return x_bar, None if mean is None else mean_bar, cov_bar

    def tangent(x_dot, mean_dot, cov_dot):
        require_dimension(mean is None, np.ndim(mean), np.ndim(cov))
        centre = np.zeros_like(x) if mean is None else mean
        centre_dot = np.zeros_like(x) if mean is None else mean_dot
        return normal_change(x, centre, cov, x_dot, centre_dot, cov_dot, allow_singular)

    return z, backward, tangent


@formula(stats.multivariate_normal.pdf)
def normal_pdf(x, mean=None, cov=1.0, *, allow_singular=False):
    """z = the normal density at the last axis of x; see ``normal_logpdf``."""
    z = stats.multivariate_normal.pdf(x, mean, cov, allow_singular)

    def backward(z_bar):
        require_dimension(mean is None, np.ndim(mean), np.ndim(cov))
        centre = np.zeros_like(x) if mean is None else mean
        x_bar, mean_bar, cov_bar = normal_cotangents(z_bar * z, x, centre, cov, allow_singular)
        return x_bar, None if mean is None else mean_bar, cov_bar

    def tangent(x_dot, mean_dot, cov_dot):
        require_dimension(mean is None, np.ndim(mean), np.ndim(cov))
        centre = np.zeros_like(x) if mean is None else mean
        centre_dot = np.zeros_like(x) if mean is None else mean_dot
        return z * normal_change(x, centre, cov, x_dot, centre_dot, cov_dot, allow_singular)

    return z, backward, tangent


@formula(stats.dirichlet.logpdf)
def dirichlet_logpdf(x, alpha):
    """z = logarithm of the Dirichlet density at points, whose last entry may be left out.

    Where it is not left out, the slopes in the entries are those of each by itself.
    """
    z = stats.dirichlet.logpdf(x, alpha)

    def backward(z_bar):
        x_bar, alpha_bar = dirichlet_cotangents(z_bar, x, alpha)
        return x_bar, alpha_bar

    def tangent(x_dot, alpha_dot):
        return dirichlet_change(x, alpha, x_dot, alpha_dot)

    return z, backward, tangent


@formula(stats.dirichlet.pdf)
def dirichlet_pdf(x, alpha):
    """z = the Dirichlet density at points; see ``dirichlet_logpdf``."""
    z = stats.dirichlet.pdf(x, alpha)

    def backward(z_bar):
        x_bar, alpha_bar = dirichlet_cotangents(z_bar * z, x, alpha)
        return x_bar, alpha_bar

    def tangent(x_dot, alpha_dot):
        return z * dirichlet_change(x, alpha, x_dot, alpha_dot)

    return z, backward, tangent


refused(
    "it is computed by quasi-Monte Carlo integration, and its derivative has no closed form",
    stats.multivariate_normal.cdf,
    stats.multivariate_normal.logcdf,
)
