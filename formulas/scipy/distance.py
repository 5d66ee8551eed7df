"""Derivatives of the distances between points, by ``scipy.spatial.distance``."""

from __future__ import annotations

import numpy as np
from scipy.spatial import distance

from srcgrad.registry import formula, in_python, static
from srcgrad.runtime.scipy import distances


@static
def is_squared(metric):
    """Tell whether a metric is that of Euclid, squared, and refuse other metrics."""
    if metric not in ("euclidean", "sqeuclidean"):
        raise NotImplementedError(f"no formula for the metric {metric!r}")
    return metric == "sqeuclidean"


@formula(distance.cdist)
def cdist(XA, XB, *, metric="euclidean"):
    """z = distances between each two points of two sets; slope 0 between equal ones."""
    z = distance.cdist(XA, XB, metric=metric)

    def backward(z_bar):
        if is_squared(metric):
            weight = 2 * z_bar
        else:
            weight = z_bar / np.where(z == 0, np.inf, z)
        XA_bar = np.sum(weight, axis=1)[:, None] * XA - weight @ XB
        XB_bar = np.sum(weight, axis=0)[:, None] * XB - weight.T @ XA
        return XA_bar, XB_bar

    return z, backward


@formula(distance.pdist)
def pdist(X, *, metric="euclidean"):
    """z = distances between each two of some points; slope 0 between equal ones."""
    z = distance.pdist(X, metric=metric)

    def backward(z_bar):
        if is_squared(metric):
            weight = distance.squareform(2 * z_bar)
        else:
            weight = distance.squareform(z_bar / np.where(z == 0, np.inf, z))
        return np.sum(weight, axis=1)[:, None] * X - weight @ X

    def tangent(X_dot):
        first, second = np.triu_indices(X.shape[0], 1)
        along = np.sum((X[first] - X[second]) * (X_dot[first] - X_dot[second]), axis=-1)
        if is_squared(metric):
            z_dot = 2 * along
        else:
            z_dot = along / np.where(z == 0, np.inf, z)
        return z_dot

    return z, backward, tangent


@formula(distance.squareform, linear="X")
def squareform(X, *, force="no", checks=True):
    """z = a symmetric matrix with zeros on its diagonal as a vector, or the other way.

    A matrix gets a symmetric cotangent.
    """
    z = distance.squareform(X, force=force, checks=checks)

    def backward(z_bar):
        if X.ndim == 1:
            X_bar = distance.squareform(z_bar + z_bar.T, checks=False)
        else:
            X_bar = distance.squareform(z_bar) / 2
        return X_bar

    def tangent(X_dot):
        return distance.squareform(X_dot, checks=False)

    return z, backward, tangent


in_python(distance.cdist, distances.cdist, "metric", distances.METRICS)
in_python(distance.pdist, distances.pdist, "metric", distances.METRICS)
