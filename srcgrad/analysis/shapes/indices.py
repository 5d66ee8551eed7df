"""Of which kinds the entries of an index are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.ir.nodes import Const, Equation, Items, Slice, Value, Var
from srcgrad.ir.types import INTEGER, Contents
from srcgrad.library.tables import is_in

# What gives positions none of which is there twice: one array of them, and one for each axis
_ALONE = {np.arange, np.argsort, np.argpartition, np.flatnonzero}
_SOME_OF = {np.setdiff1d, np.intersect1d, np.delete, np.flip, np.sort}  # of those of the first
TOGETHER = {
    *(np.tril_indices, np.triu_indices, np.tril_indices_from, np.triu_indices_from),
    *(np.diag_indices, np.diag_indices_from, np.nonzero),
}


def written_entries(index: Value) -> tuple[Value, ...]:
    """Return the entries of an index as they are written: a list is one of them, not several."""
    return index.items if isinstance(index, Items) and not index.is_list else (index,)


def index_kind(entry: Value) -> tuple[str, int]:
    """Classify one entry of an index; the number is the rank of an index array."""
    if isinstance(entry, Slice) or type_of(entry).kind == "slice":
        return "slice", 0
    if isinstance(entry, Const):
        if entry.value is None:
            return "new", 0
        if entry.value is ...:
            return "ellipsis", 0
        if isinstance(entry.value, bool):
            return "unknown", 0
        return ("integer", 0) if isinstance(entry.value, int) else ("unknown", 0)
    if isinstance(entry, Items) and entry.is_list:
        if all(type_of(i).dtype == "i" and type_of(i).shape == () for i in entry.items):
            return "gather", 1
        return "unknown", 0
    if isinstance(entry, Var):
        type_ = entry.type
        if type_.kind == "opaque" and isinstance(type_.element, Contents):
            whole = type_.element.is_list and type_.element.element == INTEGER
            return ("gather", 1) if whole else ("unknown", 0)
        rank = type_.ndim
        if rank is None or type_.dtype not in ("i", "b"):
            return "unknown", 0
        if type_.dtype == "i":
            return ("integer", 0) if rank == 0 else ("gather", rank)
        return ("mask", rank) if rank else ("unknown", 0)
    return "unknown", 0


def entries_of(index: Value) -> list[Value]:
    """Return the entries of an index, which may be a tuple, also that of ``np.ix_``."""
    held = index.type.element if isinstance(index, Var) else None
    parts = held.parts if isinstance(held, Contents) else None
    if parts and all(isinstance(t.shape, tuple) and 1 in t.shape for t in parts):
        return [Var("index", t) for t in parts]  # of data, no length is known to be 1
    return list(written_entries(index))


def is_basic(index: Value) -> bool:
    """Whether reading or writing with an index touches each element at most once."""
    return all(
        index_kind(e)[0] in ("slice", "integer", "new", "ellipsis", "mask")
        for e in written_entries(index)
    )


def is_plain(index: Value) -> bool:
    """Whether an index consists of integers, slices, None and an ellipsis only."""
    return all(
        index_kind(e)[0] in ("slice", "integer", "new", "ellipsis") for e in written_entries(index)
    )


def may_repeat(index: Value, made_by: Mapping[Var, Equation]) -> bool:
    """Whether an index may name a position more than once.

    Args:
        index: the index.
        made_by: the equations that compute its arrays, as far as they are known.
    """
    arrays = [entry for entry in written_entries(index) if _repeats(entry)]
    if not arrays or not all(isinstance(entry, Var) for entry in arrays):
        return bool(arrays)
    return not _are_distinct(arrays, made_by)  # type: ignore[arg-type]


def _are_distinct(arrays: list[Var], made_by: Mapping[Var, Equation]) -> bool:
    """Whether arrays of one index name different positions, by the functions that give them."""
    makers = {made_by.get(entry) for entry in arrays}
    if len(makers) == 1 and (maker := makers.pop()) is not None:
        picks = maker.op.fn is np.where and len(maker.args) == 1
        if (picks or is_in(maker.op.fn, TOGETHER)) and {*arrays} == {*maker.targets}:
            return True
        if maker.op.fn is np.ix_:  # positions of a grid: those along each axis, with each other
            return all(_is_distinct(axis, made_by) for axis in maker.args)
    if len(arrays) == 1:
        return _is_distinct(arrays[0], made_by)
    shapes = {entry.type.shape for entry in arrays}  # those of one element are repeated
    (shape, *others) = shapes
    if others or not isinstance(shape, tuple) or len(shape) != 1 or None in shape:
        return False
    return any(_is_distinct(entry, made_by) for entry in arrays)


def _is_distinct(axis: Value, made_by: Mapping[Var, Equation]) -> bool:
    """Whether a value is one axis of positions, none of them twice; a mask names each once."""
    if isinstance(axis, Var) and axis.type.dtype == "b" and axis.type.ndim == 1:
        return True
    maker = made_by.get(axis) if isinstance(axis, Var) else None
    if maker is None or maker.targets[0].type.dtype != "i":
        return False
    if is_in(maker.op.fn, _SOME_OF):
        return _is_distinct(maker.args[0], made_by)
    if maker.op.fn is np.arange and len(maker.args) > 1:
        start = maker.args[0]
        return isinstance(start, Const) and start.value >= 0 and len(maker.args) == 2
    return is_in(maker.op.fn, _ALONE)


def _repeats(entry: Value) -> bool:
    if isinstance(entry, Items):
        numbers = [p.value for p in entry.items if isinstance(p, Const)]
        if len(numbers) < len(entry.items) or not all(isinstance(n, int) for n in numbers):
            return True
        mixed = any(n < 0 for n in numbers) and any(n >= 0 for n in numbers)
        return mixed or len(set(numbers)) < len(numbers)
    type_ = type_of(entry)
    if type_.kind == "slice":
        return False
    return isinstance(entry, Var) and type_.shape != () and type_.dtype != "b"
