"""Distances between points by the metrics of SciPy, which are differentiated through these.

Those of Euclid have formulas: they need no array of all differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# Points, variances and inverse covariances have the names that SciPy gives them
# ruff: noqa: N803, N806

METRICS = (
    "cityblock",
    "chebyshev",
    "minkowski",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
    "seuclidean",
    "mahalanobis",
)


def distance_along_last(
    u: Any, v: Any, metric: str, p: Any = 2.0, w: Any = None, V: Any = None, VI: Any = None
) -> Any:
    """Return the distances between points, whose coordinates are along the last axis.

    Args:
        u: points.
        v: points, of a shape that broadcasts with theirs.
        metric: one of ``METRICS``.
        p: the exponent of "minkowski".
        w: weights of the coordinates; None for 1.
        V: the variances of the coordinates, for "seuclidean".
        VI: the inverse of their covariance, for "mahalanobis".

    Example:
        >>> distance_along_last(np.array([1.0, 2.0]), np.array([3.0, 2.5]), "cityblock")
        np.float64(2.5)
    """
    if metric == "correlation":
        u = u - np.average(u, axis=-1, weights=w)[..., None]
        v = v - np.average(v, axis=-1, weights=w)[..., None]
    if metric in ("cosine", "correlation"):
        weights = 1.0 if w is None else w
        product = np.sum(weights * u * v, axis=-1)
        squares = np.sum(weights * u * u, axis=-1) * np.sum(weights * v * v, axis=-1)
        return 1.0 - product / np.sqrt(squares)
    d = u - v
    if metric == "seuclidean":
        return np.linalg.norm(d / np.sqrt(V), axis=-1)
    if metric == "mahalanobis":
        square = np.sum((d @ VI) * d, axis=-1)
        apart = square != 0  # the slope at equal points is 0, as that of a norm
        return np.where(apart, np.sqrt(np.where(apart, square, 1.0)), 0.0)
    if metric == "minkowski":
        scaled = d if w is None else d * w ** (1 / p)
        return np.linalg.norm(scaled, ord=p, axis=-1)
    size = np.abs(d) if w is None else w * np.abs(d)
    if metric == "cityblock":
        return np.sum(size, axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(d) if w is None else np.where(w > 0, np.abs(d), 0.0), axis=-1)
    if metric == "canberra":
        both = np.abs(u) + np.abs(v)
        return np.sum(size / np.where(both == 0, 1.0, both), axis=-1)
    both = np.abs(u + v) if w is None else w * np.abs(u + v)
    return np.sum(size, axis=-1) / np.sum(both, axis=-1)


def cdist(
    XA: Any,
    XB: Any,
    metric: str = "cityblock",
    *,
    p: Any = 2.0,
    w: Any = None,
    V: Any = None,
    VI: Any = None,
) -> Any:
    """Return ``scipy.spatial.distance.cdist(XA, XB, metric)`` for one of ``METRICS``."""
    if metric == "seuclidean" and V is None:
        V = np.var(np.concatenate((XA, XB)), axis=0, ddof=1)
    if metric == "mahalanobis" and VI is None:
        VI = np.linalg.inv(np.cov(np.concatenate((XA, XB)).T)).T
    return distance_along_last(XA[:, None, :], XB[None, :, :], metric, p, w, V, VI)


def pdist(
    X: Any,
    metric: str = "cityblock",
    *,
    p: Any = 2.0,
    w: Any = None,
    V: Any = None,
    VI: Any = None,
) -> Any:
    """Return ``scipy.spatial.distance.pdist(X, metric)`` for one of ``METRICS``."""
    if metric == "seuclidean" and V is None:
        V = np.var(X, axis=0, ddof=1)
    if metric == "mahalanobis" and VI is None:
        VI = np.linalg.inv(np.cov(X.T)).T
    first, second = np.triu_indices(X.shape[0], 1)
    return distance_along_last(X[first], X[second], metric, p, w, V, VI)
