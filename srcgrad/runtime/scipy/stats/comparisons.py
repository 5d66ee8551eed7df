"""Fits of lines, tests and distances of samples, by which SciPy's are differentiated.

The parameters have the names that SciPy gives them; other options than those are refused.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats


class Line(NamedTuple):
    """What ``scipy.stats.linregress`` gives, without the error of the intercept."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


class Tested(NamedTuple):
    """What a test of SciPy's gives."""

    statistic: Any
    pvalue: Any


def _two_sided(t: Any, df: Any) -> Any:
    return 2 * stats.t.sf(np.abs(t), df)


def linregress(x: Any, y: Any) -> Any:
    """Return the least-squares line of y over x."""
    x, y = np.asarray(x), np.asarray(y)
    dx, dy = x - np.mean(x), y - np.mean(y)
    xx, yy, xy = np.sum(dx * dx), np.sum(dy * dy), np.sum(dx * dy)
    slope, r = xy / xx, xy / np.sqrt(xx * yy)
    df = x.shape[0] - 2
    t = r * np.sqrt(df / ((1 - r) * (1 + r)))
    error = np.sqrt((1 - r**2) * yy / xx / df)
    return Line(slope, np.mean(y) - slope * np.mean(x), r, _two_sided(t, df), error)


def pearsonr(x: Any, y: Any) -> Any:
    """Return the correlation of two samples, and the probability of one as large by chance."""
    x, y = np.asarray(x), np.asarray(y)
    dx, dy = x - np.mean(x), y - np.mean(y)
    r = np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy))
    df = x.shape[0] - 2
    return Tested(r, _two_sided(r * np.sqrt(df / ((1 - r) * (1 + r))), df))


def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    """Return the entropy of a distribution, or how far it is from another one."""
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        found = np.sum(special.entr(p), axis=axis)
    else:
        found = np.sum(special.rel_entr(p, qk / np.sum(qk, axis=axis, keepdims=True)), axis=axis)
    return found if base is None else found / math.log(base)


def ttest_1samp(a: Any, popmean: Any, axis: Any = 0) -> Any:
    """Return how many standard errors the mean of a sample is above a number."""
    a = np.asarray(a)
    n = a.shape[axis]
    t = (np.mean(a, axis=axis) - popmean) / (np.std(a, axis=axis, ddof=1) / math.sqrt(n))
    return Tested(t, _two_sided(t, n - 1))


def ttest_rel(a: Any, b: Any, axis: Any = 0) -> Any:
    """Return the same of the differences of pairs."""
    return ttest_1samp(np.asarray(a) - np.asarray(b), 0.0, axis)


def ttest_ind(a: Any, b: Any, *, axis: Any = 0, equal_var: bool = True) -> Any:
    """Return how many standard errors the mean of a sample is above that of another one."""
    a, b = np.asarray(a), np.asarray(b)
    n, m = a.shape[axis], b.shape[axis]
    va, vb = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    if equal_var:
        df = n + m - 2
        square = ((n - 1) * va + (m - 1) * vb) / df * (1 / n + 1 / m)
    else:
        square = va / n + vb / m
        df = square**2 / ((va / n) ** 2 / (n - 1) + (vb / m) ** 2 / (m - 1))
    t = (np.mean(a, axis=axis) - np.mean(b, axis=axis)) / np.sqrt(square)
    return Tested(t, _two_sided(t, df))


def iqr(x: Any, axis: Any = None) -> Any:
    """Return the distance of the quartiles."""
    return np.percentile(x, 75, axis=axis) - np.percentile(x, 25, axis=axis)


def median_abs_deviation(x: Any, axis: Any = 0) -> Any:
    """Return the median distance from the median."""
    x = np.asarray(x)
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis)


def gstd(a: Any, axis: Any = 0, ddof: int = 1) -> Any:
    """Return the exponential of the standard deviation of logarithms."""
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


def circmean(samples: Any, high: Any = 2 * math.pi, low: Any = 0) -> Any:
    """Return the mean direction of angles."""
    turn = (high - low) / (2 * math.pi)
    angles = (np.asarray(samples) - low) / turn
    mean = np.arctan2(np.mean(np.sin(angles)), np.mean(np.cos(angles)))
    return np.where(mean < 0, mean + 2 * math.pi, mean)[()] * turn + low


def circvar(samples: Any, high: Any = 2 * math.pi, low: Any = 0) -> Any:
    """Return how far the mean of directions is from a circle."""
    angles = (np.asarray(samples) - low) * (2 * math.pi / (high - low))
    return 1 - np.hypot(np.mean(np.sin(angles)), np.mean(np.cos(angles)))


def circstd(samples: Any, high: Any = 2 * math.pi, low: Any = 0) -> Any:
    """Return the standard deviation of directions."""
    turn = (high - low) / (2 * math.pi)
    return np.sqrt(-2 * np.log1p(-circvar(samples, high, low))) * turn


def boxcox_llf(lmb: Any, data: Any) -> Any:
    """Return the profile likelihood of the exponent that makes a sample normal."""
    data = np.asarray(data)
    n = data.shape[0]
    spread = np.log(np.var(special.boxcox(data, lmb)))
    return (lmb - 1) * np.sum(np.log(data)) - n / 2 * spread


def wasserstein_distance(u_values: Any, v_values: Any) -> Any:
    """Return how far the numbers of a sample have to be moved to be those of another one."""
    u, v = np.sort(np.asarray(u_values)), np.sort(np.asarray(v_values))
    both = np.sort(np.concatenate((u, v)))
    below_u = np.searchsorted(u, both[:-1], side="right") / u.shape[0]
    below_v = np.searchsorted(v, both[:-1], side="right") / v.shape[0]
    return np.sum(np.abs(below_u - below_v) * np.diff(both))
