"""Variances and deviations about means that are given: ``np.var`` and its kind with ``mean=``.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def variance_about(x: Any, mean: Any, **options: Any) -> Any:
    """Return ``np.var(x, mean=mean, **options)``.

    Args:
        x: an array.
        mean: what is taken for its means, in the shape of means with ``keepdims=True``.
        **options: axis, ddof, keepdims, where and correction, as ``np.var`` takes them.
    """
    return np.var(x, mean=mean, **options)


def deviation_about(x: Any, mean: Any, **options: Any) -> Any:
    """Return ``np.std(x, mean=mean, **options)``; the arguments are those of ``variance_about``."""
    return np.std(x, mean=mean, **options)


def nan_variance_about(x: Any, mean: Any, **options: Any) -> Any:
    """Return ``np.nanvar(x, mean=mean, **options)``, with the arguments of ``variance_about``."""
    return np.nanvar(x, mean=mean, **options)


def nan_deviation_about(x: Any, mean: Any, **options: Any) -> Any:
    """Return ``np.nanstd(x, mean=mean, **options)``, with the arguments of ``variance_about``."""
    return np.nanstd(x, mean=mean, **options)
