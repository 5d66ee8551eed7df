"""What the derivatives of SciPy's filters of images call at run time."""

from __future__ import annotations

from typing import Any

import numpy as np


def convolve_beyond(
    image: Any, weights: Any, cval: Any, mode: str = "reflect", origin: Any = 0, axes: Any = None
) -> Any:
    """Return ``scipy.ndimage.convolve`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.convolve(image, weights, mode=mode, cval=cval, origin=origin, axes=axes)


def correlate_beyond(
    image: Any, weights: Any, cval: Any, mode: str = "reflect", origin: Any = 0, axes: Any = None
) -> Any:
    """Return ``scipy.ndimage.correlate`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.correlate(image, weights, mode=mode, cval=cval, origin=origin, axes=axes)


def convolve1d_beyond(
    image: Any, weights: Any, cval: Any, axis: int = -1, mode: str = "reflect", origin: int = 0
) -> Any:
    """Return ``scipy.ndimage.convolve1d`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.convolve1d(image, weights, axis=axis, mode=mode, cval=cval, origin=origin)


def correlate1d_beyond(
    image: Any, weights: Any, cval: Any, axis: int = -1, mode: str = "reflect", origin: int = 0
) -> Any:
    """Return ``scipy.ndimage.correlate1d`` with the value beyond the edges as an argument."""
    from scipy import ndimage

    return ndimage.correlate1d(image, weights, axis=axis, mode=mode, cval=cval, origin=origin)


def filter_transpose(
    z_bar: Any,
    weights: Any,
    mode: str = "reflect",
    origin: Any = 0,
    turned: bool = False,
    axes: Any = None,
) -> Any:
    """Return the transpose of ``scipy.ndimage.correlate`` in its input, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        weights: the weights of the filter, with as many axes as it goes along.
        mode: how the input is extended.
        origin: where the filter is placed; a number, or one for each of these axes.
        turned: whether the filter is ``scipy.ndimage.convolve``.
        axes: the axes along which the filter goes; all of them if None.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    from scipy import ndimage

    if not np.ndim(z_bar):
        return z_bar * weights
    weights, origin = _for_all_axes(weights, origin, axes, z_bar.ndim)
    weights, origins = _as_correlation(weights, origin, turned)
    margins = _margins(weights.shape, origins)
    given: dict[str, Any] = {"origin": origins}
    wide = ndimage.convolve(np.pad(z_bar, margins), weights, mode="constant", **given)
    for axis, (before, _) in enumerate(margins):
        wide = _fold(wide, axis, before, z_bar.shape[axis], mode)
    return wide


def filter_slopes(
    x: Any,
    z_bar: Any,
    weights: Any,
    cval: Any = 0.0,
    mode: str = "reflect",
    origin: Any = 0,
    turned: bool = False,
    axes: Any = None,
) -> Any:
    """Return the cotangent of the weights of ``scipy.ndimage.correlate``.

    Args:
        x: the input.
        z_bar: the cotangent of the result, with the shape of ``x``.
        weights: the weights; only their shape matters.
        cval: the value beyond the edges in the mode "constant".
        mode: how the input is extended.
        origin: where the filter is placed; a number, or one for each of these axes.
        turned: whether the filter is ``scipy.ndimage.convolve``.
        axes: the axes along which the filter goes; all of them if None.

    Returns:
        An array with the shape of the weights.

    Raises:
        TypeError: where the input has whole numbers, and so has what is filtered.
    """
    x, shape = require_reals(x), np.shape(weights)
    if not np.ndim(x):
        return x * z_bar
    weights, origin = _for_all_axes(weights, origin, axes, x.ndim)
    weights, origins = _as_correlation(weights, origin, turned)
    given = {"constant_values": cval} if _pad_mode(mode) == "constant" else {}
    wide = np.pad(x, _margins(weights.shape, origins), mode=_pad_mode(mode), **given)
    windows = np.lib.stride_tricks.sliding_window_view(wide, z_bar.shape)
    axes = list(range(2 * x.ndim))
    slopes = np.einsum(windows, axes, z_bar, axes[x.ndim :], axes[: x.ndim])
    return (np.flip(slopes) if turned else slopes).reshape(shape)


def require_reals(x: Any) -> Any:
    """Return an image of real numbers.

    Raises:
        TypeError: where it has whole numbers: SciPy rounds what it makes of them.
    """
    if np.result_type(x).kind not in "fc":
        raise TypeError(
            "SciPy rounds what it makes of an image of whole numbers, so that it has no "
            "derivative; call it with image.astype(float)"
        )
    return x


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
    along = axes_of(axes, z_bar.ndim)
    for axis, count, edge, place in zip(
        along, *(one_for_each(v, along) for v in (size, mode, origin)), strict=True
    ):
        if count > 1:
            z_bar = transpose_along(z_bar, np.full(int(count), 1 / int(count)), axis, edge, place)
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
    for k, edge in enumerate(one_for_each(mode, range(z_bar.ndim))):
        weights = [-1.0, 0.0, 1.0] if k == axis % z_bar.ndim else [1.0, float(middle), 1.0]
        z_bar = transpose_along(z_bar, np.array(weights), k, edge)
    return z_bar


def laplace_transpose(z_bar: Any, mode: Any = "reflect") -> Any:
    """Return the transpose of ``scipy.ndimage.laplace``, applied to an array.

    Args:
        z_bar: an array with the shape of the input.
        mode: how the input is extended; a word, or one for each axis.

    Returns:
        An array with the shape and dtype of ``z_bar``.
    """
    modes = enumerate(one_for_each(mode, range(z_bar.ndim)))
    weights = np.array([1.0, -2.0, 1.0])
    return sum(transpose_along(z_bar, weights, k, edge) for k, edge in modes)


def transpose_along(z_bar: Any, weights: Any, axis: int, mode: str, origin: int = 0) -> Any:
    """Return the transpose of ``scipy.ndimage.correlate1d`` along one axis."""
    shape = [-1 if k == axis % z_bar.ndim else 1 for k in range(z_bar.ndim)]
    origins = [origin if k == -1 else 0 for k in shape]
    return filter_transpose(z_bar, np.reshape(weights, shape), mode, origins)


def axes_of(axes: Any, rank: int) -> tuple[int, ...]:
    """Return the axes along which a filter goes; None stands for all of them."""
    if axes is None:
        return tuple(range(rank))
    return tuple(a % rank for a in ((axes,) if isinstance(axes, int) else axes))


def one_for_each(value: Any, axes: Any) -> list[Any]:
    """Return one value for each axis."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * len(axes)
    return list(value)


def _for_all_axes(weights: Any, origin: Any, axes: Any, rank: int) -> tuple[Any, Any]:
    """Return weights and origins of a filter that goes along some axes, for all of them."""
    along = axes_of(axes, rank)
    if len(along) == rank:
        return weights, origin
    origins = dict(zip(along, one_for_each(origin, along), strict=True))
    wide = np.expand_dims(weights, tuple(k for k in range(rank) if k not in along))
    return wide, [origins.get(k, 0) for k in range(rank)]


def _as_correlation(weights: Any, origin: Any, turned: bool) -> tuple[Any, tuple[int, ...]]:
    """Return weights and origins of the correlation that a filter is."""
    weights = np.asarray(weights)
    origins = one_for_each(origin, weights.shape)
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
