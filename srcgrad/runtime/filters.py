"""What the derivatives of SciPy's filters and integrals call at run time."""

from __future__ import annotations

from typing import Any

import numpy as np


def cut_off(shape1: Any, shape2: Any, mode: str) -> Any:
    """Return how much of a full convolution a mode leaves out, before and behind.

    Args:
        shape1: the shape of the first array.
        shape2: the shape of the second array.
        mode: "full", "same" or "valid".

    Returns:
        An array with a row of two numbers for each axis.
    """
    found = []
    for m, n in zip(shape1, shape2, strict=True):
        if mode == "full":
            found.append((0, 0))
        elif mode == "same":
            found.append(((n - 1) // 2, n - 1 - (n - 1) // 2))
        else:
            found.append((min(m, n) - 1, min(m, n) - 1))
    return np.array(found, dtype=int).reshape(-1, 2)


def lag_sums(y: Any, x: Any, count: int, axis: int = -1) -> Any:
    """Return the sums of ``y[n] * x[n - k]`` over n, along an axis, for k below a count."""
    rows, moved = np.moveaxis(y, axis, -1), np.moveaxis(x, axis, -1)
    length = rows.shape[-1]
    sums = [np.sum(rows[..., k:] * moved[..., : max(length - k, 0)]) for k in range(count)]
    return np.stack(sums)


def simpson_weights(n: int) -> Any:
    """Return the weights of n values at distance 1 in SciPy's form of Simpson's rule.

    For an even number of values, the last interval has the parabola through the last
    three: K. Cartwright, "Simpson's rule cumulative integration with MS Excel and
    irregularly-spaced data", 2017.
    """
    if n < 3:
        return np.array([[], [0.0], [0.5, 0.5]][n])
    odd = n - 1 + n % 2
    weights = np.zeros(n)
    weights[:odd] = 2 / 3
    weights[1:odd:2] = 4 / 3
    weights[0] = weights[odd - 1] = 1 / 3
    if n % 2 == 0:
        weights[-3:] += np.array([-1 / 12, 2 / 3, 5 / 12])
    return weights


def simpson_weights_at(x: Any, shape: tuple[int, ...], axis: int = -1) -> Any:
    """Return the weights of SciPy's form of Simpson's rule for values at x.

    Args:
        x: where the values stand, a vector or an array of their shape.
        shape: the shape of the values.
        axis: the axis of the integral.

    Returns:
        An array of that shape; the sum along the axis of its product with the values is
        the integral.
    """
    from scipy import integrate

    weights = np.zeros(shape)
    rows = np.moveaxis(weights, axis, 0)
    for k in range(rows.shape[0]):
        unit = np.zeros(shape)
        np.moveaxis(unit, axis, 0)[k] = 1.0
        rows[k] = integrate.simpson(unit, x=x, axis=axis)
    return weights
