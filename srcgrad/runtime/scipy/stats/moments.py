"""Means and moments of samples, by which SciPy's are differentiated.

The parameters have the names that SciPy gives them. A sample with a nan in it has the result
nan, ``nan_policy="propagate"``, or that of its other numbers, ``nan_policy="omit"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _require_known(nan_policy: str, *samples: Any) -> None:
    """Refuse what is nan, as SciPy does.

    Raises:
        ValueError: at a nan, with ``nan_policy="raise"``.
    """
    if nan_policy == "raise" and any(np.any(np.isnan(sample)) for sample in samples):
        raise ValueError("The input contains nan values")


def _require_no_weights(nan_policy: str, sample: Any) -> None:
    """Refuse to leave out what is nan, and its weight.

    Raises:
        NotImplementedError: at a nan that is to be left out.
    """
    if nan_policy == "omit" and np.any(np.isnan(sample)):
        raise NotImplementedError('no derivative with weights and nan_policy="omit"')


def _mean(sample: Any, axis: Any, nan_policy: str, keepdims: bool = False) -> Any:
    if nan_policy == "omit":
        return np.nanmean(sample, axis=axis, keepdims=keepdims)
    return np.mean(sample, axis=axis, keepdims=keepdims)


def _deviation(sample: Any, axis: Any, ddof: int, nan_policy: str, keepdims: bool = False) -> Any:
    if nan_policy == "omit":
        return np.nanstd(sample, axis=axis, ddof=ddof, keepdims=keepdims)
    return np.std(sample, axis=axis, ddof=ddof, keepdims=keepdims)


def _count(sample: Any, axis: Any, nan_policy: str, keepdims: bool = False) -> Any:
    if nan_policy == "omit":
        return np.sum(~np.isnan(sample), axis=axis, keepdims=keepdims)
    return np.size(sample) if axis is None else np.shape(sample)[axis]


def _rest(sample: Any, middle: Any, nan_policy: str) -> Any:
    """What a sample is above a number; 0 where it is nan and left out, so that powers of it are."""
    if nan_policy == "omit":
        return np.where(np.isnan(sample), 0.0, sample - middle)
    return sample - middle


def _mean_power(
    rest: Any, sample: Any, order: Any, axis: Any, nan_policy: str, keepdims: bool
) -> Any:
    if nan_policy == "omit":
        count = _count(sample, axis, nan_policy, keepdims)
        return np.sum(rest**order, axis=axis, keepdims=keepdims) / count
    return np.mean(rest**order, axis=axis, keepdims=keepdims)


def _filled(sample: Any, nan_policy: str) -> Any:
    """A sample with ones where it is nan and left out."""
    return np.where(np.isnan(sample), 1.0, sample) if nan_policy == "omit" else sample


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Return how many standard deviations the numbers of a sample are above its mean."""
    return zmap(a, a, axis, ddof, nan_policy)


def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Any:
    """Return how many standard deviations of a sample ``scores`` are above its mean."""
    if nan_policy != "propagate":
        _require_known(nan_policy, scores, compare)
    mean = _mean(compare, axis, nan_policy, keepdims=True)
    return (scores - mean) / _deviation(compare, axis, ddof, nan_policy, keepdims=True)


def gmean(
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    weights: Any = None,
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Return the geometric mean of positive numbers."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    if weights is None:
        logs = np.sum(np.log(_filled(a, nan_policy)), axis=axis, keepdims=keepdims)
        return np.exp(logs / _count(a, axis, nan_policy, keepdims))
    _require_no_weights(nan_policy, a)
    return np.exp(np.average(np.log(a), axis=axis, weights=weights, keepdims=keepdims))


def hmean(
    a: Any,
    axis: Any = 0,
    dtype: Any = None,
    *,
    weights: Any = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> Any:
    """Return the harmonic mean of positive numbers."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    if weights is None:
        if nan_policy == "omit":
            shares = np.where(np.isnan(a), 0.0, 1.0 / _filled(a, nan_policy))
            count = _count(a, axis, nan_policy, keepdims)
            return count / np.sum(shares, axis=axis, keepdims=keepdims)
        return 1.0 / np.mean(1.0 / a, axis=axis, keepdims=keepdims)
    _require_no_weights(nan_policy, a)
    return 1.0 / np.average(1.0 / a, axis=axis, weights=weights, keepdims=keepdims)


def skew(
    a: Any,
    axis: Any = 0,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Any:
    """Return the third standardised moment; without ``bias``, that of G. Fisher, G_1."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    rest = _rest(a, _mean(a, axis, nan_policy, keepdims=True), nan_policy)
    square = _mean_power(rest, a, 2, axis, nan_policy, keepdims)
    found = _mean_power(rest, a, 3, axis, nan_policy, keepdims) / square**1.5
    if bias:
        return found
    n = _count(a, axis, nan_policy, keepdims)
    return found * (np.sqrt((n - 1.0) * n) / (n - 2.0))


def kurtosis(
    a: Any,
    axis: Any = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Any:
    """Return the fourth standardised moment, less 3 by ``fisher``; unbiased, k_4 / k_2**2."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    rest = _rest(a, _mean(a, axis, nan_policy, keepdims=True), nan_policy)
    square = _mean_power(rest, a, 2, axis, nan_policy, keepdims)
    found = _mean_power(rest, a, 4, axis, nan_policy, keepdims) / square**2
    if not bias:
        n = _count(a, axis, nan_policy, keepdims)
        more = (n**2 - 1.0) * found - 3.0 * (n - 1.0) ** 2
        found = 1.0 / (n - 2) / (n - 3) * more + 3.0
    return found - 3.0 if fisher else found


def sem(
    a: Any,
    axis: Any = 0,
    ddof: int = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> Any:
    """Return the standard error of the mean."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    n = _count(a, axis, nan_policy, keepdims)
    return _deviation(a, axis, ddof, nan_policy, keepdims) / np.sqrt(n)


def moment(
    a: Any,
    order: Any = 1,
    axis: Any = 0,
    nan_policy: str = "propagate",
    *,
    center: Any = None,
    keepdims: bool = False,
) -> Any:
    """Return a moment about the mean, or about ``center``."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    middle = _mean(a, axis, nan_policy, keepdims=True) if center is None else center
    return _mean_power(_rest(a, middle, nan_policy), a, order, axis, nan_policy, keepdims)


def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> Any:
    """Return the standard deviation over the mean."""
    if nan_policy != "propagate":
        _require_known(nan_policy, a)
    mean = _mean(a, axis, nan_policy, keepdims)
    return _deviation(a, axis, ddof, nan_policy, keepdims) / mean
