"""Transposes of linear functions of NumPy that NumPy itself does not have.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime import places_in


def einsum_transpose(z_bar: Any, x: Any, subscripts: str) -> Any:
    """Return zeros like ``x``, with ``z_bar`` where an Einstein sum reads ``x``.

    This is the transpose of ``np.einsum(subscripts, x)``.

    Args:
        z_bar: an array with the shape of that result; where ``x`` has length 1,
            it may be longer, and is summed.
        x: the operand; only its shape and dtype matter.
        subscripts: labels of one operand, an arrow, and those of them that are
            kept, in the same order.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    labels, _, kept = subscripts.partition("->")
    single = "".join(dict.fromkeys(labels))
    out = np.zeros_like(x)
    z_bar = z_bar if np.iscomplexobj(x) else np.real(z_bar)
    # without a sum, an Einstein sum of one operand is a view that can be written
    view = np.einsum(f"{labels}->{single}", out)
    lengths = dict(zip(kept, np.shape(z_bar), strict=True))
    wide = np.reshape(z_bar, [lengths.get(c, 1) for c in single])
    long = [k for k, n in enumerate(view.shape) if n == 1 and wide.shape[k] != 1]
    view[...] = wide.sum(axis=tuple(long), keepdims=True)
    return out


def gradient_transpose(z_bar: Any, spacing: Any, axis: int, edge_order: int = 1) -> Any:
    """Return the transpose of ``np.gradient`` along one axis, applied to an array.

    Args:
        z_bar: an array with the shape of ``np.gradient(x, spacing, axis=axis)``.
        spacing: a number, the distance of neighbours.
        axis: the axis.
        edge_order: 1 or 2, the order of accuracy at the ends.

    Returns:
        An array with the shape of ``x``.
    """
    rows = np.moveaxis(z_bar / spacing, axis, 0)
    out = np.zeros_like(rows)
    out[2:] += 0.5 * rows[1:-1]
    out[:-2] -= 0.5 * rows[1:-1]
    ends = (-1.0, 1.0) if edge_order == 1 else (-1.5, 2.0, -0.5)
    for k, factor in enumerate(ends):
        out[k] += factor * rows[0]
        out[-1 - k] -= factor * rows[-1]
    return np.moveaxis(out, 0, axis)


def unwrapped(x_bar: Any) -> Any:
    """Return a vector without its two ends, each added to the entry at the other end.

    This is the transpose of putting the last entry before a vector, and the first one
    behind it.
    """
    out = x_bar[1:-1].copy()
    out[-1] += x_bar[0]
    out[0] += x_bar[-1]
    return out


def reduceat_transpose(z_bar: Any, indices: Any, x: Any, axis: int = 0) -> Any:
    """Return the transpose of ``np.add.reduceat`` in an array, applied to an array.

    Args:
        z_bar: an array with the shape of ``np.add.reduceat(x, indices, axis=axis)``.
        indices: where the slices begin that are summed; of a slice that would end
            before it begins, the first entry is taken.
        x: the array; only its shape and dtype matter.
        axis: the axis.

    Returns:
        An array with the shape and dtype of ``x``.
    """
    out = np.zeros_like(x)
    rows, parts = np.moveaxis(out, axis, 0), np.moveaxis(z_bar, axis, 0)
    ends = [*indices[1:], rows.shape[0]]
    for start, stop, part in zip(indices, ends, parts, strict=True):
        rows[start : max(stop, start + 1)] += part
    return out


def gradient_along(x: Any, coordinates: Any, axis: int = 0, edge_order: Any = 1) -> Any:
    """Return ``np.gradient`` along one axis, whose coordinates are given."""
    return np.gradient(x, coordinates, axis=axis, edge_order=edge_order)


def widths_of_axes(pad_width: Any, rank: int) -> list[list[int]]:
    """Return how much ``np.pad`` adds before and after, for each axis.

    Args:
        pad_width: its option: a number, (before, after), one such pair for each axis, or a
            dict of what is added along some axes.
        rank: the number of dimensions of the array.
    """
    if isinstance(pad_width, dict):
        known = {axis % rank: width for axis, width in pad_width.items()}
        return [np.broadcast_to(known.get(axis, 0), 2).tolist() for axis in range(rank)]
    return np.broadcast_to(np.asarray(pad_width, dtype=int), (rank, 2)).tolist()


def padding_transpose(
    z_bar: Any, x: Any, pad_width: Any, mode: str, stat_length: Any = None
) -> Any:
    """Return the transpose of ``np.pad`` in the modes "mean" and "linear_ramp".

    Args:
        z_bar: an array with the shape of what was padded.
        x: the array before; only its shape matters.
        pad_width: how much was added.
        mode: "mean" or "linear_ramp", to 0.
        stat_length: how many entries the means are taken of; all if None.

    Returns:
        An array with the shape of ``x``.
    """
    widths = widths_of_axes(pad_width, x.ndim)
    counts = np.broadcast_to(np.asarray(stat_length, dtype=object), (x.ndim, 2))
    for axis, (pair, lengths) in enumerate(zip(widths, counts, strict=True)):
        rows = np.moveaxis(z_bar, axis, 0)
        n = x.shape[axis]
        out = rows[pair[0] : pair[0] + n].copy()
        borders = rows[: pair[0]], rows[pair[0] + n :][::-1]
        for near, border, length in zip((out, out[::-1]), borders, lengths, strict=True):
            if mode == "mean":
                count = n if length is None else min(int(length), n)
                near[:count] += np.sum(border, axis=0) / count
            elif len(border):
                ramp = np.arange(len(border), dtype=rows.dtype, like=rows) / len(border)
                near[0] += np.tensordot(ramp, border, axes=1)
        z_bar = np.moveaxis(out, 0, axis)
    return z_bar


def places_of_extrema(x: Any, pad_width: Any, mode: str, stat_length: Any = None) -> Any:
    """Return where the entries of ``np.pad(x, ...)`` come from in the flattened array.

    Args:
        x: the array before.
        pad_width: how much is added.
        mode: "maximum" or "minimum".
        stat_length: among how many entries the extrema are; among all if None.

    Returns:
        An array of whole numbers with the shape of what was padded.

    Example:
        >>> places_of_extrema(np.array([2.0, 5.0, 3.0]), (1, 0), "maximum")
        array([1, 0, 1, 2])
    """
    widths = widths_of_axes(pad_width, x.ndim)
    counts = np.broadcast_to(np.asarray(stat_length, dtype=object), (x.ndim, 2)).tolist()
    best = np.argmax if mode == "maximum" else np.argmin
    places = places_in(x)
    for axis, (pair, lengths) in enumerate(zip(widths, counts, strict=True)):
        n = places.shape[axis]
        borders = []
        for side, (width, length) in enumerate(zip(pair, lengths, strict=True)):
            count = n if length is None else min(int(length), n)
            start = 0 if side == 0 else n - count
            near = np.moveaxis(places, axis, 0)[start : start + count]
            chosen = np.expand_dims(best(np.take(x, near), axis=0), 0)
            found = np.take_along_axis(near, chosen, axis=0)
            borders.append(np.moveaxis(np.repeat(found, width, axis=0), 0, axis))
        places = np.concatenate((borders[0], places, borders[1]), axis=axis)
    return places


def resized(z_bar: Any, shape: Any) -> Any:
    """Crop an array at the ends of its axes, or pad it with zeros there.

    Args:
        z_bar: an array.
        shape: the shape that is wanted, with as many axes.

    Returns:
        ``z_bar`` itself where it has that shape already.

    Examples:
        >>> resized(np.array([1.0, 2.0, 3.0]), (2,)), resized(np.array([1.0, 2.0]), (3,))
        (array([1., 2.]), array([1., 2., 0.]))
    """
    if z_bar.shape == tuple(shape):
        return z_bar
    out = np.zeros_like(z_bar, shape=shape)
    both = tuple(slice(min(m, n)) for m, n in zip(z_bar.shape, shape, strict=True))
    out[both] = z_bar[both]
    return out


def twice_inside(spectrum: Any, n: int, axis: int = -1) -> Any:
    """Return half a spectrum, doubled where the other half has an entry of its own.

    The Fourier transform of ``n`` real numbers is determined by its entries from 0
    to ``n // 2``. Entry 0, and for even ``n`` the last one, have no mirror image.

    Args:
        spectrum: an array with ``n // 2 + 1`` entries along the axis.
        n: the length of the whole spectrum.
        axis: the axis.

    Returns:
        An array with the shape of ``spectrum``.
    """
    out = spectrum.copy()
    np.moveaxis(out, axis, 0)[1 : (n + 1) // 2] *= 2
    return out
