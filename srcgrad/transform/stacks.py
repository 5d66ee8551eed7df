"""Reverse rules of lists that grow and shrink at their end.

What was appended last is taken off the list of cotangents first.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes.models import note_same
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_INSERT,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_TAKE,
    Block,
    Equation,
    Op,
    Value,
    Var,
)
from srcgrad.ir.types import flat_types
from srcgrad.transform import lists
from srcgrad.transform.zeros import cotangent_type, zero

_STEPS = {LIST_APPEND: 1, LIST_INSERT: 1, LIST_POP: -1, LIST_TAKE: -1}


def list_lengths(block: Block) -> dict[Var, int]:
    """The lengths of lists, where they are known when code is generated."""
    found: dict[Var, int] = {}
    for eq in block:
        if not isinstance(eq, Equation):
            continue
        if eq.op.fn is LIST_NEW:
            element = eq.targets[0].type.element
            found[eq.targets[0]] = len(eq.args) // max(len(flat_types(element)), 1)
        elif eq.op.fn in (*_STEPS, LIST_REVERSED) and eq.args[0] in found:
            step = _STEPS.get(eq.op.fn, 0)
            found[eq.targets[0]] = found[eq.args[0]] + step
    return found


def list_new(r: Any, eq: Equation, bars: list) -> bool:
    """``t = [a, b]``: the cotangents are taken off, the last one first."""
    bar = bars[0]
    if not eq.args:
        return True
    element = bar.type.element
    count = len(element)
    starts = range(0, len(eq.args), count)
    turned = _just_reversed(r, bar)
    if turned is not None:
        bar = turned  # the cotangent of the first element is its last one
        r.claimed.add(bar)
    else:
        starts = reversed(starts)
    for start in starts:
        leaves = eq.args[start : start + count]
        bar, parts = _pop(r, eq, bar, leaves)
        for leaf, part in zip(leaves, parts, strict=True):
            r.accumulate(leaf, part, eq.origin)
    return True


def _just_reversed(r: Any, bar: Var) -> Any:
    """Undo the last step that made a list, if that was to reverse another one; return that."""
    for place in range(len(r.block) - 1, -1, -1):
        eq = r.block[place]
        if getattr(eq, "targets", ()) == (bar,) and eq.op.fn is LIST_REVERSED:
            del r.block[place]
            return eq.args[0]
        if not isinstance(eq, Equation) or eq.op.fn not in (LIST_REVERSED, LIST_POP):
            return None  # it may have been read since
    return None


def _pop(
    r: Any, eq: Equation, bar: Var, leaves: tuple[Value, ...]
) -> tuple[Var, list[Value | None]]:
    """Take the last element off a list of cotangents, which is that of what was put there."""
    element = bar.type.element
    rest = Var(bar.name, bar.type, bar.named)
    r.claimed.add(rest)
    made = [None if t is None else Var("item_bar", t) for t in element]
    live = tuple(v for v in made if v is not None)
    r.block.append(Equation((rest, *live), Op(LIST_POP), (bar,), (), eq.origin, element))
    for part, leaf in zip(made, leaves, strict=True):
        if part is not None:
            note_same(r.context.lengths, part, leaf)
    return rest, list(made)


def list_insert(r: Any, eq: Equation, bars: list) -> bool:
    """``t.insert(k, a)``: ``a_bar = t_bar.pop(k)``."""
    bar = bars[0]
    rest = Var(bar.name, bar.type, bar.named)
    r.claimed.add(rest)
    element = bar.type.element
    made = [None if t is None else Var("item_bar", t) for t in element]
    live = tuple(v for v in made if v is not None)
    args = (bar, eq.args[1])
    r.block.append(Equation((rest, *live), Op(LIST_TAKE), args, (), eq.origin, element))
    for leaf, part in zip(eq.args[2:], made, strict=True):
        r.accumulate(leaf, part, eq.origin)
    if isinstance(eq.args[0], Var):
        r.bars[eq.args[0]] = rest
    return True


def list_append(r: Any, eq: Equation, bars: list) -> bool:
    """``t.append(a)``: ``a_bar = t_bar.pop()``."""
    rest, parts = _pop(r, eq, bars[0], eq.args[1:])
    for leaf, part in zip(eq.args[1:], parts, strict=True):
        r.accumulate(leaf, part, eq.origin)
    if isinstance(eq.args[0], Var):
        r.bars[eq.args[0]] = rest
    return True


def _push(
    r: Any, eq: Equation, target: Var, bars: list, onto: Value | None, place: Value | None = None
) -> Value:
    """Append the cotangents of an element to a list of cotangents, or put them at a place."""
    if onto is None:
        onto = r.emit(LIST_NEW, origin=eq.origin, type_=cotangent_type(target))
    rows = zip(eq.targets[-len(bars) :], bars, cotangent_type(target).element, strict=True)
    parts = [
        bar if bar is not None else zero(r.builder, leaf, eq.origin)
        for leaf, bar, type_ in rows
        if type_ is not None
    ]
    name = onto.name if isinstance(onto, Var) else "list_bar"
    made = Var(name, cotangent_type(target), True)
    r.claimed.add(made)
    op, where = (LIST_APPEND, ()) if place is None else (LIST_INSERT, (place,))
    args: tuple[Any, ...] = (onto, *where, *parts)
    r.block.append(Equation((made,), Op(op), args, (), eq.origin, made.type.element))
    return made


def list_pop(r: Any, eq: Equation, bars: list) -> bool:
    """``a = t.pop()``: ``t_bar.append(a_bar)``; ``a = t.pop(k)``: ``t_bar.insert(k, a_bar)``."""
    source = eq.args[0]
    assert isinstance(source, Var)
    rest = bars[0]
    if rest is None and r.lengths.get(eq.targets[0]) != 0:
        rest = zero(r.builder, eq.targets[0], eq.origin)
    place = eq.args[1] if eq.op.fn is LIST_TAKE else None
    made = _push(r, eq, source, bars[1:], rest, place)
    r.claimed.discard(made)
    r.bars.pop(source, None)
    r.accumulate(source, made, eq.origin)
    return True


def list_item(r: Any, eq: Equation, bars: list) -> bool:
    """``a = t[k]``: added to that element of ``t_bar``, or appended in a loop over all."""
    source = eq.args[0]
    assert isinstance(source, Var)
    if lists.list_item(r, eq, bars):
        return True
    r.bars[source] = _push(r, eq, source, bars, r.bars.get(source))
    return True


def list_reversed(r: Any, eq: Equation, bars: list) -> bool:
    """``t[::-1]``: ``t_bar[::-1]``."""
    made = r.emit(LIST_REVERSED, bars[0], origin=eq.origin, type_=bars[0].type)
    r.accumulate(eq.args[0], made, eq.origin)
    return True
