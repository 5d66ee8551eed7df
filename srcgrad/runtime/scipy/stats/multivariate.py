"""What the derivatives of SciPy's multivariate densities call at run time.

Each is about the logarithm of a density; the density's own slopes are those of its
logarithm times the density.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.broadcasting import unbroadcast


def normal_cotangents(
    log_bar: Any, x: Any, mean: Any, cov: Any, allow_singular: bool = False
) -> tuple[Any, Any, Any]:
    """Return the cotangents of what the logarithm of a normal density depends on.

    K. Petersen, M. Pedersen, "The Matrix Cookbook", 2012, 8.1.1.

    Args:
        log_bar: the cotangent of the logarithm.
        x: points, along the last axis.
        mean: a vector.
        cov: the covariance: a matrix, a vector on its diagonal, or a number.
        allow_singular: whether the density is one in the range of the covariance, which then
            keeps its rank.

    Returns:
        The cotangents of the points, of the mean and of the covariance.
    """
    if _are_numbers(x, mean, cov):
        x_bar, mean_bar, cov_bar = normal_cotangents(
            log_bar, np.reshape(x, (-1, 1)), np.reshape(mean, (-1, 1)), cov, allow_singular
        )
        return x_bar[:, 0], mean_bar[:, 0], cov_bar
    d = np.shape(x - mean)[-1]
    inverse = _precision(_matrix(cov, d), allow_singular)
    pull = (x - mean) @ inverse
    each_bar = np.reshape(log_bar, pull.shape[:-1])  # SciPy drops axes of length 1
    apart_bar = -np.expand_dims(each_bar, -1) * pull
    outer = np.reshape(pull, (-1, d)).T @ np.reshape(-apart_bar, (-1, d))
    matrix_bar = (outer - np.sum(log_bar) * inverse) / 2
    if np.ndim(cov) == 0:
        cov_bar = np.trace(matrix_bar)
    elif np.ndim(cov) == 1:
        cov_bar = np.diagonal(matrix_bar).copy()
    else:
        cov_bar = matrix_bar
    return unbroadcast(apart_bar, x), unbroadcast(-apart_bar, mean), cov_bar


def normal_change(
    x: Any,
    mean: Any,
    cov: Any,
    x_dot: Any,
    mean_dot: Any,
    cov_dot: Any,
    allow_singular: bool = False,
) -> Any:
    """Return the tangent of the logarithm of a normal density; see ``normal_cotangents``."""
    if _are_numbers(x, mean, cov):
        x, x_dot = np.reshape(x, (-1, 1)), np.reshape(x_dot, (-1, 1))
        mean, mean_dot = np.reshape(mean, (-1, 1)), np.reshape(mean_dot, (-1, 1))
    d = np.shape(x - mean)[-1]
    inverse = _precision(_matrix(cov, d), allow_singular)
    matrix_dot = _matrix(cov_dot, d)
    pull = (x - mean) @ inverse
    of_cov = np.sum(pull @ matrix_dot * pull, axis=-1) - np.sum(inverse * matrix_dot)
    return np.squeeze(of_cov / 2 - np.sum((x_dot - mean_dot) * pull, axis=-1))


def _are_numbers(x: Any, mean: Any, cov: Any) -> bool:
    """Whether a vector is no point, but holds points of one entry each."""
    return np.ndim(x) == 1 and np.size(x) > 1 and (np.shape(cov) or np.shape(mean))[-1] == 1


_CUTOFF = 1e6 * float(np.finfo(float).eps)  # below which SciPy takes an eigenvalue to be zero


def _precision(cov: Any, allow_singular: bool) -> Any:
    """Return the inverse of a covariance, in its range if it may be singular."""
    if allow_singular:
        return np.linalg.pinv(cov, rcond=_CUTOFF, hermitian=True)
    return np.linalg.inv(cov)


def _matrix(cov: Any, d: int) -> Any:
    """Return a covariance as a matrix."""
    return cov if np.ndim(cov) == 2 else cov * np.eye(d)


def dirichlet_cotangents(log_bar: Any, x: Any, alpha: Any) -> tuple[Any, Any]:
    """Return the cotangents of what the logarithm of a Dirichlet density depends on.

    Args:
        log_bar: the cotangent of the logarithm.
        x: points along the first axis, perhaps without their last entry.
        alpha: the concentrations, a vector.
    """
    column = _column(alpha, x)
    point = _whole(x, alpha)
    each_bar = np.reshape(log_bar, x.shape[1:])  # SciPy drops axes of length 1
    point_bar = each_bar * (column - 1) / point
    n = x.shape[0]
    x_bar = point_bar if n == alpha.shape[0] else point_bar[:n] - point_bar[n:]
    level = special.psi(np.sum(alpha)) - special.psi(column)
    slopes = np.reshape(each_bar * (np.log(point) + level), (alpha.shape[0], -1))
    return x_bar, np.sum(slopes, axis=1)


def dirichlet_change(x: Any, alpha: Any, x_dot: Any, alpha_dot: Any) -> Any:
    """Return the tangent of the logarithm of a Dirichlet density."""
    column, column_dot = _column(alpha, x), _column(alpha_dot, x)
    point = _whole(x, alpha)
    point_dot = x_dot
    if x.shape[0] != alpha.shape[0]:
        point_dot = np.concatenate((x_dot, -np.sum(x_dot, axis=0, keepdims=True)))
    level = special.psi(np.sum(alpha)) - special.psi(column)
    slopes = point_dot * (column - 1) / point + column_dot * (np.log(point) + level)
    return np.squeeze(np.sum(slopes, axis=0))


def _column(alpha: Any, x: Any) -> Any:
    """Return concentrations along the first axis of points."""
    return np.expand_dims(alpha, tuple(range(1, np.ndim(x))))


def _whole(x: Any, alpha: Any) -> Any:
    """Return points with their last entries."""
    if x.shape[0] == alpha.shape[0]:
        return x
    return np.concatenate((x, 1 - np.sum(x, axis=0, keepdims=True)))
