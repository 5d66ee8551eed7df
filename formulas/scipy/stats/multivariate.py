"""Derivatives of SciPy's multivariate normal and Dirichlet densities."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from srcgrad.registry import formula, refused, static
from srcgrad.runtime import unbroadcast


@static
def require_matrix(rank):
    """Refuse covariances that are given as a number or as a vector."""
    if rank != 2:
        raise NotImplementedError(
            "no formula for multivariate_normal with cov that is no matrix; use np.diag(cov)"
        )
    return rank


@formula(stats.multivariate_normal.logpdf)
def normal_logpdf(x, mean, cov):
    """z = logarithm of the normal density at the last axis of x; mean is a vector, cov a matrix.

    The cotangent of cov is symmetric: K. Petersen, M. Pedersen, "The Matrix Cookbook",
    2012, 8.1.1.
    """
    z = stats.multivariate_normal.logpdf(x, mean, cov)

    def backward(z_bar):
        require_matrix(np.ndim(cov))
        inverse = np.linalg.inv(cov)
        pull = (x - mean) @ inverse
        if x.ndim == 1 and mean.ndim == 1:
            x_bar = -z_bar * pull
            cov_bar = z_bar * (np.outer(pull, pull) - inverse) / 2
        else:
            x_bar = -np.expand_dims(z_bar, -1) * pull
            d = cov.shape[-1]
            outer = np.reshape(pull, (-1, d)).T @ np.reshape(-x_bar, (-1, d))
            cov_bar = (outer - np.sum(z_bar) * inverse) / 2
        return unbroadcast(x_bar, x), unbroadcast(-x_bar, mean), cov_bar

    def tangent(x_dot, mean_dot, cov_dot):
        inverse = np.linalg.inv(cov)
        pull = (x - mean) @ inverse
        of_centre = np.sum((mean_dot - x_dot) * pull, axis=-1)
        of_cov = np.sum(pull @ cov_dot * pull, axis=-1) - np.sum(inverse * cov_dot)
        return of_centre + of_cov / 2

    return z, backward, tangent


@formula(stats.multivariate_normal.pdf)
def normal_pdf(x, mean, cov):
    """z = the normal density at the last axis of x; see ``normal_logpdf``."""
    z = stats.multivariate_normal.pdf(x, mean, cov)

    def backward(z_bar):
        log_bar = z_bar * z
        require_matrix(np.ndim(cov))
        inverse = np.linalg.inv(cov)
        pull = (x - mean) @ inverse
        if x.ndim == 1 and mean.ndim == 1:
            x_bar = -log_bar * pull
            cov_bar = log_bar * (np.outer(pull, pull) - inverse) / 2
        else:
            x_bar = -np.expand_dims(log_bar, -1) * pull
            d = cov.shape[-1]
            outer = np.reshape(pull, (-1, d)).T @ np.reshape(-x_bar, (-1, d))
            cov_bar = (outer - np.sum(log_bar) * inverse) / 2
        return unbroadcast(x_bar, x), unbroadcast(-x_bar, mean), cov_bar

    def tangent(x_dot, mean_dot, cov_dot):
        inverse = np.linalg.inv(cov)
        pull = (x - mean) @ inverse
        of_centre = np.sum((mean_dot - x_dot) * pull, axis=-1)
        of_cov = np.sum(pull @ cov_dot * pull, axis=-1) - np.sum(inverse * cov_dot)
        return z * (of_centre + of_cov / 2)

    return z, backward, tangent


@formula(stats.dirichlet.logpdf)
def dirichlet_logpdf(x, alpha):
    """z = logarithm of the Dirichlet density at a point, whose last entry may be left out.

    Where it is not left out, the slopes in the entries are those of each by itself.
    """
    z = stats.dirichlet.logpdf(x, alpha)

    def backward(z_bar):
        if x.shape[0] == alpha.shape[0]:
            point = x
            x_bar = z_bar * (alpha - 1) / x
        else:
            last = 1 - np.sum(x)
            point = np.append(x, last)
            x_bar = z_bar * ((alpha[:-1] - 1) / x - (alpha[-1] - 1) / last)
        level = special.psi(np.sum(alpha))
        return x_bar, z_bar * (np.log(point) - special.psi(alpha) + level)

    def tangent(x_dot, alpha_dot):
        # with the last entry, should it have been left out
        point = np.append(x, 1 - np.sum(x))[: alpha.shape[0]]
        point_dot = np.append(x_dot, -np.sum(x_dot))[: alpha.shape[0]]
        level = special.psi(np.sum(alpha))
        of_alpha = np.sum(alpha_dot * (np.log(point) - special.psi(alpha) + level))
        return np.sum(point_dot * (alpha - 1) / point) + of_alpha

    return z, backward, tangent


@formula(stats.dirichlet.pdf)
def dirichlet_pdf(x, alpha):
    """z = the Dirichlet density at a point; see ``dirichlet_logpdf``."""
    z = stats.dirichlet.pdf(x, alpha)

    def backward(z_bar):
        log_bar = z_bar * z
        if x.shape[0] == alpha.shape[0]:
            point = x
            x_bar = log_bar * (alpha - 1) / x
        else:
            last = 1 - np.sum(x)
            point = np.append(x, last)
            x_bar = log_bar * ((alpha[:-1] - 1) / x - (alpha[-1] - 1) / last)
        level = special.psi(np.sum(alpha))
        return x_bar, log_bar * (np.log(point) - special.psi(alpha) + level)

    def tangent(x_dot, alpha_dot):
        # with the last entry, should it have been left out
        point = np.append(x, 1 - np.sum(x))[: alpha.shape[0]]
        point_dot = np.append(x_dot, -np.sum(x_dot))[: alpha.shape[0]]
        level = special.psi(np.sum(alpha))
        of_alpha = np.sum(alpha_dot * (np.log(point) - special.psi(alpha) + level))
        return z * (np.sum(point_dot * (alpha - 1) / point) + of_alpha)

    return z, backward, tangent


refused(
    "it is computed by quasi-Monte Carlo integration, and its derivative has no closed form",
    stats.multivariate_normal.cdf,
    stats.multivariate_normal.logcdf,
)
