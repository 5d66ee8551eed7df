"""What the derivatives of SciPy's filters of images call at run time."""

from __future__ import annotations

from typing import Any

import numpy as np


def filter_transpose(
    z_bar: Any, weights: Any, mode: str = "reflect", origin: Any = 0, turned: bool = False
) -> Any:
    """Return the transpose of ``scipy.ndimage.correlate`` in its input, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        weights: the weights of the filter, with as many axes.
        mode: how the input is extended.
        origin: where the filter is placed; a number, or one for each axis.
        turned: whether the filter is ``scipy.ndimage.convolve``.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    from scipy import ndimage

    weights, origins = _as_correlation(weights, origin, turned)
    margins = _margins(weights.shape, origins)
    wide = ndimage.convolve(np.pad(z_bar, margins), weights, mode="constant", origin=origins)
    for axis, (before, _) in enumerate(margins):
        wide = _fold(wide, axis, before, z_bar.shape[axis], mode)
    return wide


def filter_slopes(
    x: Any,
    z_bar: Any,
    weights: Any,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: Any = 0,
    turned: bool = False,
) -> Any:
    """Return the cotangent of the weights of ``scipy.ndimage.correlate``.

    Args:
        x: the input.
        z_bar: the cotangent of the result, with the shape of ``x``.
        weights: the weights; only their shape matters.
        mode: how the input is extended.
        cval: the value beyond the edges in the mode "constant".
        origin: where the filter is placed; a number, or one for each axis.
        turned: whether the filter is ``scipy.ndimage.convolve``.

    Returns:
        An array with the shape of the weights.
    """
    weights, origins = _as_correlation(weights, origin, turned)
    given = {"constant_values": cval} if _pad_mode(mode) == "constant" else {}
    wide = np.pad(x, _margins(weights.shape, origins), mode=_pad_mode(mode), **given)
    windows = np.lib.stride_tricks.sliding_window_view(wide, z_bar.shape)
    axes = list(range(2 * x.ndim))
    slopes = np.einsum(windows, axes, z_bar, axes[x.ndim :], axes[: x.ndim])
    return np.flip(slopes) if turned else slopes


def gaussian_transpose(
    z_bar: Any,
    sigma: Any,
    order: Any = 0,
    mode: Any = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """Return the transpose of ``scipy.ndimage.gaussian_filter``, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        sigma: the standard deviation; a number, or one for each axis.
        order: how often the bell is differentiated; a number, or one for each axis.
        mode: how the input is extended; a word, or one for each axis.
        truncate: how many standard deviations the bell reaches.
        radius: how far it reaches instead; a number, or one for each axis.
        axes: the axes along which the filter goes; all of them if None.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    from scipy import ndimage

    along = _axes(axes, z_bar.ndim)
    rows = zip(along, *(_each(v, along) for v in (sigma, order, mode, radius)), strict=True)
    for axis, width, times, edge, reach in rows:
        if width > 1e-15:
            half = int(truncate * float(width) + 0.5) if reach is None else reach
            unit = np.zeros(2 * half + 1)
            unit[half] = 1
            kernel = ndimage.gaussian_filter1d(
                unit, width, order=times, mode="constant", truncate=truncate, radius=half
            )
            z_bar = _transpose_along(z_bar, np.flip(kernel), axis, edge)
    return z_bar


def uniform_transpose(
    z_bar: Any, size: Any = 3, mode: Any = "reflect", origin: Any = 0, axes: Any = None
) -> Any:
    """Return the transpose of ``scipy.ndimage.uniform_filter``, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        size: how many entries are averaged; a number, or one for each axis.
        mode: how the input is extended; a word, or one for each axis.
        origin: where the filter is placed; a number, or one for each axis.
        axes: the axes along which the filter goes; all of them if None.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    along = _axes(axes, z_bar.ndim)
    for axis, count, edge, place in zip(
        along, *(_each(v, along) for v in (size, mode, origin)), strict=True
    ):
        if count > 1:
            z_bar = _transpose_along(z_bar, np.full(int(count), 1 / int(count)), axis, edge, place)
    return z_bar


def edges_transpose(z_bar: Any, axis: int = -1, mode: Any = "reflect", middle: int = 2) -> Any:
    """Return the transpose of ``scipy.ndimage.sobel`` or ``prewitt``, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        axis: the axis of the differences.
        mode: how the input is extended; a word, or one for each axis.
        middle: the weight of the middle along the other axes: 2 for ``sobel``, else 1.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    for k, edge in enumerate(_each(mode, range(z_bar.ndim))):
        weights = [-1.0, 0.0, 1.0] if k == axis % z_bar.ndim else [1.0, float(middle), 1.0]
        z_bar = _transpose_along(z_bar, np.array(weights), k, edge)
    return z_bar


def laplace_transpose(z_bar: Any, mode: Any = "reflect") -> Any:
    """Return the transpose of ``scipy.ndimage.laplace``, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        mode: how the input is extended; a word, or one for each axis.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    modes = enumerate(_each(mode, range(z_bar.ndim)))
    weights = np.array([1.0, -2.0, 1.0])
    return sum(_transpose_along(z_bar, weights, k, edge) for k, edge in modes)


def _transpose_along(z_bar: Any, weights: Any, axis: int, mode: str, origin: int = 0) -> Any:
    """Return the transpose of ``scipy.ndimage.correlate1d`` along one axis."""
    shape = [-1 if k == axis % z_bar.ndim else 1 for k in range(z_bar.ndim)]
    origins = [origin if k == -1 else 0 for k in shape]
    return filter_transpose(z_bar, np.reshape(weights, shape), mode, origins)


def _axes(axes: Any, rank: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(rank))
    return tuple(a % rank for a in ((axes,) if isinstance(axes, int) else axes))


def _each(value: Any, axes: Any) -> list[Any]:
    """Return one value for each axis."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * len(axes)
    return list(value)


def _as_correlation(weights: Any, origin: Any, turned: bool) -> tuple[Any, tuple[int, ...]]:
    """Return weights and origins of the correlation that a filter is."""
    weights = np.asarray(weights)
    origins = _each(origin, weights.shape)
    if not turned:
        return weights, tuple(origins)
    pairs = zip(origins, weights.shape, strict=True)
    return np.flip(weights), tuple(-o - (n % 2 == 0) for o, n in pairs)


def _margins(shape: Any, origins: Any) -> list[tuple[int, int]]:
    """Return how far a filter reaches beyond both edges, along each axis."""
    befores = [n // 2 + o for n, o in zip(shape, origins, strict=True)]
    return [(before, n - 1 - before) for n, before in zip(shape, befores, strict=True)]


def _pad_mode(mode: str) -> Any:
    """Return what ``np.pad`` calls a mode of extending an array beyond its edges."""
    words = {"mirror": "reflect", "reflect": "symmetric", "nearest": "edge"}
    word = mode.removeprefix("grid-")
    return "symmetric" if mode == "grid-mirror" else words.get(word, word)


def _fold(wide: Any, axis: int, before: int, length: int, mode: str) -> Any:
    """Return the sums of the entries that each entry was extended to, along an axis."""
    rows = np.moveaxis(wide, axis, 0)
    out = rows[before : before + length].copy()
    if _pad_mode(mode) != "constant":
        after = rows.shape[0] - before - length
        sources = np.pad(np.arange(length), (before, after), mode=_pad_mode(mode))
        for k in (*range(before), *range(before + length, rows.shape[0])):
            out[sources[k]] += rows[k]
    return np.moveaxis(out, 0, axis)
