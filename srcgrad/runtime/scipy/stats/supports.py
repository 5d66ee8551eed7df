"""Where a distribution of SciPy's has a density, and what its functions are elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


def standard(x: Any, loc: Any, scale: Any) -> Any:
    """Return how many scales a place is above the location."""
    return (np.asarray(x) - loc) / scale


def held(y: Any, outside: Any, inner: Any) -> Any:
    """Return places, and some number within the support where they are outside of it."""
    return np.where(outside, inner, y)


def logarithm(outside: Any, found: Any, scale: Any) -> Any:
    """Return the logarithm of a density: what was found, less infinity outside of the support.

    Args:
        outside: where a place is outside; nowhere where it is nan.
        found: the logarithm for the scale 1.
        scale: the scale.
    """
    return (np.where(outside, -np.inf, found) - np.log(scale))[()]


def chance(below: Any, found: Any, bound: float) -> Any:
    """Return a probability: what was found, and ``bound`` below the support."""
    return np.where(below, bound, found)[()]


def slope_of_log1p(c: Any, y: Any) -> Any:
    """Return log(1 + c y) / c, which is y where c is 0, by its series near that.

    log(1 + t) = t - t**2 / 2 + t**3 / 3 - ...
    """
    t = c * y
    near = np.abs(t) < 1e-4
    divisor = np.where(near, 1.0, c)
    series = y * (1 - t / 2 + t**2 / 3 - t**3 / 4 + t**4 / 5)
    return np.where(near, series, np.log1p(np.where(near, 0.0, t)) / divisor)


def log_normal_mass(a: Any, b: Any) -> Any:
    """Return the logarithm of the probability of a normal variable between ``a`` and ``b``."""
    low, high = np.where(a > 0, -b, a), np.where(a > 0, -a, b)  # in the tail where it is exact
    low = np.where(np.isinf(low), -1e10, low)
    high = np.where(np.isinf(high), 1e10, high)
    most = special.log_ndtr(high)
    return most + np.log1p(-np.exp(special.log_ndtr(low) - most))


def log_of_rest(log_chance: Any) -> Any:
    """Return log(1 - p) of a probability p that is given by its logarithm."""
    most = log_chance > -0.5
    near = np.log(-np.expm1(np.where(most, log_chance, -0.5)))
    return np.where(most, near, np.log1p(-np.exp(np.where(most, -0.5, log_chance))))[()]
