"""How long lists are to which each iteration of a loop appends one element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.models import extents
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.carrying import Iterable
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import LIST_APPEND, LIST_ITEM, Block, Carried, Const, Equation, Value, Var
from srcgrad.ir.types import Dim


def note_lengths(
    b: Builder, iterable: Iterable | None, carried: list[Carried], body: Block
) -> None:
    """Note how long lists are to which each iteration of a loop appends one element.

    A list of such a type is one of that length; whatever changes it gives it another type. The
    loop is one that is not left early.
    """
    lists = [c for c in carried if c.out.type.kind == "list" and isinstance(c.init, Var)]
    count = _count(b.context.lengths, iterable) if lists else None
    ends = {eq.targets[0]: eq for eq in body if isinstance(eq, Equation)}
    for c in lists if count is not None else ():
        last = ends.get(c.next)  # type: ignore[arg-type]
        if last is None or last.op.fn is not LIST_APPEND or last.args[0] is not c.param:
            continue
        kind = c.init.type  # type: ignore[union-attr]
        start = 0 if kind.element is None else kind.shape[0] if kind.shape else None
        total = count if start == 0 else b.context.lengths.total([(start, 1), (count, 1)])
        if total is not None:
            c.out.type = replace(c.out.type, shape=(total,))


def note_last(b: Builder, carried: list[Carried], body: Block, index: Var) -> None:
    """Note how long axes are behind a loop over a list, which those of its last element tell.

    The loop is one that is not left early, and goes through the elements in their order.
    """
    lengths = b.context.lengths
    read: dict[Any, Value] = {}
    for eq in body:
        if isinstance(eq, Equation) and eq.op.fn is LIST_ITEM and eq.args[1] is index:
            rows = lengths.rows.get(eq.args[0])  # type: ignore[arg-type]
            if rows and len(rows[-1]) == len(eq.targets):
                read |= dict(zip(eq.targets, rows[-1], strict=True))
    for c in carried:
        known = lengths.extents(c.next) if isinstance(c.next, Var) else None
        for axis, told in enumerate(known or ()):
            owner, place = told if isinstance(told, tuple) else (None, -1)
            if owner in read and place >= 0:
                outer = extents(lengths, read[owner])
                if outer is not None and outer[place] is not None:
                    lengths.axes[c.out, axis] = outer[place]


def _count(lengths: Lengths, iterable: Iterable | None) -> Dim:
    """How often a loop goes around; None where that has no name."""
    if iterable is None or not iterable.parts:
        return None
    if iterable.kind == "range":
        start, stop, step = iterable.parts
        known = (start, step) == (Const(0), Const(1))
        return lengths.total([(lengths.whole(stop), 1)]) if known else None
    if iterable.kind == "value":
        shape = lengths.resolve(type_of(iterable.parts[0]).shape)
        return shape[0] if isinstance(shape, tuple) and shape else None
    counts = {_count(lengths, part) for part in iterable.parts if isinstance(part, Iterable)}
    return counts.pop() if len(counts) == 1 else None
