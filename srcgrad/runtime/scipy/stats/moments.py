"""Means and moments of samples, by which SciPy's are differentiated.

The parameters have the names that SciPy gives them. A sample with a nan in it has the result
nan, ``nan_policy="propagate"``; the other policies are for samples without derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _require_propagation(nan_policy: str) -> None:
    """Refuse to leave out what is nan."""
    if nan_policy != "propagate":
        raise NotImplementedError('only nan_policy="propagate" is differentiated')


def zscore(a: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate") -> Any:
    """Return how many standard deviations the numbers of a sample are above its mean."""
    return zmap(a, a, axis, ddof, nan_policy)


def zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: int = 0, nan_policy: str = "propagate"
) -> Any:
    """Return how many standard deviations of a sample ``scores`` are above its mean."""
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
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
    _require_propagation(nan_policy)
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis, keepdims=keepdims)


def variation(
    a: Any, axis: Any = 0, nan_policy: str = "propagate", ddof: int = 0, *, keepdims: bool = False
) -> Any:
    """Return the standard deviation over the mean."""
    _require_propagation(nan_policy)
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / mean
