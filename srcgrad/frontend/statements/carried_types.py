"""What is known of what a loop carries: how long lists are, and that sums of arrays are arrays."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.models import extents
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.carrying import Iterable
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_ITEM,
    Block,
    Carried,
    Const,
    Equation,
    Items,
    Value,
    Var,
)
from srcgrad.ir.types import Dim, Type


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


def totals(
    b: Builder,
    iterable: Iterable | None,
    start: dict[str, Value],
    params: dict[str, Value],
    after: dict[str, Value],
    body: Block,
) -> dict[Value, Type]:
    """Return the types of sums of arrays that a loop begins with a number (``total = 0``).

    Of what the first iteration is given nothing is read but that it is added to, and its
    cotangent is not asked for: it may as well be an array of zeros. What else had the sum would
    see it change in place, from the second iteration on. The loop is one that is not left early.
    """
    found: dict[Value, Type] = {}
    uses = count_uses(body, list(after.values()))
    ends = {eq.targets[0]: eq for eq in body if isinstance(eq, Equation)}
    for name, param in params.items():
        last = after.get(name)
        eq = ends.get(last)  # type: ignore[arg-type]
        if eq is None or eq.op.fn not in (operator.add, operator.sub) or eq.options:
            continue
        if not isinstance(start[name], Const) or type_of(param).ndim is None:
            continue
        added = eq.args[0] is param or (eq.op.fn is operator.add and eq.args[1] is param)
        alone = uses.get(param) == 1 and uses.get(last) == 1  # type: ignore[call-overload]
        if added and alone and type_of(last).ndim:  # type: ignore[arg-type]
            if is_entered(b.context.lengths, iterable):
                found[param] = type_of(last)  # type: ignore[arg-type]
    return found


def is_entered(lengths: Lengths, iterable: Iterable | None) -> bool:
    """Whether a loop goes around at least once, which is relied on."""
    count = _count(lengths, iterable)
    return count is not None and lengths.at_least(count, 1)


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
        ends = [(lengths.whole(stop), 1), (lengths.whole(start), -1)]
        return lengths.total(ends) if step == Const(1) else None
    if iterable.kind == "value" and isinstance(iterable.parts[0], Items):
        return len(iterable.parts[0].items)
    if iterable.kind == "value":
        shape = lengths.resolve(type_of(iterable.parts[0]).shape)
        return shape[0] if isinstance(shape, tuple) and shape else None
    counts = {_count(lengths, part) for part in iterable.parts if isinstance(part, Iterable)}
    return counts.pop() if len(counts) == 1 else None
