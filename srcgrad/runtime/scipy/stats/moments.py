"""Means and moments of samples, by which SciPy's are differentiated.

The parameters have the names that SciPy gives them. A sample with a nan in it has the result
nan, ``nan_policy="propagate"``; with the other policies samples with a nan in them have no
derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _require_propagation(nan_policy: str, *samples: Any) -> None:
    """Refuse to leave out what is nan; where nothing is, the policies do the same.

    Raises:
        ValueError: at a nan, as SciPy does with ``nan_policy="raise"``.
        NotImplementedError: at a nan that is to be left out.
    """
    if nan_policy == "propagate" or not any(np.any(np.isnan(sample)) for sample in samples):
        return
    if nan_policy == "raise":
        raise ValueError("The input contains nan values")
    raise NotImplementedError('of samples with nan only nan_policy="propagate" is differentiated')


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Return how many standard deviations the numbers of a sample are above its mean."""
    return zmap(a, a, axis, ddof, nan_policy)


def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Any:
    """Return how many standard deviations of a sample ``scores`` are above its mean."""
    if nan_policy != "propagate":
        _require_propagation(nan_policy, scores, compare)
    mean = np.mean(compare, axis=axis, keepdims=True)
    return (scores - mean) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


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
        _require_propagation(nan_policy, a)
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
        _require_propagation(nan_policy, a)
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
        _require_propagation(nan_policy, a)
    rest = a - np.mean(a, axis=axis, keepdims=True)
    square = np.mean(rest**2, axis=axis, keepdims=keepdims)
    found = np.mean(rest**3, axis=axis, keepdims=keepdims) / square**1.5
    if bias:
        return found
    n = np.size(a) if axis is None else np.shape(a)[axis]
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
        _require_propagation(nan_policy, a)
    rest = a - np.mean(a, axis=axis, keepdims=True)
    square = np.mean(rest**2, axis=axis, keepdims=keepdims)
    found = np.mean(rest**4, axis=axis, keepdims=keepdims) / square**2
    if not bias:
        n = np.size(a) if axis is None else np.shape(a)[axis]
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
        _require_propagation(nan_policy, a)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(n)


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
        _require_propagation(nan_policy, a)
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis, keepdims=keepdims)


def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> Any:
    """Return the standard deviation over the mean."""
    if nan_policy != "propagate":
        _require_propagation(nan_policy, a)
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / mean
