"""Of which kinds the entries of an index are."""

from __future__ import annotations

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.ir.nodes import Const, Items, Slice, Value, Var
from srcgrad.ir.types import INTEGER, Contents


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
    if isinstance(index, Items) and not index.is_list:
        return list(index.items)
    held = index.type.element if isinstance(index, Var) else None
    parts = held.parts if isinstance(held, Contents) else None
    if parts and all(isinstance(t.shape, tuple) and 1 in t.shape for t in parts):
        return [Var("index", t) for t in parts]  # of data, no length is known to be 1
    return [index]


def is_basic(index: Value) -> bool:
    """Whether reading or writing with an index touches each element at most once."""
    entries = index.items if isinstance(index, Items) and not index.is_list else (index,)
    return all(index_kind(e)[0] in ("slice", "integer", "new", "ellipsis", "mask") for e in entries)


def is_plain(index: Value) -> bool:
    """Whether an index consists of integers, slices, None and an ellipsis only."""
    entries = index.items if isinstance(index, Items) and not index.is_list else (index,)
    return all(index_kind(e)[0] in ("slice", "integer", "new", "ellipsis") for e in entries)


def may_repeat(index: Value) -> bool:
    """Whether an index may name a position more than once."""
    entries = index.items if isinstance(index, Items) and not index.is_list else (index,)
    return any(_repeats(entry) for entry in entries)


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
