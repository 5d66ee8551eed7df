"""Reverse rules of what programs do with lists: reading, writing, stacking and adding up.

The cotangent of a list is a list of cotangents, one for each element.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sized
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import defined
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    LIST_ITEM,
    LIST_SET,
    Const,
    Equation,
    Items,
    Loop,
    Op,
    Value,
    Var,
    equations,
    is_active,
    variables,
)
from srcgrad.ir.types import Type, flat_types
from srcgrad.runtime import add_lists, list_along, list_like, spread_over, zeros_in
from srcgrad.transform.zeros import cotangent_type, zero

_FAR = 20  # how many equations ago


def taken_in_order(loop: Loop, rows: Mapping[Any, Sized]) -> set[Equation]:
    """The reads of a loop that take each element of a list, from the first to the last.

    Their cotangents can be collected by appending. Of several lists that are gone through side
    by side, all have as many elements.
    """
    header = loop.header
    if getattr(header, "kind", "") != "iterable":
        return set()
    numbers = {len(rows[value]) if value in rows else None for value in header.values}
    if len(header.values) != 1 and (len(numbers) != 1 or None in numbers):
        return set()
    if getattr(loop.frame, "exits", None) is not None:
        return set()
    reads = [eq for eq in equations(loop.body) if eq.op.fn is LIST_ITEM]
    inside = defined(loop.body)  # a list that is made anew each time is not gone through
    inside |= {entry.param for entry in loop.carried}  # and one that changes is more than read
    found = set()
    for eq in loop.body:
        if isinstance(eq, Equation) and eq.op.fn is LIST_ITEM and eq.args[1] is loop.index:
            alone = sum(other.args[0] is eq.args[0] for other in reads) == 1
            if alone and eq.args[0] not in inside:
                found.add(eq)
    return found


def list_item(r: Any, eq: Equation, bars: list) -> bool:
    """``v = t[k]``: ``t_bar[k] = t_bar[k] + v_bar``."""
    source, index = eq.args
    assert isinstance(source, Var)
    if eq in r.in_order:
        r.collected.add(source)
        return False
    r.bars[source] = add_to_item(r, eq, source, index, bars)
    return True


def add_to_item(r: Any, eq: Equation, source: Var, index: Value, bars: list) -> Value:
    """Add to one element of the cotangent of a list, which may be a tuple."""
    whole = r.bars.get(source)
    if whole is None:
        whole = zero(r.builder, source, eq.origin)
        r.claim(whole, source)
    element = _element(source)
    cleared = _cleared(r, whole, index)
    if cleared is not None and len(bars) == 1 and bars[0] is not None:
        r.block.remove(cleared)
        before, read = cleared.args[0], _last_read(r, cleared.args[0], index)
        same = read is not None and read.targets == (bars[0],)
        return before if same else _write(r, eq, source, before, index, bars[0])
    old = _read(r, eq, whole, index, element)
    live = [(t, bar) for t, bar in zip(element, bars, strict=True) if t is not None]
    parts = [
        part if bar is None else r.emit(_adding(t), part, bar, origin=eq.origin, type_=t)
        for part, (t, bar) in zip(old, live, strict=True)
    ]
    item = parts[0] if len(parts) == 1 else Items(tuple(parts))
    return _write(r, eq, source, whole, index, item)


def _cleared(r: Any, whole: Value, index: Value) -> Equation | None:
    """What has just put a zero there, in the place of a number, where nobody has read it since."""
    for k, eq in enumerate(reversed(r.block)):
        if not isinstance(eq, Equation):
            return None
        if whole in eq.targets:
            zero_there = eq.op.fn is LIST_SET and eq.args[1:] == (index, Const(0.0))
            return eq if zero_there else None
        if k > _FAR or any(whole in variables(arg) for arg in eq.args):
            return None
    return None


def _last_read(r: Any, whole: Value, index: Value) -> Equation | None:
    """What reads an element of a list that is as it is."""
    for eq in reversed(r.block):
        if isinstance(eq, Equation) and eq.op.fn is LIST_ITEM and eq.args == (whole, index):
            return eq
    return None


def _adding(type_: Type) -> Any:
    """What adds two cotangents of a type: ``+`` would put one list behind the other."""
    return add_lists if type_.kind == "list" else operator.add


def _write(r: Any, eq: Equation, source: Var, whole: Value, index: Value, item: Value) -> Var:
    element = _element(source)
    kind = Type("list", active=True, element=element)
    made = Var(whole.name if isinstance(whole, Var) else "list_bar", kind, True)
    r.claimed.add(made)
    r.block.append(Equation((made,), Op(LIST_SET), (whole, index, item), (), eq.origin, element))
    return made


def list_set(r: Any, eq: Equation, bars: list) -> bool:
    """``t[k] = v``: ``v_bar = t_bar[k]``, and nothing of it goes to what was there before."""
    source, index, value = eq.args
    assert isinstance(source, Var)
    element = _element(eq.targets[0])
    items = _read(r, eq, bars[0], index, element)
    live = iter(items)
    for part, type_ in zip(leaves(value), element, strict=True):
        item = None if type_ is None else next(live)
        if item is not None and is_active(part):
            r.accumulate(part, item, eq.origin)
    if source.type.active:
        before = _shaped_as_before(r, eq, element, items)
        zeros = [_zero_like(r, eq, item) for item in before]
        empty = zeros[0] if len(zeros) == 1 else Items(tuple(zeros))
        r.bars[source] = _write(r, eq, source, bars[0], index, empty)
    return True


def _shaped_as_before(r: Any, eq: Equation, element: Any, items: list[Var]) -> list[Var]:
    """Values with the shapes of what a write replaces: what it puts there, if these are the same.

    A list may hold arrays of several lengths. Then the list as it was before the write is kept.
    """
    source, index, value = eq.args
    pairs = zip(leaves(value), element, strict=True)
    if all(t is None or r.context.lengths.same(t, type_of(part)) for part, t in pairs):
        return items
    parts = _read(r, eq, source, index, tuple(flat_types(source.type.element)))  # type: ignore
    return [part for part, t in zip(parts, element, strict=True) if t is not None]


def _element(var: Var) -> Any:
    """The types of the parts of an element of a list's cotangent, None for one without."""
    return cotangent_type(var).element


def _zero_like(r: Any, eq: Equation, item: Var) -> Value:
    if item.type.kind == "list":
        return r.emit(zeros_in, item, origin=eq.origin, type_=item.type)
    if item.type.shape == ():
        return Const(0.0)
    return r.emit(np.zeros_like, item, origin=eq.origin, type_=item.type)


def _read(r: Any, eq: Equation, whole: Value, index: Value, element: Any) -> list[Var]:
    """The parts of one element of the cotangent of a list."""
    if len(element) == 1:
        item = r.emit(LIST_ITEM, whole, index, origin=eq.origin, type_=element)
        return [item if isinstance(item, Var) else item.items[0]]
    parts = [Var("item_bar", t) for t in element if t is not None]
    r.block.append(Equation(tuple(parts), Op(LIST_ITEM), (whole, index), (), eq.origin))
    return parts


def total(r: Any, target: Var, old: Value, new: Value, origin: Any) -> Value:
    """The sum of two contributions to the cotangent of a list."""
    made = r.emit(add_lists, old, new, origin=origin, type_=cotangent_type(target))
    r.claim(made, target)
    return made


def summands_of(r: Any, eq: Equation, bars: list) -> bool:
    """Adding lists, for second order: both summands get the cotangents of the sum."""
    first, second = eq.args
    if is_active(second):  # taking cotangents off the one list must leave the other
        copy = _copy_of(r, eq, bars[0])
        r.accumulate(second, copy, eq.origin)
    r.accumulate(first, bars[0], eq.origin)
    return True


def _copy_of(r: Any, eq: Equation, bar: Var) -> Value:
    """A copy of the cotangent of a list, in which the lists in it are copies as well."""
    if not any(t.kind == "list" for t in flat_types(bar.type.element)):
        return r.emit(list, bar, origin=eq.origin, type_=bar.type)
    zeros = r.emit(zeros_in, bar, origin=eq.origin, type_=bar.type)
    return r.emit(add_lists, bar, zeros, origin=eq.origin, type_=bar.type)


def of_zeros(r: Any, eq: Equation, bars: list) -> bool:
    """Zeros in the structure of a list do not depend on it."""
    return True


def copied(r: Any, eq: Equation, bars: list) -> bool:
    """``list(t)``: the cotangent of the copy."""
    r.accumulate(eq.args[0], bars[0], eq.origin)
    return True


def stacked(r: Any, eq: Equation, bars: list) -> bool:
    """``np.array(t)`` and ``np.stack(t, axis)``: the parts of the cotangent along the axis."""
    source = eq.args[0]
    if not isinstance(source, Var) or source.type.kind != "list":
        return False
    type_, rows = cotangent_type(source), _rows(source.type.element)
    if rows is True:
        axis = dict(eq.options).get("axis", Const(0))
        parts = r.emit(list_along, bars[0], origin=eq.origin, type_=type_, axis=axis)
    else:
        parts = Var("rows_bar", type_)
        r.block.append(Equation((parts,), Op(list_along), (bars[0],), (), eq.origin, rows))
    r.accumulate(source, parts, eq.origin)
    return True


def _rows(element: Any) -> Any:
    """What a row of an array is taken apart to, which stands for an element of a list.

    Returns:
        True for a number or an array, a list of what its rows are taken apart to for a list, and
        for a tuple the places of its active leaves, each with what it is taken apart to.
    """
    if isinstance(element, tuple):
        return tuple((place, _rows(t)) for place, t in _places(element) if t.active)
    return [_rows(element.element)] if element.kind == "list" else True


def _places(element: Any, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Type]]:
    """The types of the leaves of an element, each with the indices that lead to it."""
    if isinstance(element, tuple):
        for k, part in enumerate(element):
            yield from _places(part, (*place, k))
    else:
        yield place, element


def joined(r: Any, eq: Equation, bars: list) -> bool:
    """``np.concatenate(t, axis)``: the cotangent cut into pieces like the elements."""
    source = eq.args[0]
    if not isinstance(source, Var) or source.type.kind != "list":
        return False
    axis = dict(eq.options).get("axis", Const(0))
    parts = r.emit(
        list_like, bars[0], source, origin=eq.origin, type_=cotangent_type(source), axis=axis
    )
    r.accumulate(source, parts, eq.origin)
    return True


def added_up(r: Any, eq: Equation, bars: list) -> bool:
    """``sum(t)``: each element gets the cotangent of the sum."""
    source = eq.args[0]
    if not isinstance(source, Var) or source.type.kind != "list":
        return False
    parts = r.emit(spread_over, bars[0], source, origin=eq.origin, type_=cotangent_type(source))
    r.accumulate(source, parts, eq.origin)
    if len(eq.args) > 1 and is_active(eq.args[1]):
        r.accumulate(eq.args[1], bars[0], eq.origin)
    return True


def parts_of(r: Any, eq: Equation, bars: list) -> bool:
    """The transposes of the above, for second order: the list is put together again."""
    r.builder.fixed_origin = eq.origin
    flat = type_of(eq.args[0]).ndim in (1, None) and not eq.options  # there may be no element
    op = Op(np.stack, "call", "array" if flat else "stack")
    made = r.builder.emit(op, (bars[0],), None, eq.options)
    r.accumulate(eq.args[0], made, eq.origin)
    return True


def pieces_of(r: Any, eq: Equation, bars: list) -> bool:
    """The transpose of cutting into pieces is joining them."""
    r.accumulate(
        eq.args[0],
        r.emit(np.concatenate, bars[0], origin=eq.origin, **dict(eq.options)),
        eq.origin,
    )
    return True


def shares_of(r: Any, eq: Equation, bars: list) -> bool:
    """The transpose of giving each element the same is adding up."""
    r.accumulate(eq.args[0], r.emit(sum, bars[0], origin=eq.origin), eq.origin)
    return True
