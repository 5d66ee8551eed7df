"""Densities that SciPy estimates by kernels, in Python, by which they are differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


def kernel_density(self: Any, points: Any) -> Any:
    """Return what ``gaussian_kde.evaluate`` gives: a sum of normal densities around the data.

    Args:
        self: the estimate, of ``n`` data in ``d`` dimensions.
        points: where it is evaluated, of the shape ``(d, m)``.
    """
    return np.sum(np.exp(_log_terms(self, points)), axis=0)


def kernel_pdf(self: Any, x: Any) -> Any:
    """Return what ``gaussian_kde.pdf`` gives.

    Args:
        self: see ``kernel_density``.
        x: where it is evaluated, of the shape ``(d, m)``.
    """
    return kernel_density(self, x)


def kernel_log_density(self: Any, x: Any) -> Any:
    """Return what ``gaussian_kde.logpdf`` gives.

    Args:
        self: see ``kernel_density``.
        x: where it is evaluated, of the shape ``(d, m)``.
    """
    return special.logsumexp(_log_terms(self, x), axis=0)


def _log_terms(self: Any, points: Any) -> Any:
    points = np.atleast_2d(np.asarray(points))
    if np.shape(points)[0] != self.d:
        if np.shape(points) != (1, self.d):
            raise ValueError(
                f"points have dimension {np.shape(points)[0]}, dataset has dimension {self.d}"
            )
        points = np.reshape(points, (self.d, 1))
    factor = np.linalg.cholesky(self.covariance)
    apart = self.dataset[:, :, None] - points[:, None, :]
    white = np.linalg.solve(factor, np.reshape(apart, (self.d, -1)))
    distances = np.reshape(np.sum(white**2, axis=0), np.shape(apart)[1:])
    width = self.d * np.log(2 * np.pi) / 2 + np.sum(np.log(np.diag(factor)))
    return np.log(self.weights)[:, None] - distances / 2 - width
