"""The shape of what reading with an index gives."""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.analysis.shapes.indices import entries_of, index_kind
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.nodes import Const, Items, Slice, Value, Var
from srcgrad.ir.types import Contents, Dim, Shape, Type


def type_of_item(array: Type, index: Value, shape: Shape, lengths: Lengths) -> Type:
    """Return the type of ``x[index]``, given its shape: ``x[..., 0]`` is a view of one number."""
    entries = index.items if isinstance(index, Items) else (index,)
    whole = isinstance(index, Const | Var) and type_of(index).kind == "scalar"
    if shape is None and whole and isinstance(array.element, Contents):  # of a range
        return array.element.element
    if shape is None:
        return Type("numeric", lengths.fresh_shape(), array.dtype)
    is_array = shape or lengths.only_arrays or Const(...) in entries
    return Type("array" if is_array else "scalar", shape, array.dtype)


def index_shape(shape: Shape, index: Value, lengths: Lengths) -> Shape:
    """Return the shape of ``x[index]`` for an ``x`` of a known rank, or None."""

    def sliced(length: Dim, entry: Value) -> Dim:
        return lengths.sliced(length, entry) if isinstance(entry, Slice) else None

    return item_axes(shape, index, sliced, _taken, lambda shapes: _together(lengths, shapes))


def item_axes(given: Any, index: Value, sliced: Any, taken: Any, together: Any) -> Any:
    """Return what is known of each axis of ``x[index]``, or None.

    Args:
        given: what is known of each axis of ``x``.
        index: the index.
        sliced: called with what is known of an axis and the slice that is taken of it.
        taken: called with the kind, the rank and an entry that is an array, or an integer
            beside one; gives what is known of the axes of what it picks.
        together: called with the results of that for several entries, which are broadcast.
    """
    if not isinstance(given, tuple):
        return None
    entries = entries_of(index)
    consumed = 0
    for entry in entries:
        kind, rank = index_kind(entry)
        if kind == "unknown":
            return None
        if kind not in ("new", "ellipsis"):
            consumed += rank if kind == "mask" else 1
    if consumed > len(given):
        return None
    if not any(index_kind(e)[0] == "ellipsis" for e in entries):
        entries.append(Const(...))
    fancy = any(index_kind(e)[0] in ("gather", "mask") for e in entries)
    out: list[Any] = []
    places: list[int] = []  # where the axes of the arrays go, by each part that is one of them
    picked: list[Any] = []
    axis = 0
    for entry in entries:
        kind, rank = index_kind(entry)
        if kind == "new":
            out.append(1)
        elif kind == "ellipsis":
            count = len(given) - consumed
            out.extend(given[axis : axis + count])
            axis += count
            if count == 0 and fancy and entry is not entries[-1]:
                return None  # whether it parts the arrays is hard to say
        elif kind == "slice":
            out.append(sliced(given[axis], entry))
            axis += 1
        else:
            axis += rank if kind == "mask" else 1
            if fancy:
                places.append(len(out))
                picked.append(taken(kind, rank, entry))
    if not fancy:
        return tuple(out)
    chosen = picked[0] if len(picked) == 1 else together(picked)
    if not isinstance(chosen, tuple):
        return None
    place = places[0] if len(set(places)) == 1 else 0  # parted by other axes, they come first
    out[place:place] = chosen
    return tuple(out)


def _taken(kind: str, rank: int, entry: Value) -> Shape:
    """The shape of what one part of an index picks where another part is an array."""
    if kind == "integer":
        return ()
    if kind == "mask":
        return (None,)
    if isinstance(entry, Items):
        return (len(entry.items),)
    shape = type_of(entry).shape
    return shape if isinstance(shape, tuple) else (None,) * rank


def _together(lengths: Lengths, shapes: list[Shape]) -> Shape:
    """The shape to which the arrays of an index are broadcast."""
    known = [s for s in map(lengths.resolve, shapes) if isinstance(s, tuple)]
    if any(None in s for s in known):
        return (None,) * max(map(len, known))
    return lengths.broadcast(shapes)
