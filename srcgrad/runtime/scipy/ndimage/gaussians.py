"""What the derivatives of SciPy's Gaussian filters call at run time.

The filter goes along one axis after another. Its weights are a bell of some width,
divided by their sum, or a derivative of that: a polynomial times it. Their derivatives
in the width are found as coefficients of power series.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from srcgrad.runtime.scipy.ndimage.images import (
    axes_of,
    one_for_each,
    require_reals,
    transpose_along,
)

_NARROW = 1e-15  # the width up to which SciPy filters nothing


def gaussian_beyond(
    image: Any,
    sigma: Any,
    cval: Any,
    order: Any = 0,
    mode: Any = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """Return ``scipy.ndimage.gaussian_filter`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.gaussian_filter(
        image, sigma, order=order, mode=mode, cval=cval, truncate=truncate, radius=radius, axes=axes
    )


def gaussian1d_beyond(
    image: Any,
    sigma: Any,
    cval: Any,
    axis: int = -1,
    order: int = 0,
    mode: str = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
) -> Any:
    """Return ``scipy.ndimage.gaussian_filter1d`` with the value beyond the edges as an argument."""
    return gaussian_beyond(image, sigma, cval, order, mode, truncate, radius, (axis,))


def gaussian_slopes(
    image: Any,
    sigma: Any,
    cval: Any = 0.0,
    order: Any = 0,
    mode: Any = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
    axes: Any = None,
    times: int = 1,
) -> Any:
    """Return derivatives of ``scipy.ndimage.gaussian_filter`` in the width.

    How far the bell reaches counts as constant.

    Args:
        image: what is filtered.
        sigma: the width; a number, or one for each axis.
        cval: the value beyond the edges in the mode "constant".
        order: how often the bell is differentiated; a number, or one for each axis.
        mode: how the image is extended; a word, or one for each axis.
        truncate: how many widths the bell reaches.
        radius: how far it reaches instead; a number, or one for each axis.
        axes: the axes along which the filter goes; all of them if None.
        times: how often the filter is differentiated in the widths.

    Returns:
        An array like the image, behind ``times`` axes along which the axes of the filter
        are counted.
    """
    from scipy import ndimage

    image = require_reals(image)
    rows = _rows(image.ndim, sigma, order, mode, truncate, radius, axes)
    out = np.zeros_like(image, shape=(*(len(rows),) * times, *image.shape))
    for along in itertools.product(range(len(rows)), repeat=times):
        z, edge = image, cval
        for k, (axis, width, degree, extended, reach) in enumerate(rows):
            weights = _weights(width, degree, reach, along.count(k))
            z = ndimage.correlate1d(z, weights, axis=axis, mode=extended, cval=edge)
            edge = 0.0 if k in along else edge  # beyond the edges, a slope is 0
        out[along] = z
    return out


def gaussian_transpose(
    z_bar: Any,
    sigma: Any,
    order: Any = 0,
    mode: Any = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
    axes: Any = None,
    times: int = 0,
) -> Any:
    """Return the transpose of ``scipy.ndimage.gaussian_filter``, or of ``gaussian_slopes``.

    Args:
        z_bar: an array with the shape of the result, or with 1 for the number of axes.
        sigma: the width; a number, or one for each axis.
        order: how often the bell is differentiated; a number, or one for each axis.
        mode: how the image is extended; a word, or one for each axis.
        truncate: how many widths the bell reaches.
        radius: how far it reaches instead; a number, or one for each axis.
        axes: the axes along which the filter goes; all of them if None.
        times: how often the filter was differentiated in the widths.

    Returns:
        An array with the shape of the image and the dtype of ``z_bar``.
    """
    z_bar = np.asarray(z_bar)
    shape = z_bar.shape[times:]
    rows = _rows(len(shape), sigma, order, mode, truncate, radius, axes)
    z_bar = np.broadcast_to(z_bar, (*(len(rows),) * times, *shape))
    total = np.zeros_like(z_bar, shape=shape)
    for along in itertools.product(range(len(rows)), repeat=times):
        bar = z_bar[along]
        for k, (axis, width, degree, extended, reach) in enumerate(rows):
            weights = _weights(width, degree, reach, along.count(k))
            bar = transpose_along(bar, weights, axis, extended)
        total += bar
    return total


def _rows(
    rank: int, sigma: Any, order: Any, mode: Any, truncate: float, radius: Any, axes: Any
) -> list[tuple[Any, ...]]:
    """For each axis of the filter: it, width, order, mode and how far the bell reaches."""
    along = axes_of(axes, rank)
    widths, orders, modes, radii = (
        one_for_each(value, along) for value in (sigma, order, mode, radius)
    )
    reaches = [
        int(truncate * float(width) + 0.5) if reach is None else int(reach)
        for width, reach in zip(widths, radii, strict=True)
    ]
    return list(zip(along, widths, orders, modes, reaches, strict=True))


def _weights(width: Any, order: int, reach: int, times: int) -> Any:
    """The weights that SciPy filters with along an axis, or derivatives of them in the width.

    Row number n of an array below is the coefficient of the power n of a change of width.
    """
    if width <= _NARROW:
        return np.ones(1) if times == 0 else np.zeros(1)
    x, width, powers = np.arange(-reach, reach + 1), float(width), range(times + 1)
    inverse = np.array([(-1) ** n * (n + 1) / width ** (n + 2) for n in powers])  # 1 / width**2
    exponent = -0.5 * inverse[:, None] * x**2
    bell = [np.exp(exponent[0])]
    for n in range(1, times + 1):
        bell.append(sum(j * exponent[j] * bell[n - j] for j in range(1, n + 1)) / n)
    sums, scaled = [np.sum(term) for term in bell], []
    for n in powers:
        before = sum(sums[j] * scaled[n - j] for j in range(1, n + 1))
        scaled.append((bell[n] - before) / sums[0])
    polynomial = np.zeros((times + 1, order + 1))  # a column for each power of x
    polynomial[0, 0] = 1.0
    for _ in range(order):
        slope = np.zeros_like(polynomial)
        slope[:, :-1] = polynomial[:, 1:] * np.arange(1, order + 1)
        slope[:, 1:] -= _product(inverse[:, None], polynomial[:, :-1])
        polynomial = slope
    factor = polynomial @ x.astype(float) ** np.arange(order + 1)[:, None]
    weights = math.factorial(times) * _product(factor, np.stack(scaled))[times]
    return weights[::-1].copy()


def _product(a: Any, b: Any) -> Any:
    """The product of two power series, up to the power that both have."""
    rows = [sum(a[j] * b[n - j] for j in range(n + 1)) for n in range(len(a))]
    return np.stack(rows)
