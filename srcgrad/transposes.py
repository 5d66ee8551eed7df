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
