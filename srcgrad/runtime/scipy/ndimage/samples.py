"""What the derivatives of images that are read between their entries call at run time.

``scipy.ndimage.map_coordinates`` makes an image of coefficients, from which it reads a
B-spline: M. Unser, A. Aldroubi, M. Eden, "B-spline signal processing", 1993. How it
extends the image beyond its edges is told here in the words of its source.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.runtime.scipy.ndimage.images import require_reals

_PADDING = 12  # how far SciPy extends an image before it filters it, in two modes
_SHORT = 32  # the length from which on the rounding of SciPy's filter hides its ends


def samples_beyond(
    image: Any,
    coordinates: Any,
    cval: Any,
    order: int = 3,
    mode: str = "constant",
    prefilter: bool = True,
) -> Any:
    """Return ``scipy.ndimage.map_coordinates`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.map_coordinates(
        image, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
    )


def sample_slopes(
    image: Any,
    coordinates: Any,
    cval: Any = 0.0,
    order: int = 3,
    mode: str = "constant",
    prefilter: bool = True,
    times: int = 1,
) -> Any:
    """Return derivatives of ``scipy.ndimage.map_coordinates`` in the coordinates.

    Where a derivative jumps, it is that on the right.

    Args:
        image: what is read.
        coordinates: where it is read, one row for each of its axes.
        cval: the value beyond the edges in the modes "constant" and "grid-constant".
        order: the degree of the spline.
        mode: how the image is extended.
        prefilter: whether the spline goes through the entries of the image.
        times: how often the samples are differentiated.

    Returns:
        One row for each row of the coordinates, for each of ``times`` leading axes; the
        other axes are those of the points. The dtype is that of the image.

    Raises:
        TypeError: where the image has whole numbers, and so has what is read.
    """
    image = require_reals(image)
    places, weights = _read(coordinates, image.shape, order, mode, prefilter, times)
    entries = np.append(_coefficients(image, order, mode, cval, prefilter), cval)
    return np.sum(weights * entries[places], axis=times).astype(image.dtype)


def samples_transpose(
    z_bar: Any,
    image: Any,
    coordinates: Any,
    order: int = 3,
    mode: str = "constant",
    prefilter: bool = True,
    times: int = 0,
) -> Any:
    """Return the transpose of samples, or of ``sample_slopes``, as functions of the image.

    Args:
        z_bar: what is read; before the axes of the points stand ``times`` others.
        image: what is read; only its shape matters.
        coordinates: where it is read, one row for each of its axes.
        order: the degree of the spline.
        mode: how the image is extended.
        prefilter: whether the spline goes through the entries of the image.
        times: how often the samples were differentiated.

    Returns:
        An array with the shape of the image, and the dtype of ``z_bar``.
    """
    shape, z_bar = np.shape(image), np.asarray(z_bar)
    places, weights = _read(coordinates, shape, order, mode, prefilter, times)
    terms = np.sum(np.expand_dims(z_bar, times) * weights, axis=tuple(range(times)))
    wide = tuple(n + 2 * _padding(order, mode, prefilter) for n in shape)
    entries_bar = np.bincount(places.ravel(), terms.ravel(), minlength=int(np.prod(wide)) + 1)
    image_bar = _coefficients_transpose(entries_bar[:-1].reshape(wide), order, mode, prefilter)
    return image_bar.astype(z_bar.dtype)


def _padding(order: int, mode: str, prefilter: bool) -> int:
    """How far the coefficients reach beyond the edges of the image."""
    return _PADDING if prefilter and order > 1 and mode in ("nearest", "grid-constant") else 0


def _coefficients(image: Any, order: int, mode: str, cval: float, prefilter: bool) -> Any:
    """The coefficients of the spline that is read."""
    from scipy import ndimage

    padding = _padding(order, mode, prefilter)
    if padding:
        given: Any = {"constant_values": cval} if mode == "grid-constant" else {}
        image = np.pad(image, padding, mode="edge" if mode == "nearest" else "constant", **given)
    if prefilter and order > 1:
        return ndimage.spline_filter(image, order, output=np.float64, mode=mode)
    return image.astype(np.float64)


def _coefficients_transpose(bar: Any, order: int, mode: str, prefilter: bool) -> Any:
    """The transpose of ``_coefficients``."""
    if prefilter and order > 1:
        for axis in range(bar.ndim):
            bar = _filter_transpose(bar, order, mode, axis)
    padding = _padding(order, mode, prefilter)
    for axis in range(bar.ndim if padding else 0):
        rows = np.moveaxis(bar, axis, 0)
        inner = rows[padding:-padding].copy()
        if mode == "nearest":
            inner[0] += np.sum(rows[:padding], axis=0)
            inner[-1] += np.sum(rows[-padding:], axis=0)
        bar = np.moveaxis(inner, 0, axis)
    return bar


def _filter_transpose(bar: Any, order: int, mode: str, axis: int) -> Any:
    """The transpose of ``scipy.ndimage.spline_filter1d``.

    The samples of a spline are its coefficients times a matrix, and the filter divides by
    it. The matrix is symmetric but for an image that is mirrored about its last entries,
    which count once. On short axes, SciPy's filter is a little off: it is asked itself.
    """
    from scipy import ndimage

    n = bar.shape[axis]
    if 1 < n < _SHORT:
        matrix = ndimage.spline_filter1d(np.eye(n), order, axis=0, mode=mode)
        return np.moveaxis(np.tensordot(matrix, bar, (0, axis)), 0, axis)
    scale = np.ones((n, *(1,) * (bar.ndim - 1 - axis)))
    if mode not in ("reflect", "grid-mirror", "nearest", "grid-wrap") and n > 1:
        scale[[0, -1]] = 0.5
    return ndimage.spline_filter1d(bar / scale, order, axis=axis, mode=mode) * scale


def _read(
    coordinates: Any, shape: tuple[int, ...], order: int, mode: str, prefilter: bool, times: int
) -> tuple[Any, Any]:
    """Which coefficients are read, and with which weights, or derivatives of these.

    The place behind the last coefficient stands for the value beyond the edges.
    """
    coordinates = np.asarray(coordinates, dtype=np.float64)
    padding = _padding(order, mode, prefilter)
    rank = len(shape)
    points = coordinates.shape[1:]
    columns, factors = [], []
    for row, n in zip(coordinates, shape, strict=True):
        first, part = _cell(row + padding, n + 2 * padding, mode, order)
        steps = [_extended(first + k, n + 2 * padding, mode) for k in range(order + 1)]
        columns.append(np.stack(steps))
        factors.append([_weights(part, order, m) for m in range(times + 1)])
    beyond = _beyond(coordinates, shape, mode)
    places = np.zeros((1, *points), dtype=np.int64)
    out = beyond[None]
    for column, n in zip(columns, shape, strict=True):
        out = (out[:, None] | (column < 0)[None]).reshape(-1, *points)
        places = (places[:, None] * (n + 2 * padding) + column[None]).reshape(-1, *points)
    places = np.where(out, int(np.prod([n + 2 * padding for n in shape])), places)
    weights = np.zeros((*(rank,) * times, *places.shape))
    for along in itertools.product(range(rank), repeat=times):
        product = np.ones((1, *points))
        for k in range(rank):
            product = (product[:, None] * factors[k][along.count(k)][None]).reshape(-1, *points)
        weights[along] = product
    if times:
        weights[..., beyond] = 0
    elif places.shape[0] > 1:  # all of the weights stand for the one value there
        weights[..., beyond] = np.eye(places.shape[0])[:, :1]
    return places, weights


def _weights(part: Any, order: int, times: int) -> Any:
    """The weights of the coefficients of a spline of some degree, or derivatives of them.

    C. de Boor, "A Practical Guide to Splines", 1978, chapters IX and X, for knots at
    distance 1: ``part`` is how far behind the last knot the points are.
    """
    if times > order:
        return np.zeros((order + 1, *np.shape(part)))
    weights = np.ones((1, *np.shape(part)))
    none = np.zeros_like(weights)
    for d in range(1, order - times + 1):
        before, here = np.concatenate((none, weights)), np.concatenate((weights, none))
        k = np.arange(d + 1).reshape(-1, *(1,) * np.ndim(part))
        weights = ((part + d - k) * before + (k + 1 - part) * here) / d
    for _ in range(times):
        weights = np.concatenate((none, weights)) - np.concatenate((weights, none))
    return weights


def _cell(x: Any, n: int, mode: str, order: int) -> tuple[Any, Any]:
    """The first coefficient that is read, and how far points are behind a knot."""
    if mode == "wrap":  # the last entry stands where the first one is again
        length = max(n - 1, 1)
        rounds = np.where(x < 0, -np.floor(-x / length) - 1, np.floor(x / length))
        x = np.where((x >= 0) & (x <= n - 1), x, x - length * rounds)
    half = 0.5 * (order % 2 == 0)
    low = np.floor(x + half)
    if order % 2 and mode in ("constant", "nearest", "wrap") and n > 1:
        low = np.where(x == n - 1, n - 2, low)  # the slope is that within the image
    return low.astype(np.int64) - order // 2, x + half - low


def _extended(index: Any, n: int, mode: str) -> Any:
    """The coefficients that stand for those beyond the edges; -1 for none of them."""
    if mode == "grid-constant":
        return np.where((index >= 0) & (index < n), index, -1)
    if mode in ("reflect", "grid-mirror"):
        index = index % (2 * n)
        return np.where(index < n, index, 2 * n - 1 - index)
    if mode == "grid-wrap":
        return index % n
    if mode == "nearest":
        return np.clip(index, 0, n - 1)
    index = index % max(2 * n - 2, 1)
    return np.where(index < n, index, 2 * n - 2 - index)


def _beyond(coordinates: Any, shape: tuple[int, ...], mode: str) -> Any:
    """Which points are outside of the image, in the mode "constant"."""
    beyond = np.zeros(np.shape(coordinates)[1:], dtype=bool)
    if mode == "constant":
        for row, n in zip(coordinates, shape, strict=True):
            beyond |= (row < 0) | (row > n - 1)
    return beyond
