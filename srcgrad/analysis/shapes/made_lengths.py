"""How long the axes of a result are that are sums and products of others.

NumPy is asked with tiny arrays what a call gives (``questions.py``); that tells which lengths
come back as they were. Those that are computed are computed here, from the same arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.linear import weighted_sum
from srcgrad.analysis.shapes.ranks import shape_of
from srcgrad.analysis.shapes.relations import name_in_linalg
from srcgrad.ir.nodes import Const, Items, Slice, Value, Var
from srcgrad.ir.types import Dim, Type
from srcgrad.library.tables import entry, is_in

Dims = tuple[Dim, ...]
_NONE = Const(None)


def with_made_lengths(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: dict[str, Value], known: Any
) -> Any:
    """Return the type of a call's result with those of its lengths that are computed.

    Returns:
        That type; ``known`` itself where nothing more can be told.
    """
    if isinstance(known, Type) and isinstance(known.shape, tuple) and None not in known.shape:
        return known  # as most are
    if type(known) is tuple and is_in(fn, _CUT_ALONG):
        return _parts_of(lengths, fn, args, options, known)
    if is_in(fn, _OF_SOME_RANK) and isinstance(known, Type) and not isinstance(known.shape, tuple):
        return _OF_SOME_RANK[fn](lengths, args, options) or known
    if not isinstance(known, Type) or not isinstance(known.shape, tuple) or not args:
        return known
    rule = entry(_RULES, fn) or _OF_MATRICES.get(name_in_linalg(fn))
    shape = None if rule is None else rule(lengths, args, options)
    if shape is None or len(shape) != len(known.shape):
        return known
    pairs = zip(known.shape, shape, strict=True)
    return replace(known, shape=tuple(b if a is None else a for a, b in pairs))


def _shape(lengths: Lengths, value: Value) -> Dims | None:
    """The shape of an array or number, None where its rank is not known."""
    if isinstance(value, Const) and isinstance(value.value, int | float | complex):
        return ()
    if isinstance(value, Items) and all(type_of(item).is_scalar for item in value.items):
        return (len(value.items),)
    shape = lengths.resolve(value.type.shape) if isinstance(value, Var) else None
    return shape if isinstance(shape, tuple) else None


def _parts(lengths: Lengths, value: Value) -> list[Dims] | None:
    """The shapes of arrays that are joined."""
    if not isinstance(value, Items) or not value.items:
        return None
    shapes = [_shape(lengths, item) for item in value.items]
    return None if None in shapes else shapes  # type: ignore[return-value]


def _number(value: Value | None, otherwise: int | None = None) -> int | None:
    """A whole number that is written out."""
    if value is None:
        return otherwise
    return value.value if isinstance(value, Const) and type(value.value) is int else None


def _joined(lengths: Lengths, shapes: Iterable[Dims], axis: int | None) -> Dims | None:
    """The shape of arrays one behind the other along an axis."""
    shapes = list(shapes)
    rank = len(shapes[0])
    if axis is None or not -rank <= axis < rank or any(len(s) != rank for s in shapes):
        return None
    made = list(shapes[0])
    for k in range(rank):
        column = [shape[k] for shape in shapes]
        if k == axis % rank:
            made[k] = lengths.total([(length, 1) for length in column])
        else:
            made[k] = next((length for length in column if length is not None), None)
    return tuple(made)


def _parts_of(lengths: Lengths, fn: Any, args: Any, options: dict[str, Value], known: Any) -> Any:
    """The types of the parts that an array is cut into, of one length or at some indices."""
    shape = _shape(lengths, args[0])
    cuts = options.get("indices_or_sections", args[1] if len(args) > 1 else None)
    axis = _number(options.get("axis", args[2] if len(args) > 2 else None), _CUT_ALONG[fn])
    axis = 0 if fn is np.hsplit and shape and len(shape) == 1 else axis
    if not shape or axis is None or not -len(shape) <= axis < len(shape):
        return known
    if isinstance(cuts, Items):
        bounds = [_NONE, *cuts.items, _NONE]
        parts = [
            lengths.sliced(shape[axis], Slice(*ends, _NONE)) for ends in itertools.pairwise(bounds)
        ]
    else:
        count = _number(cuts)
        parts = [] if not count else [lengths.quotient(shape[axis], count)] * count
    if len(parts) != len(known):
        return known
    return tuple(replace(args[0].type, shape=_at(shape, axis, part)) for part in parts)


def _concatenate(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = _parts(lengths, args[0])
    axis = _number(options.get("axis", args[1] if len(args) > 1 else None), 0)
    return None if shapes is None else _joined(lengths, shapes, axis)


def _hstack(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = [shape or (1,) for shape in _parts(lengths, args[0]) or ()]
    return _joined(lengths, shapes, min(len(shapes[0]) - 1, 1)) if shapes else None


def _vstack(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = [shape or (1,) for shape in _parts(lengths, args[0]) or ()]
    wide = [shape if len(shape) > 1 else (1, *shape) for shape in shapes]
    return _joined(lengths, wide, 0) if wide else None


def _column_stack(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = [shape or (1,) for shape in _parts(lengths, args[0]) or ()]
    wide = [shape if len(shape) > 1 else (*shape, 1) for shape in shapes]
    return _joined(lengths, wide, 1) if wide else None


def _append(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    if len(args) != 2 or options:
        return None
    shapes = [_shape(lengths, arg) for arg in args]
    flat = [lengths.product(shape) for shape in shapes if shape is not None]
    return (lengths.total([(n, 1) for n in flat]),) if len(flat) == 2 else None


def _diff(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    count = _number(options.get("n", args[1] if len(args) > 1 else None), 1)
    axis = _number(options.get("axis", args[2] if len(args) > 2 else None), -1)
    longer = not set(options) <= {"n", "axis"} or any(more != _NONE for more in args[3:])
    if not shape or count is None or axis is None or longer:
        return None
    if not -len(shape) <= axis < len(shape) or count < 0:
        return None
    return _at(shape, axis, lengths.shorter(shape[axis], count))


def _repeat(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    given = options.get("repeats", args[1] if len(args) > 1 else _NONE)
    axis = options.get("axis", args[2] if len(args) > 2 else _NONE)
    times = lengths.whole(given)
    if shape is None or times is None:
        return None
    if axis == _NONE:
        return (lengths.product([*shape, times]),)
    place = _number(axis)
    if place is None or not -len(shape) <= place < len(shape):
        return None
    return _at(shape, place, lengths.product([shape[place], times]))


def _tile(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    given = options.get("reps", args[1] if len(args) > 1 else _NONE)
    times = [lengths.whole(t) for t in (given.items if isinstance(given, Items) else (given,))]
    if shape is None or None in times:
        return None
    rank = max(len(shape), len(times))
    wide = (*(1,) * (rank - len(shape)), *shape)
    often = (*(1,) * (rank - len(times)), *times)
    return tuple(lengths.product(pair) for pair in zip(wide, often, strict=True))


def _pad(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    given = options.get("pad_width", args[1] if len(args) > 1 else _NONE)
    if shape is None:
        return None
    rows = given.items if isinstance(given, Items) else (given,)
    if not any(isinstance(row, Items) for row in rows):  # the same for all axes
        rows = (Items(tuple(rows)),) * len(shape)
    if len(rows) == 1:
        rows = tuple(rows) * len(shape)
    if len(rows) != len(shape):
        return None
    made = []
    for length, row in zip(shape, rows, strict=True):
        ends = [lengths.whole(end) for end in (row.items if isinstance(row, Items) else (row,))]
        ends = ends * 2 if len(ends) == 1 else ends
        made.append(lengths.total([(length, 1), *((end, 1) for end in ends)]))
    return tuple(made)


def _ravel(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    return None if shape is None else (lengths.product(shape),)


def _reshape(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    given = options.get("shape", args[1] if len(args) > 1 else _NONE)
    wanted = [lengths.whole(v) for v in (given.items if isinstance(given, Items) else (given,))]
    free = [k for k, n in enumerate(wanted) if n == -1]
    if shape is None or len(free) != 1:
        return None
    rest = [n for n in wanted if n != -1]
    if not rest:
        return (lengths.product(shape),)
    if len(rest) == 1 and isinstance(rest[0], int) and rest[0] > 0:
        left = lengths.quotient(lengths.product(shape), rest[0])
        return tuple(left if n == -1 else n for n in wanted)
    return None


def _flat(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    """The shape of sums along an axis, which flatten an array where none is given."""
    axis = options.get("axis", args[1] if len(args) > 1 else _NONE)
    return _ravel(lengths, args, options) if axis == _NONE else None


def _to_shape(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    given = options.get("shape", options.get("new_shape", args[1] if len(args) > 1 else _NONE))
    return shape_of(lengths, given)


def _shorter_of(lengths: Lengths, shape: Dims | None) -> Dim:
    """The shorter one of the two lengths of a matrix, as the call at hand tells."""
    for one, other in [shape, shape[::-1]] if shape and len(shape) == 2 else []:
        if lengths.at_least(weighted_sum([(other, 1), (one, -1)]), 0):
            return one
    return None


def _singular_values(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    return (_shorter_of(lengths, _shape(lengths, args[0])),)


def _inserted(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    return _longer_by(lengths, args, options, 1, 3)


def _deleted(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    return _longer_by(lengths, args, options, -1, 2)


def _longer_by(
    lengths: Lengths, args: Any, options: dict[str, Value], number: int, place: int
) -> Dims | None:
    """The shape of an array with one element more or fewer, at an index that is a number."""
    shape, axis = _shape(lengths, args[0]), options.get("axis", _NONE)
    axis = args[place] if len(args) > place else axis
    obj = options.get("obj", args[1] if len(args) > 1 else _NONE)
    if shape is None or not type_of(obj).is_scalar:
        return None
    values = [options.get("values", args[2] if len(args) > 2 else _NONE)] if number > 0 else []
    if not all(type_of(value).is_scalar for value in values):
        return None
    if axis == _NONE:
        return (lengths.total([(lengths.product(shape), 1), (number, 1)]),)
    along = _number(axis)
    if along is None or not -len(shape) <= along < len(shape):
        return None
    return _at(shape, along, lengths.total([(shape[along], 1), (number, 1)]))


def _diagonal_blocks(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = [_shape(lengths, arg) for arg in args]
    if any(shape is None or len(shape) != 2 for shape in shapes):
        return None
    return tuple(lengths.total([(shape[k], 1) for shape in shapes]) for k in (0, 1))  # type: ignore[index]


def _diagonal(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    """The shape of a matrix with a vector on one of its diagonals."""
    shape = _shape(lengths, args[0])
    place = _number(options.get("k", args[1] if len(args) > 1 else None), 0)
    if shape is None or len(shape) != 1 or place is None:
        return None
    return (lengths.total([(shape[0], 1), (abs(place), 1)]),) * 2


def _squeezed(lengths: Lengths, args: Any, options: dict[str, Value]) -> Type | None:
    """The type of an array without its axes of length 1."""
    shape = _shape(lengths, args[0])
    if not shape or None in shape or len(args) > 1 or options:
        return None
    kept = tuple(length for length in shape if length != 1)
    return Type("array", kept, args[0].type.dtype) if kept else None  # or it may be a number


def _arange(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    bounds = [lengths.whole(arg) for arg in args]
    if None in bounds or len(bounds) > 2 or not set(options) <= {"dtype"}:
        return None
    lower, upper = (0, *bounds) if len(bounds) == 1 else bounds
    assert lower is not None
    assert upper is not None
    if not lengths.at_least(weighted_sum([(upper, 1), (lower, -1)]), 0):
        return None
    return (lengths.total([(upper, 1), (lower, -1)]),)


def _convolve(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shapes = [_shape(lengths, arg) for arg in args[:2]]
    mode = options.get("mode", args[2] if len(args) > 2 else Const("full"))
    if len(shapes) != 2 or any(shape is None or len(shape) != 1 for shape in shapes):
        return None
    (one,), (other,) = shapes  # type: ignore[misc]
    if mode == Const("full"):
        return (lengths.total([(one, 1), (other, 1), (-1, 1)]),)
    short = _shorter_of(lengths, (one, other))
    if short is None or mode not in (Const("same"), Const("valid")):
        return None
    long = other if short == one else one
    return (long if mode == Const("same") else lengths.total([(long, 1), (short, -1), (1, 1)]),)


def _windows(lengths: Lengths, args: Any, options: dict[str, Value]) -> Dims | None:
    shape = _shape(lengths, args[0])
    given = options.get("window_shape", args[1] if len(args) > 1 else _NONE)
    axis = options.get("axis", args[2] if len(args) > 2 else _NONE)
    widths = [lengths.whole(w) for w in (given.items if isinstance(given, Items) else (given,))]
    if shape is None or None in widths or set(options) - {"window_shape", "axis"}:
        return None
    along = [_number(a) for a in (axis.items if isinstance(axis, Items) else (axis,))]
    places = list(range(len(shape))) if axis == _NONE else along
    known = [k for k in places if k is not None and -len(shape) <= k < len(shape)]
    if not len(known) == len(places) == len(widths):
        return None
    made = shape
    for k, width in zip(known, widths, strict=True):
        made = _at(made, k, lengths.total([(made[k % len(shape)], 1), (width, -1), (1, 1)]))
    return (*made, *widths)


def _of_vectors(lengths: Lengths, args: Any, options: dict[str, Value]) -> Type | None:
    """The type of a cross product, which is a number where both vectors have two entries."""
    shapes = [_shape(lengths, arg) for arg in args]
    kinds = {arg.type.dtype for arg in args if isinstance(arg, Var)}
    if len(shapes) != 2 or options or any(not shape for shape in shapes):
        return None
    if "f" not in kinds or not kinds <= {"f", "i"}:
        return None
    if any(lengths.example(shape[-1]) != 3 for shape in shapes if shape):
        return None
    if any(lengths.exactly(shape[-1]) != 3 for shape in shapes if shape):
        return None
    rest = lengths.broadcast([shape[:-1] for shape in shapes if shape])
    return Type("array", (*rest, 3), "f") if isinstance(rest, tuple) else None


def _at(shape: Dims, axis: int, length: Dim) -> Dims:
    """A shape with another length of one axis."""
    axis %= len(shape)
    return (*shape[:axis], length, *shape[axis + 1 :])


_CUT_ALONG = {np.split: 0, np.vsplit: 0, np.hsplit: 1, np.dsplit: 2}
# whose results have as many axes as the lengths say
_OF_SOME_RANK = {np.cross: _of_vectors, np.squeeze: _squeezed}
_RULES: dict[Any, Callable[[Lengths, Any, dict[str, Value]], Dims | None]] = {
    np.append: _append,
    np.arange: _arange,
    np.broadcast_to: _to_shape,
    np.column_stack: _column_stack,
    np.concatenate: _concatenate,
    np.convolve: _convolve,
    np.cumprod: _flat,
    np.cumsum: _flat,
    np.delete: _deleted,
    np.diag: _diagonal,
    np.diff: _diff,
    np.hstack: _hstack,
    np.insert: _inserted,
    np.lib.stride_tricks.sliding_window_view: _windows,
    np.pad: _pad,
    np.ravel: _ravel,
    np.repeat: _repeat,
    np.reshape: _reshape,
    np.resize: _to_shape,
    np.tile: _tile,
    np.vstack: _vstack,
}
# by name, of NumPy's linear algebra and of SciPy's
_OF_MATRICES = {
    "svd": _singular_values,
    "svdvals": _singular_values,
    "block_diag": _diagonal_blocks,
}
