"""What the derivatives of SciPy's filters and integrals call at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast


def cut_off(shape1: Any, shape2: Any, mode: str, axes: Any = None) -> Any:
    """Return how much of a full convolution a mode leaves out, before and behind.

    Args:
        shape1: the shape of the first array.
        shape2: the shape of the second array.
        mode: "full", "same" or "valid".
        axes: the axes that are convolved; all of them if None. Along the others, one of
            the arrays may have the length 1.

    Returns:
        An array with a row of two numbers for each axis.
    """
    rank = len(shape1)
    along = range(rank) if axes is None else np.atleast_1d(axes) % rank
    found = []
    for axis, (m, n) in enumerate(zip(shape1, shape2, strict=True)):
        full = m + n - 1 if axis in along else max(m, n)
        if mode == "full" or (mode == "valid" and axis not in along):
            found.append((0, 0))
        elif mode == "same":
            found.append(((full - m) // 2, full - m - (full - m) // 2))
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
        x: where the values stand, a vector or an array with as many axes as they have.
        shape: the shape of the values, which may broadcast with that of the places.
        axis: the axis of the integral.

    Returns:
        An array of the shape of both; the sum along the axis of its product with the values
        is the integral.
    """
    from scipy import integrate

    shape = _shape_of_both(x, shape)
    weights = np.zeros(shape)
    rows = np.moveaxis(weights, axis, 0)
    for k in range(rows.shape[0]):
        unit = np.zeros(shape)
        np.moveaxis(unit, axis, 0)[k] = 1.0
        rows[k] = integrate.simpson(unit, x=x, axis=axis)
    return weights


def simpson_slopes(y: Any, x: Any, axis: int = -1) -> Any:
    """Return the slopes of SciPy's form of Simpson's rule in the places of the values.

    Args:
        y: the values.
        x: where they stand, a vector or an array with as many axes; no two in one place.
        axis: the axis of the integral.

    Returns:
        An array with the shape of both: how much of the integral of its row each place is.
    """
    y = np.broadcast_to(y, _shape_of_both(x, np.shape(y)))
    rows = np.moveaxis(y, axis, -1)
    steps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    count = rows.shape[-1]
    if count == 1:
        slopes = np.zeros_like(rows)[..., 1:]
    elif count == 2:
        slopes = (rows[..., :1] + rows[..., 1:]) / 2
    elif count % 2 == 1:
        slopes = _slopes_of_parabolas(rows, steps)
    else:
        of_pairs = _slopes_of_parabolas(rows[..., :-1], steps[..., :-1])
        last = _slopes_of_last(rows[..., -3:], steps[..., -2], steps[..., -1])
        before = np.zeros_like(rows)[..., 3:]
        slopes = np.concatenate((of_pairs, np.zeros_like(before[..., :1])), axis=-1)
        slopes = slopes + np.concatenate((before, last), axis=-1)
    none = np.zeros_like(rows)[..., :1]
    ends = np.concatenate((none, slopes), axis=-1) - np.concatenate((slopes, none), axis=-1)
    return np.moveaxis(ends, -1, axis)


def simpson_transpose(slopes: Any, x: Any, axis: int = -1) -> Any:
    """Return the cotangent of the places from slopes, one for each value and its place."""
    if np.ndim(x) == np.ndim(slopes):
        return unbroadcast(slopes, x)
    return np.sum(np.reshape(np.moveaxis(slopes, axis, -1), (-1, x.shape[0])), axis=0)


def simpson_change(y: Any, x: Any, x_dot: Any, axis: int = -1) -> Any:
    """Return the tangent of Simpson's rule from that of the places."""
    rows = np.moveaxis(simpson_slopes(y, x, axis), axis, -1)
    moved = x_dot if np.ndim(x) == 1 else np.moveaxis(x_dot, axis, -1)
    return np.sum(rows * moved, axis=-1)


def simpson_weights_change(x: Any, x_dot: Any, shape: tuple[int, ...], axis: int = -1) -> Any:
    """Return the tangent of ``simpson_weights_at`` from that of the places."""
    shape = _shape_of_both(x, shape)
    weights = np.zeros(shape)
    rows = np.moveaxis(weights, axis, 0)
    for k in range(rows.shape[0]):
        unit = np.zeros(shape)
        np.moveaxis(unit, axis, 0)[k] = 1.0
        rows[k] = simpson_change(unit, x, x_dot, axis)
    return weights


def _shape_of_both(x: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the values, broadcast with the places unless these are a vector."""
    return shape if np.ndim(x) == 1 else np.broadcast_shapes(np.shape(x), shape)


def _slopes_of_parabolas(y: Any, steps: Any) -> Any:
    """The slopes of the integrals of parabolas in the steps between an odd number of places."""
    h0, h1 = steps[..., ::2], steps[..., 1::2]
    y0, y1, y2 = y[..., :-2:2], y[..., 1::2], y[..., 2::2]
    both = h0 + h1
    level = (2 - h1 / h0) * y0 + both**2 / (h0 * h1) * y1 + (2 - h0 / h1) * y2
    middle = both / (h0 * h1) * y1
    of_h0 = level + both * (h1 / h0**2 * y0 + middle * (2 - both / h0) - y2 / h1)
    of_h1 = level + both * (h0 / h1**2 * y2 + middle * (2 - both / h1) - y0 / h0)
    pairs = np.stack((of_h0, of_h1), axis=-1) / 6
    return np.reshape(pairs, y[..., 1:].shape)


def _slopes_of_last(y: Any, h0: Any, h1: Any) -> Any:
    """The slopes of the integral of a parabola over its second interval, in both steps."""
    both = h0 + h1
    of_h0 = (
        h1**2 / both**2 * y[..., 2]
        - h1**2 / h0**2 * y[..., 1]
        + h1**3 * (2 * h0 + h1) / (h0 * both) ** 2 * y[..., 0]
    )
    of_h1 = (
        (2 * h1**2 + 4 * h0 * h1 + 3 * h0**2) / both**2 * y[..., 2]
        + (2 * h1 / h0 + 3) * y[..., 1]
        - h1**2 * (3 * h0 + 2 * h1) / (h0 * both**2) * y[..., 0]
    )
    return np.stack((of_h0, of_h1), axis=-1) / 6
