"""Which values have the same shape, or axes that are as long, where no length has a name.

What a call gives back has lengths without names where they depend on lengths or on values
(``np.diff``, ``np.concatenate``, a mask), and so have the elements of a list whose lengths
differ. What is computed from it element by element still has its shape, or some of its axes;
that is noted for the values themselves.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.indices import TOGETHER
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.relations import name_in_linalg
from srcgrad.analysis.shapes.results import REDUCTIONS, is_elementwise, is_shape, type_of
from srcgrad.analysis.shapes.subscripts import item_axes
from srcgrad.ir.nodes import (
    INDEX_ADD,
    INDEX_SET,
    LIST_ITEM,
    Const,
    Equation,
    Items,
    Slice,
    Value,
    Var,
)
from srcgrad.ir.types import INTEGER, Contents
from srcgrad.library.tables import is_in
from srcgrad.runtime import is_last_write, unbroadcast

# whose results have the shape of their first argument, or are flat
_IN_ORDER = {np.cumsum, np.cumprod, np.sort, np.argsort, np.flip, np.roll, np.clip, np.nan_to_num}
_IN_ORDER |= {np.round, np.around, np.fix}
_OF_SHAPE = {np.reshape, np.broadcast_to, np.zeros, np.ones, np.empty, np.full}
_PERMUTING = {np.transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims}
_SOLVING = {"solve", "solve_triangular", "cho_solve"}  # of their second one

Columns = dict[tuple[int, int], tuple[int, int]]

_LIKE_THE_FIRST = {np.zeros_like, np.ones_like, np.copy, np.real, np.imag, INDEX_ADD, INDEX_SET}


def note_model(lengths: Lengths, eq: Equation) -> None:
    """Note which other value a result has the shape of, where its type does not tell."""
    target = eq.targets[0]
    shape = target.type.shape
    plain = target.type.dtype == "f" and isinstance(shape, tuple) and None not in shape
    if plain and len(eq.targets) == 1 and eq.op.fn is not LIST_ITEM:
        return  # its type tells all, as most do
    if eq.op.fn is LIST_ITEM and eq.args[0] in lengths.columns:
        _note_columns(lengths, eq.targets, lengths.columns[eq.args[0]])  # type: ignore[index]
    if len(eq.targets) > 1:
        if eq.op.fn is np.split and isinstance(eq.args[-1], Const) and isinstance(eq.args[0], Var):
            _note_pieces(lengths, eq)
        if is_in(eq.op.fn, TOGETHER) or (eq.op.fn is np.where and len(eq.args) == 1):
            for places in eq.targets[1:]:  # one along each axis, for each place
                lengths.axes[places, 0] = target, 0
        return
    if target.type.dtype in ("b", "i") and not eq.options and is_elementwise(eq.op.fn):
        operands = (_first_of(lengths, a) for a in eq.args)
        lengths.masks[target] = lengths.first((eq.op.fn, *operands), target)
    if target.type.dtype == "i" and target.type == INTEGER:
        _note_length(lengths, target, eq)
    if isinstance(shape, str):
        return
    if isinstance(shape, tuple) and None not in shape:
        return
    model = _model(lengths, eq.op.fn, eq.args, eq.options)
    if model is not None and model is not target:
        lengths.models[target] = lengths.model(model)
    elif isinstance(shape, tuple):
        found = _axes(lengths, eq.op.fn, eq.args, dict(eq.options))
        if found is not None and len(found) == len(shape):
            for axis, (length, other) in enumerate(zip(shape, found, strict=True)):
                if isinstance(other, _Part):
                    other = lengths.cuts.setdefault(_known_part(lengths, other), (target, axis))
                if length is None and other not in (None, (target, axis)):
                    lengths.axes[target, axis] = other


def _note_length(lengths: Lengths, number: Var, eq: Equation) -> None:
    """Note the axis whose length a whole number is, as ``len(x)`` and ``x.shape[k]`` are."""
    first = eq.args[0] if eq.args and isinstance(eq.args[0], Var) else None
    if first is None or (eq.op.fn, first.type.kind) not in _LENGTH_READ:
        return
    axis = eq.args[1] if eq.op.fn is operator.getitem else Const(0)
    known = lengths.extents(first)
    if known and isinstance(axis, Const) and -len(known) <= axis.value < len(known):
        lengths.masks.setdefault(number, known[axis.value])


_LENGTH_READ = {(len, "array"), (operator.getitem, "shape")}  # what is called, and of what


def note_merge(lengths: Lengths, out: Var, one: Value, other: Value) -> None:
    """Note which axes of one of two values, whichever it is, are as long as another one."""
    given = extents(lengths, one), extents(lengths, other), lengths.extents(out)
    if None in given or len({len(g) for g in given if g is not None}) > 1:
        return
    for axis, (a, c, own) in enumerate(zip(*given, strict=True)):  # type: ignore[arg-type]
        if a == c and isinstance(a, tuple) and own == (out, axis):
            lengths.axes[out, axis] = a


def _note_pieces(lengths: Lengths, eq: Equation) -> None:
    """Note that the parts into which an array is cut are as long as each other."""
    whole, first = lengths.extents(eq.args[0]), eq.targets[0]  # type: ignore[arg-type]
    axis = dict(eq.options).get("axis", Const(0))
    if whole is None or not isinstance(axis, Const) or len(eq.args) != 2:
        return
    place = axis.value % len(whole)  # type: ignore[union-attr]
    for part in eq.targets:
        for k, length in enumerate(part.type.shape or ()):
            if length is None and (k != place or part is not first):
                lengths.axes[part, k] = (first, k) if k == place else whole[k]


def note_same(lengths: Lengths, bar: Var, value: Value) -> None:
    """Note that a cotangent has the shape of its value."""
    if not isinstance(value, Var) or not value.type.kind == bar.type.kind == "array":
        return
    if bar.type.ndim is None or bar.type.ndim != value.type.ndim or bar in lengths.models:
        return
    model = lengths.model(value)
    if model is not bar:
        lengths.models[bar] = model


def note_part(lengths: Lengths, part: Var, row: Var, index: Value) -> None:
    """Note which axes of a part of a row of data are as long as those of its other parts."""
    held = row.type.element
    if not isinstance(held, Contents) or not held.alike or not isinstance(index, Const):
        return
    places: Any = range(len(held.parts or ())) if held.keys is None else held.keys
    ranks = [t.ndim if t.kind == "array" else 0 for t in held.parts or ()]
    axes = [(place, k) for place, rank in zip(places, ranks, strict=True) for k in range(rank or 0)]
    if len(axes) != len(held.alike):
        return
    for (place, axis), first in zip(axes, held.alike, strict=True):
        told = (part, axis)
        if place == index.value and lengths.cuts.setdefault(_Part(row, first), told) != told:
            lengths.axes[part, axis] = lengths.cuts[_Part(row, first)]


def _note_columns(lengths: Lengths, parts: tuple[Var, ...], columns: Columns) -> None:
    """Note which axes of the parts of an element of a list are as long."""
    for (part, axis), (first, other) in columns.items():
        if part < len(parts):
            lengths.axes[parts[part], axis] = parts[first], other


def columns_of(lengths: Lengths, rows: list[list[Value]]) -> Columns:
    """Return which axes are as long in each element of a list, though not in all of them.

    Args:
        lengths: tells which lengths are equal at the call at hand; that is relied on.
        rows: the leaves of the elements.

    Returns:
        For an axis of a leaf, by their places, the first axis that is as long.
    """
    firsts: dict[tuple[int | None, ...], tuple[int, int]] = {}
    found: Columns = {}
    for part, leaves in enumerate(zip(*rows, strict=True)):
        shapes = [lengths.resolve(type_of(leaf).shape) for leaf in leaves]
        if not all(isinstance(s, tuple) and len(s) == len(shapes[0] or ()) for s in shapes):
            continue
        for axis, several in enumerate(zip(*shapes, strict=True)):  # type: ignore[arg-type]
            numbers = tuple(map(lengths.example, several))
            if None in numbers or len(set(numbers)) == 1:
                continue
            first = firsts.setdefault(numbers, (part, axis))
            if first == (part, axis):
                continue
            for row, length in zip(rows, several, strict=True):
                other = lengths.resolve(type_of(row[first[0]]).shape)[first[1]]  # type: ignore
                if length != other:
                    lengths.rely_on_equal(length, other)  # type: ignore[arg-type]
            found[part, axis] = first
    return found


def _axes(lengths: Lengths, fn: Any, args: Any, options: Any) -> Any:
    """Return what the lengths of a call's result are told by, None for those that are not known."""
    if not args or not all(isinstance(a, Var | Const | Items | Slice) for a in args):
        return None
    first = extents(lengths, args[0])
    if is_in(fn, _OF_SHAPE):
        place = 0 if fn in (np.zeros, np.ones, np.empty, np.full) else 1
        shape = options.get("shape", args[place] if len(args) > place else Const(None))
        told, entries = _told_by_shape(lengths, shape), _entries(shape)
        if fn is np.reshape and told is not None and entries is not None:
            return _reshaped(lengths, first, entries, told)
        return told
    if fn is operator.add and all(map(is_shape, args)):
        parts = [_told_by_shape(lengths, a) for a in args]
        return None if None in parts else sum(parts, ())  # type: ignore[arg-type]
    if fn in (np.eye, np.identity, np.arange) and len(args) == 1 and not options:
        return (_length_told(lengths, args[0]),) * (1 if fn is np.arange else 2)
    if getattr(fn, "__name__", "") == "shape" or fn in _LIKE_THE_FIRST or is_in(fn, _IN_ORDER):
        return first
    if name_in_linalg(fn) in _SOLVING and len(args) > 1:
        return extents(lengths, args[1])
    if first is None:
        return None
    if fn is operator.getitem or fn is is_last_write:
        return _axes_of_item(lengths, first, args[1])
    if fn in (operator.matmul, np.matmul, np.dot) and not options:
        second = extents(lengths, args[1])
        if not first or not second or (fn is np.dot and max(len(first), len(second)) > 2):
            return None
        batch = _broadcast([first[:-2], second[:-2]]) or ()
        return (*batch, *first[-2:-1], *(second[-1:] if len(second) > 1 else ()))
    if fn is np.outer and len(args) == 2 and not options:
        second = extents(lengths, args[1])
        return (*first, *second) if second is not None and len(first) == len(second) == 1 else None
    if fn is np.diff and len(args) == 1 and not options:
        return (*first[:-1], _Part(first[-1], 1))
    if is_in(fn, _PERMUTING):
        return _permuted(first, fn, args, options)
    if is_in(fn, REDUCTIONS) and len(args) == 1 and options.keys() <= {"axis", "keepdims", "dtype"}:
        return _axes_of_reduction(first, options)
    if (fn is np.where or is_elementwise(fn)) and not options:
        return _broadcast([extents(lengths, a) for a in args])
    return None


def _reshaped(
    lengths: Lengths, given: tuple[Any, ...] | None, entries: Any, told: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What the axes of ``x.reshape(...)`` are told by: -1 is no length, but what is left.

    What is the length of an axis is none of these. All others are as long as in another array of
    the same shape that is brought into the same one.
    """
    target = tuple(_first_of(lengths, entry) for entry in entries)
    return tuple(
        length if length is not None and length[1] >= 0 else given and _Part(given, (target, axis))
        for axis, length in enumerate(told)
    )


def _first_of(lengths: Lengths, value: Value) -> Any:
    """The first value that was computed in the same way, or the length that a number is."""
    if not isinstance(value, Var):
        return value
    known = lengths.find(lengths.values.get(value))
    return lengths.masks.get(value, value) if known is None else known


def _told_by_shape(lengths: Lengths, shape: Value) -> tuple[Any, ...] | None:
    """What axes are told by that are as long as a number, a tuple or a shape says."""
    entries = _entries(shape)
    if entries is not None:
        return tuple(_length_told(lengths, entry) for entry in entries)
    return extents(lengths, shape) if isinstance(shape, Var) else None


def _entries(shape: Value) -> tuple[Value, ...] | None:
    """The numbers that a shape is written with."""
    if isinstance(shape, Items):
        return shape.items
    return (shape,) if type_of(shape) == INTEGER else None


def _length_told(lengths: Lengths, number: Value) -> Any:
    """What an axis is told by whose length is a whole number of the program."""
    if not isinstance(number, Var) or number.type != INTEGER:
        return None
    known = _first_of(lengths, number)
    if isinstance(known, Var):
        return known, -1
    return known if isinstance(known, tuple) else None  # that with a name has it where it may


def _permuted(given: tuple[Any, ...], fn: Any, args: tuple[Value, ...], options: Any) -> Any:
    """What the axes are told by that NumPy puts into another order: it is asked for that."""
    values = [*args[1:], *options.values()]
    if not all(isinstance(v, Const) or _is_written_out(v) for v in values):
        return None
    rest = [_written_out(v) for v in args[1:]]
    named = {name: _written_out(v) for name, v in options.items()}
    sample = np.broadcast_to(0.0, range(2, len(given) + 2))
    return tuple(1 if n == 1 else given[n - 2] for n in fn(sample, *rest, **named).shape)


def _is_written_out(value: Value) -> bool:
    return isinstance(value, Items) and all(isinstance(v, Const) for v in value.items)


def _written_out(value: Any) -> Any:
    parts: tuple[Any, ...] = value.items if isinstance(value, Items) else ()
    return tuple(part.value for part in parts) if isinstance(value, Items) else value.value


def extents(lengths: Lengths, value: Value) -> tuple[Any, ...] | None:
    """Return what the lengths of a value are told by; None where its rank is unknown."""
    if isinstance(value, Var):
        return lengths.extents(value)
    shape = type_of(value).shape
    return shape if isinstance(shape, tuple) else None


def _axes_of_reduction(given: tuple[Any, ...], options: Any) -> tuple[Any, ...] | None:
    axis = options.get("axis", Const(None))
    kept = options.get("keepdims", Const(False))
    if not isinstance(axis, Const) or type(axis.value) is not int or not isinstance(kept, Const):
        return None
    place = axis.value % max(len(given), 1)
    return (*given[:place], *((1,) if kept.value else ()), *given[place + 1 :])


def _axes_of_item(lengths: Lengths, given: tuple[Any, ...], index: Value) -> tuple[Any, ...] | None:
    """What the axes of ``x[:, None]``, ``x[1:]``, ``x[rows]`` and ``x[mask]`` are told by."""

    def taken(kind: str, rank: int, entry: Value) -> tuple[Any, ...]:
        if kind == "mask":  # as many as are true, whatever is read at them
            return (_Part(lengths.masks.get(entry, entry), "true"),)  # type: ignore[arg-type]
        return () if kind == "integer" else extents(lengths, entry) or (None,) * rank

    return item_axes(given, index, functools.partial(_part, lengths), taken, _broadcast)


@dataclass(frozen=True)
class _Part:
    """The length of a part of an axis: that of what the axis is told by, cut in some way."""

    of: Any
    cut: Any


def _known_part(lengths: Lengths, part: _Part) -> _Part:
    """Return a known part of an axis that is as long, and cut at the same places, or this one."""
    for known in lengths.cuts:
        if known.cut != part.cut or not isinstance(known.of, str) or not isinstance(part.of, str):
            continue
        if lengths.find(known.of) != lengths.find(part.of):
            lengths.rely_on_equal(known.of, part.of)  # if they are at the call at hand
        if lengths.find(known.of) == lengths.find(part.of):
            return known
    return part


def _part(lengths: Lengths, told: Any, taken: Value) -> Any:
    """What the length of a slice is told by: the axis itself, or how it is cut."""
    if not isinstance(taken, Slice):
        return None
    parts = (taken.lower, taken.upper, taken.step)
    bounds: list[Any] = [
        _length_told(lengths, p) if isinstance(p, Var) else getattr(p, "value", ...) for p in parts
    ]
    lower, upper, step = bounds
    unknown = any(p != Const(None) and b is None for p, b in zip(parts, bounds, strict=True))
    if told is None or unknown or ... in bounds:
        return None
    if lower is None and upper is None and step in (None, 1, -1):
        return told
    plain = all(bound is None or type(bound) is int for bound in bounds)
    if plain and step in (None, 1) and (lower or 0) >= 0 and (upper is None or upper < 0):
        return _Part(told, (lower or 0) - (upper or 0))  # so many fewer
    return _Part(told, (lower, upper, step))


def _broadcast(operands: list[tuple[Any, ...] | None]) -> tuple[Any, ...] | None:
    """What the axes of an elementwise result are told by: the operand that is not 1 along it."""
    if any(extents is None for extents in operands):
        return None
    rank = max(map(len, operands))  # type: ignore[arg-type]
    found = []
    for axis in range(-rank, 0):
        several = {e[axis] for e in operands if len(e) >= -axis} - {1}  # type: ignore
        found.append(several.pop() if len(several) == 1 else None)
    return tuple(found)


def _model(lengths: Lengths, fn: Any, args: tuple[Value, ...], options: Any) -> Var | None:
    """The argument that a call's result has the shape of."""
    first = args[0] if args and isinstance(args[0], Var) else None
    if fn is np.broadcast_to:
        shape = dict(options).get("shape", args[-1])
        scalar = first is None or first.type.is_scalar
        return shape if scalar and isinstance(shape, Var) else None
    if getattr(fn, "__name__", "") == "shape" and first is not None and not options:
        return first
    if options:
        return None
    if fn is unbroadcast:
        return args[1] if isinstance(args[1], Var) and not args[1].type.is_scalar else None
    if fn in _LIKE_THE_FIRST or (fn is np.full_like and type_of(args[1]).is_scalar):
        return first
    if (fn is not np.where and not is_elementwise(fn)) or all(map(is_shape, args)):
        return None
    if not all(isinstance(a, Var | Const) for a in args):
        return None
    arrays = {lengths.model(a) for a in args if isinstance(a, Var) and not a.type.is_scalar}
    widest = [a for a in arrays if all(fits(lengths, a, other) for other in arrays)]
    return widest[0] if len(widest) == 1 else None


def fits(lengths: Lengths, array: Var, other: Var) -> bool:
    """Tell whether an array is as long, along each axis of another one, or that is of length 1."""
    if array is other:
        return True
    wide, narrow = (lengths.extents(a) for a in (array, other))
    if wide is None or narrow is None or len(narrow) > len(wide):
        return False
    return all(n in (1, m) for m, n in zip(wide[len(wide) - len(narrow) :], narrow, strict=True))
