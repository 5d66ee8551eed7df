"""Transposes of linear functions of NumPy that NumPy itself does not have.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np


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
