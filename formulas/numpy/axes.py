"""Pure functions of axes, shapes and dtypes, evaluated when code is generated."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import static


@static
def is_inexact(dtype):
    """Tell whether a dtype is one of real or complex, not whole, numbers."""
    return np.dtype(dtype).kind in "fc"


@static
def inverse_permutation(axes):
    """Return the permutation that undoes the permutation ``axes``."""
    order = [0] * len(axes)
    for position, axis in enumerate(axes):
        order[axis % len(axes)] = position
    return tuple(order)


@static
def leading(count):
    """Return the first ``count`` axes."""
    return tuple(range(count))


@static
def following(start, count):
    """Return ``count`` axes from ``start`` on."""
    return tuple(range(start, start + count))


@static
def ones(rank):
    """Return the shape of an array of one entry."""
    return (1,) * rank


@static
def from_the_end(axis, rank):
    """Return an axis counted from the last one, as a negative number."""
    return axis if axis < 0 else axis - rank


@static
def padding(width, axis, rank):
    """Return the option of ``np.pad`` that pads both ends of one axis."""
    return tuple((width, width) if k == axis % rank else (0, 0) for k in range(rank))


@static
def unpadded(pad_width, rank):
    """Return the index of what ``np.pad`` was given, in what it returns.

    Args:
        pad_width: the option of ``np.pad``: a number, (before, after), or one
            such pair for each axis.
        rank: the number of dimensions of the array.
    """
    if isinstance(pad_width, int):
        pad_width = (pad_width, pad_width)
    if isinstance(pad_width[0], int):
        before, after = pad_width[0], pad_width[-1]
        pad_width = ((before, after),) * rank
    if len(pad_width) == 1:
        pad_width = tuple(pad_width) * rank
    return tuple(slice(pair[0], -pair[-1] or None) for pair in pad_width)


@static
def negated(shift):
    """Return the shift, or the tuple of shifts, in the other direction."""
    if isinstance(shift, tuple | list):
        return tuple(-s for s in shift)
    return -shift


@static
def interleaved(outer, inner):
    """Return two shapes of one rank, one length from each in turn.

    The shorter shape is given axes of length 1 in front.
    """
    rank = max(len(outer), len(inner))
    left = (1,) * (rank - len(outer)) + tuple(outer)
    right = (1,) * (rank - len(inner)) + tuple(inner)
    return tuple(n for pair in zip(left, right, strict=True) for n in pair)


@static
def every_second(start, count):
    """Return ``count`` axes: ``start``, ``start + 2``, and so on."""
    return tuple(range(start, start + 2 * count, 2))


@static
def contracted_axes(axes, rank, side):
    """Return the axes of one operand that ``np.tensordot`` sums over.

    Args:
        axes: the option of ``np.tensordot``: a number, or two axes or sequences
            of axes, one for each operand.
        rank: the number of dimensions of the operand.
        side: 0 for the left operand, 1 for the right one.
    """
    if isinstance(axes, int):
        return tuple(range(rank - axes, rank)) if side == 0 else tuple(range(axes))
    chosen = axes[side]
    return tuple(a % rank for a in ((chosen,) if isinstance(chosen, int) else chosen))


@static
def free_axes(axes, rank, side):
    """Return the axes of one operand that ``np.tensordot`` keeps."""
    used = contracted_axes(axes, rank, side)
    return tuple(k for k in range(rank) if k not in used)


@static
def order_of_left(axes, x_rank, y_rank):
    """Return the permutation that brings the left operand's cotangent into order.

    The cotangent of the left operand of ``np.tensordot`` comes with the kept axes
    first, then the contracted ones, in the order that they have in the right
    operand.
    """
    left = contracted_axes(axes, x_rank, 0)
    right = contracted_axes(axes, y_rank, 1)
    contracted = [a for _, a in sorted(zip(right, left, strict=True))]
    return inverse_permutation((*free_axes(axes, x_rank, 0), *contracted))


@static
def order_of_right(axes, x_rank, y_rank):
    """Return the permutation that brings the right operand's cotangent into order.

    It comes with the contracted axes first, in the order that they have in the
    left operand, then the kept ones.
    """
    left = contracted_axes(axes, x_rank, 0)
    right = contracted_axes(axes, y_rank, 1)
    contracted = [a for _, a in sorted(zip(left, right, strict=True))]
    return inverse_permutation((*contracted, *free_axes(axes, y_rank, 1)))
