"""NumPy's functions of sets, written down in others."""

from __future__ import annotations

from typing import Any

import numpy as np


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return ``np.union1d(ar1, ar2)``."""
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return ``np.setdiff1d(ar1, ar2, assume_unique)``."""
    own = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return own[np.isin(own, ar2, invert=True)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return ``np.setxor1d(ar1, ar2, assume_unique)``."""
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    only_first = first[np.isin(first, second, invert=True)]
    only_second = second[np.isin(second, first, invert=True)]
    return np.sort(np.concatenate((only_first, only_second)))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False):
    """Return ``np.intersect1d(ar1, ar2, assume_unique)``; what is equal counts half each.

    Raises:
        NotImplementedError: with ``return_indices``.
    """
    if return_indices:
        raise NotImplementedError("no derivative of np.intersect1d with return_indices=True")
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    of_first = np.sort(first[np.isin(first, second)])
    of_second = np.sort(second[np.isin(second, first)])
    return of_first / 2 + of_second / 2
