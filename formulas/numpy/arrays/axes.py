"""Pure functions of axes, shapes and dtypes, evaluated when code is generated."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import static
from srcgrad.runtime.transposes import widths_of_axes


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
def steps_between(num, endpoint):
    """Return how many steps ``np.linspace`` makes from its start to its stop, at least 1."""
    return max(num - 1 if endpoint else num, 1)


@static
def leading(count):
    """Return the first ``count`` axes."""
    return tuple(range(count))


@static
def following(start, count):
    """Return ``count`` axes from ``start`` on."""
    return tuple(range(start, start + count))


@static
def chain_subscripts(ranks):
    """Return the subscripts with which ``np.einsum`` multiplies a chain of matrices."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    inputs = [letters[k : k + 2] for k in range(len(ranks))]
    if ranks[0] == 1:
        inputs[0] = inputs[0][1:]
    if ranks[-1] == 1:
        inputs[-1] = inputs[-1][:1]
    first = inputs[0][0] if ranks[0] == 2 else ""
    last = inputs[-1][-1] if ranks[-1] == 2 else ""
    return ",".join(inputs) + "->" + first + last


@static
def full_padding(mode, left, right, turns=False):
    """Return how much a middle part lacks of a convolution of two vectors.

    Args:
        mode: "same" or "valid".
        left: the length of the first vector.
        right: the length of the second one.
        turns: whether the vectors are correlated, which turns the result around
            where the second is the longer one.
    """
    short = min(left, right)
    if mode == "valid":
        return (short - 1, short - 1)
    before = (short - 1) // 2
    after = short - 1 - before
    return (after, before) if turns and right > left else (before, after)


@static
def all_from(start, rank):
    """Return the axes from ``start`` on; None where these are all."""
    return tuple(range(start, rank)) if start else None


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
def one_before(axis, rank):
    """Return the option of ``np.pad`` that adds one entry before one axis."""
    return tuple((1, 0) if k == axis % rank else (0, 0) for k in range(rank))


@static
def one_after(axis, rank):
    """Return the option of ``np.pad`` that adds one entry after one axis."""
    return tuple((0, 1) if k == axis % rank else (0, 0) for k in range(rank))


@static
def without_first(axis, rank):
    """Return the index of all but the first entry along an axis."""
    return tuple(slice(1, None) if k == axis % rank else slice(None) for k in range(rank))


@static
def without_last(axis, rank):
    """Return the index of all but the last entry along an axis."""
    return tuple(slice(None, -1) if k == axis % rank else slice(None) for k in range(rank))


@static
def one_axis(axis, rank):
    """Return the shape of a vector along one axis, for ``np.reshape``."""
    return tuple(-1 if k == axis % rank else 1 for k in range(rank))


@static
def flattened_first(shape, count):
    """Return a shape with its first ``count`` axes made one, for ``np.reshape``."""
    return (math.prod(shape[:count]), *shape[count:])


@static
def along_axis(axis, rank):
    """Return the axes that ``np.gradient`` differentiates along."""
    if axis is None:
        return tuple(range(rank))
    return axis if isinstance(axis, tuple) else (axis,)


@static
def require_numbers(ranks):
    """Refuse coordinates in place of a spacing in ``np.gradient``."""
    if any(ranks):
        raise NotImplementedError("no formula for np.gradient with arrays of coordinates")
    return ranks


@static
def swapped_halves(count, rank):
    """Return the permutation that moves the first ``count`` axes to the end."""
    return (*range(count, rank), *range(count))


@static
def require_reduced(mode):
    """Refuse the modes of ``np.linalg.qr`` that have no derivative formula."""
    if mode not in ("reduced", "r"):
        raise NotImplementedError(f"no formula for np.linalg.qr with mode={mode!r}")
    return mode


@static
def grid_axes(k, count, indexing):
    """Return the axes that ``np.meshgrid`` repeats its vector number ``k`` along."""
    own = 1 - k if indexing == "xy" and k < 2 and count > 1 else k
    return tuple(axis for axis in range(count) if axis != own)


@static
def rolled_to(axis, start, rank):
    """Return the place of an axis after ``np.rollaxis``."""
    axis, start = axis % rank, start + rank if start < 0 else start
    return start - 1 if axis < start else start


@static
def require_fixed_order(order):
    """Refuse orders of entries that depend on the memory of an array."""
    if order not in ("C", "F"):
        raise NotImplementedError(f"no formula for order={order!r}; use 'C' or 'F'")
    return order


@static
def is_one_of(letter, letters):
    """Tell whether a letter stands in an option, in either case."""
    return letter in letters.lower()


@static
def pads_with_sums(mode):
    """Tell whether ``np.pad`` computes its border from sums of entries."""
    return mode in ("mean", "linear_ramp")


@static
def pads_oddly(mode, reflect_type):
    """Tell whether ``np.pad`` turns entries around those at the edge, and refuse other modes."""
    if not isinstance(mode, str):
        raise NotImplementedError("no formula for np.pad with a function as its mode")
    return mode in ("reflect", "symmetric") and reflect_type == "odd"


@static
def pads_with_entries(mode, reflect_type):
    """Tell whether ``np.pad`` copies entries to its border."""
    odd = mode in ("reflect", "symmetric") and reflect_type == "odd"
    return mode in ("edge", "reflect", "symmetric", "wrap") and not odd


@static
def pads_with_extrema(mode):
    """Tell whether the border of ``np.pad`` is made of extrema of entries."""
    return mode in ("maximum", "minimum")


@static
def unpadded(pad_width, rank):
    """Return the index of what ``np.pad`` was given, in what it returns.

    Args:
        pad_width: the option of ``np.pad``: a number, (before, after), one such pair for
            each axis, or a dict of what is added along some axes.
        rank: the number of dimensions of the array.
    """
    if isinstance(pad_width, dict):
        pad_width = widths_of_axes(pad_width, rank)
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


@static
def transformed(s, axes, rank, half=False):
    """Return the axes of a Fourier transform, from 0 on, that may have the lengths ``s``.

    One of real numbers gives ``half`` a spectrum, and goes along each axis once.
    """
    if axes is None:
        axes = range(rank) if s is None else range(rank - len(s), rank)
    along = tuple(axis % rank for axis in axes)
    if s is not None and len(set(along)) < len(along):
        raise NotImplementedError("no formula for s= with an axis twice")
    if half and len(set(along)) < len(along):
        raise NotImplementedError("no formula for half a spectrum along an axis twice")
    return along


@static
def all_but(start, count, rank):
    """The axes of an array but for ``count`` ones from ``start`` on."""
    first = start % (rank - count + 1)
    return tuple(k for k in range(rank) if not first <= k < first + count)


def _listed(axis, rank):
    """The axes that an option names, from 0 on."""
    return tuple(k % rank for k in (axis if isinstance(axis, tuple | list) else (axis,)))


@static
def all_axes_but(axis, rank):
    """Return the axes of an array but for one, or several."""
    chosen = _listed(axis, rank)
    return tuple(k for k in range(rank) if k not in chosen)


@static
def is_ascending(axis, rank):
    """Tell whether axes are named in the order in which an array has them."""
    chosen = _listed(axis, rank)
    return chosen == tuple(sorted(chosen))


@static
def order_of_axes(axis, rank):
    """Return the permutation that brings axes which were named in some order into their own."""
    chosen = _listed(axis, rank)
    return tuple(sorted(range(len(chosen)), key=chosen.__getitem__))


@static
def places_of_axes(axis, rank):
    """Return the permutation that undoes that of ``order_of_axes``."""
    return inverse_permutation(order_of_axes(axis, rank))


@static
def require_ascending(axis):
    """Refuse axes in another order, where it depends on lengths what NumPy takes weights for."""
    if isinstance(axis, tuple | list) and len({k < 0 for k in axis}) == 1:
        if list(axis) != sorted(axis):
            raise NotImplementedError(
                "no formula for weights with all axes, along axes that do not ascend; sort axis"
            )
    return axis


@static
def last_axes(axes):
    """Return as many axes as are named, from the end."""
    return tuple(range(-len(axes), 0))
