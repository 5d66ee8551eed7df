"""Whether slices and places of an array that are read are all of it, taken together.

``x[:, :2]`` and ``x[:, 2:]`` are all of ``x``, and so is ``x[i]`` in a loop over ``range(n)``
that is never left, where ``n`` is the length of ``x``. Of loops that may be left, or whose
slices differ from one iteration to the next, it is asked what the first iteration reads.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.linear import terms_of, weighted_sum
from srcgrad.frontend.expressions.unrolling import leaves_early
from srcgrad.ir.nodes import Const, Equation, Items, Loop, Slice, Value, Var

_ALL = Slice(Const(None), Const(None), Const(None))
Place = str | int
Interval = tuple[int, Place, Place | None]  # the axis, the first place, and that behind the last


def read_together(
    lengths: Lengths, array: Var, reads: Iterable[tuple[Equation, Sequence[Any]]]
) -> bool:
    """Tell whether all entries of an array are read.

    Args:
        lengths: what is known of lengths.
        array: the array.
        reads: subscripts of it, each with the loops that it stands in and the array does not.
    """
    shape = lengths.resolve(array.type.shape)
    if not isinstance(shape, tuple) or array.type.kind != "array":
        return False
    found = [part for eq, loops in reads for part in _intervals(lengths, shape, eq, loops)]
    axes = {axis for axis, _, _ in found}
    return any(
        _covers(lengths, shape[axis], [(a, b) for k, a, b in found if k == axis]) for axis in axes
    )


def _intervals(
    lengths: Lengths, shape: tuple[Any, ...], eq: Equation, loops: Sequence[Any]
) -> Iterator[Interval]:
    """The places along one axis that a subscript certainly reads, of which it takes the rest."""
    index = eq.args[1]
    entries = index.items if isinstance(index, Items) else (index,)
    if eq.op.fn is not operator.getitem or len(entries) > len(shape):
        return
    parts = [(axis, entry) for axis, entry in enumerate(entries) if entry != _ALL]
    if len(parts) != 1 or len(loops) > 1:
        return
    ((axis, entry),) = parts
    bounds = _bounds(lengths, entry)
    if bounds is None:
        return
    first, behind = bounds
    if not loops:
        yield from _plain(axis, first, behind)
        return
    counter = _counter(lengths, loops[0])
    if counter is None:
        return
    least, largest = lengths.bounds[counter]
    terms, constant = terms_of(str(first))
    if not isinstance(entry, Slice) and terms == ((counter, 1),):
        start = weighted_sum([(least, 1), (constant, 1)])
        if isinstance(start, int) and start >= 0 and not leaves_early(loops[0].header.node.body):
            yield axis, start, weighted_sum([(largest, 1), (constant + 1, 1)])
    ascending = loops[0].header.values[2] == Const(1)
    place = least if ascending else largest
    at_first = [b if b is None else _with(b, counter, place) for b in bounds]
    if lengths.at_least(weighted_sum([(largest, 1), (least, -1)]), 0):
        yield from _plain(axis, *at_first)


def _plain(axis: int, first: Any, behind: Any) -> Iterator[Interval]:
    """An interval between numbers that are counted from the front, if it is one."""
    if isinstance(first, int) and first >= 0:
        if behind is None or (isinstance(behind, int) and behind >= 0):
            yield axis, first, behind


def _bounds(lengths: Lengths, entry: Value) -> tuple[Place, Place | None] | None:
    """The first place that an entry of an index takes, and that behind the last one."""
    if isinstance(entry, Slice):
        if entry.step not in (Const(None), Const(1)):
            return None
        first = 0 if entry.lower == Const(None) else lengths.place(entry.lower)
        behind = None if entry.upper == Const(None) else lengths.place(entry.upper)
        unknown = first is None or (behind is None and entry.upper != Const(None))
        return None if unknown else (first, behind)  # type: ignore[return-value]
    place = lengths.place(entry)
    return None if place is None else (place, weighted_sum([(place, 1), (1, 1)]))


def _counter(lengths: Lengths, loop: Any) -> str | None:
    """The name of what a loop over a range counts."""
    if not isinstance(loop, Loop) or getattr(loop.header, "kind", None) != "range":
        return None
    made = [eq for eq in loop.body if isinstance(eq, Equation) and loop.index in eq.args]
    for var in (loop.index, *(target for eq in made for target in eq.targets)):
        name = lengths.counted.get(var)
        if isinstance(name, str) and name in lengths.bounds:
            return name
    return None


def _with(place: Place, counter: str, value: Place) -> Place:
    """A place, with a value for what a loop counts."""
    factor = dict(terms_of(str(place))[0]).get(counter, 0)
    return weighted_sum([(place, 1), (counter, -factor), (value, factor)])


def _covers(lengths: Lengths, length: Any, parts: list[tuple[Place, Place | None]]) -> bool:
    """Whether intervals are all of an axis, which may have to be long enough for that."""
    end: Place = 0
    waiting = list(parts)
    while True:
        if end == length:
            return True
        for part in waiting:
            if part[0] == end or _reaches(lengths, end, part[0]):
                waiting.remove(part)
                break
        else:
            return False
        if part[1] is None:
            return True
        end = part[1]


def _reaches(lengths: Lengths, end: Place, first: Place) -> bool:
    """Whether the places before one are enough to go on at another one."""
    gap = weighted_sum([(end, 1), (first, -1)])
    return lengths.at_least(gap, 0) if isinstance(gap, str) else gap >= 0
