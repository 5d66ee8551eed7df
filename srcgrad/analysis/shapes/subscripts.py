"""The shape of what reading with an index gives."""

from __future__ import annotations

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.analysis.shapes.indices import entries_of, index_kind
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.nodes import Const, Items, Slice, Value
from srcgrad.ir.types import Dim, Shape, Type


def type_of_item(array: Type, index: Value, shape: Shape, lengths: Lengths) -> Type:
    """Return the type of ``x[index]``, given its shape: ``x[..., 0]`` is a view of one number."""
    entries = index.items if isinstance(index, Items) else (index,)
    if shape is None:
        return Type("numeric", lengths.fresh_shape(), array.dtype)
    is_array = shape or lengths.only_arrays or Const(...) in entries
    return Type("array" if is_array else "scalar", shape, array.dtype)


def index_shape(shape: Shape, index: Value, lengths: Lengths) -> Shape:
    """Return the shape of ``x[index]`` for an ``x`` of a known rank, or None."""
    if not isinstance(shape, tuple):
        return None
    entries = entries_of(index)
    consumed = 0
    for entry in entries:
        kind, rank = index_kind(entry)
        if kind == "unknown":
            return None
        if kind not in ("new", "ellipsis"):
            consumed += rank if kind == "mask" else 1
    if consumed > len(shape):
        return None
    if not any(index_kind(e)[0] == "ellipsis" for e in entries):
        entries.append(Const(...))
    fancy = any(index_kind(e)[0] in ("gather", "mask") for e in entries)
    out: list[Dim] = []
    places: list[int] = []  # where the axes of the arrays go, by each part that is one of them
    taken: list[Shape] = []
    axis = 0
    for entry in entries:
        kind, rank = index_kind(entry)
        if kind == "new":
            out.append(1)
        elif kind == "ellipsis":
            count = len(shape) - consumed
            out.extend(shape[axis : axis + count])
            axis += count
            if count == 0 and fancy and entry is not entries[-1]:
                return None  # whether it parts the arrays is hard to say
        elif kind == "slice":
            out.append(lengths.sliced(shape[axis], entry) if isinstance(entry, Slice) else None)
            axis += 1
        else:
            axis += rank if kind == "mask" else 1
            if fancy:
                places.append(len(out))
                taken.append(_taken(kind, rank, entry))
    if not fancy:
        return tuple(out)
    chosen = taken[0] if len(taken) == 1 else _together(lengths, taken)
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
