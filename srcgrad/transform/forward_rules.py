"""Forward mode of the operations that have no formula: in-place writes and lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    INTERCEPT,
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    PERTURB,
    READ,
    Const,
    Equation,
    Items,
    Op,
    Value,
    Var,
)
from srcgrad.ir.types import flat_types
from srcgrad.runtime import add_lists, list_along, list_like, spread_over, zeros_in, zeros_of_active
from srcgrad.transform.tangents import dot_type
from srcgrad.transform.zeros import active_parts, cotangent_type, zeros_like


def _store(f: Any, eq: Equation) -> None:
    base, index, value = eq.args
    if not eq.targets[0].type.active:  # an array of integers keeps no tangent
        return
    base_dot, value_dot = f.dot(base, eq.origin), f.dot(value, eq.origin)
    if base_dot is None and value_dot is None:
        return
    if value_dot is None and eq.op.fn is not INDEX_SET:
        f.give(eq.targets[0], base_dot)
        return
    if value_dot is not None and f.context.shaped_as.get(value) is base:
        f.give(eq.targets[0], value_dot)  # all that a called function has made of an array
        return
    if base_dot is None:
        base_dot = f.zero(base, eq.origin)
        if isinstance(base_dot, Const):  # an array without dimensions can be written, a number not
            base_dot = zeros_like(f.builder, base, cotangent_type(base))
    elif type_of(base).ndim == 0:  # its tangent may be a number
        raise f.refuse(
            eq.origin,
            "a write to an array without dimensions, whose tangent may be a number,",
            "assign a new value to the name",
        )
    if value_dot is None:
        value_dot = Const(0.0)
    type_ = dot_type(eq.targets[0].type)
    made = f.emit(eq.op.fn, base_dot, index, value_dot, origin=eq.origin, type_=type_)
    f.give(eq.targets[0], made)


def has_tangents(value: Value) -> bool:
    """Whether a value is a list beside which there is one of the tangents in its elements."""
    type_ = type_of(value)
    return type_.kind == "list" and any(t.active for t in flat_types(type_.element))


def _parts(f: Any, eq: Equation, values: tuple[Value, ...]) -> list[Value]:
    """The tangents of the parts of elements that have one, zeros written out."""
    element = dot_type(eq.targets[0].type).element
    out = []
    for k, value in enumerate(values):
        if element[k % len(element)] is None:
            continue
        dot = f.dot(value, eq.origin)
        out.append(f.zero(value, eq.origin) if dot is None else dot)
    return out


def _whole(f: Any, eq: Equation, value: Value) -> Value:
    """The list of tangents beside a list; one that was not made here has none."""
    if value not in f.dots and has_tangents(value) and not type_of(value).active:
        _zeros_beside(f, replace(eq, targets=(value,)), value)  # type: ignore[arg-type]
    dot = f.dots.get(value)
    if dot is None:
        raise f.refuse(
            eq.origin,
            "forward mode through active values in a list that came from elsewhere",
            "make a list of it here: xs = list(xs)",
        )
    return dot


def _made_list(f: Any, eq: Equation, fn: Any, *args: Value, payload: Any = None) -> None:
    """Append what is done to a list of tangents."""
    target = eq.targets[0]
    made = f.made(target)
    f.builder.block.append(Equation((made,), Op(fn), args, (), eq.origin, payload))
    f.dots[target] = made


def _list_new(f: Any, eq: Equation) -> None:
    if has_tangents(eq.targets[0]):
        count = sum(t is not None for t in dot_type(eq.targets[0].type).element)
        _made_list(f, eq, LIST_NEW, *_parts(f, eq, eq.args), payload=count)


def _list_append(f: Any, eq: Equation) -> None:
    target = eq.targets[0]
    if has_tangents(target):
        args = (_whole(f, eq, eq.args[0]), *_parts(f, eq, eq.args[1:]))
        _made_list(f, eq, LIST_APPEND, *args, payload=dot_type(target.type).element)


def _list_insert(f: Any, eq: Equation) -> None:
    target = eq.targets[0]
    if has_tangents(target):
        args = (_whole(f, eq, eq.args[0]), eq.args[1], *_parts(f, eq, eq.args[2:]))
        _made_list(f, eq, LIST_INSERT, *args, payload=dot_type(target.type).element)


def _list_set(f: Any, eq: Equation) -> None:
    target = eq.targets[0]
    if has_tangents(target):
        base, index, value = eq.args
        parts = _parts(f, eq, leaves(value))
        part = parts[0] if len(parts) == 1 else Items(tuple(parts))
        whole = _whole(f, eq, base)
        _made_list(f, eq, LIST_SET, whole, index, part, payload=dot_type(target.type).element)


def _zeros_in(f: Any, eq: Equation) -> None:
    """Zeros that active values are written over later."""
    if has_tangents(eq.targets[0]):
        _zeros_beside(f, eq, eq.args[0])


def _zeros_of_active(f: Any, eq: Equation) -> None:
    """The same, in the structure of these zeros."""
    if has_tangents(eq.targets[0]):
        _zeros_beside(f, eq, eq.targets[0])


def _zeros_beside(f: Any, eq: Equation, given: Value) -> None:
    """Zeros for the parts of a list's elements that have tangents, in the shapes of another's."""
    element = eq.targets[0].type.element
    kept = active_parts(element)
    if kept is True or kept == (True,) * len(flat_types(element)):
        _made_list(f, eq, zeros_in, given)
    else:
        _made_list(f, eq, zeros_of_active, given, Const(kept))


def _linear(f: Any, eq: Equation) -> None:
    """Stacking, joining and adding up a list, or cutting an array into one: linear."""
    target = eq.targets[0]
    if all(type_of(v).kind != "list" for v in (target, *eq.args)):
        f.formula(eq)
        return
    dot = f.dot(eq.args[0], eq.origin)
    if dot is None and has_tangents(target):  # active values are written over these
        _zeros_beside(f, eq, target)
        return
    if dot is None or not target.type.active:
        return
    if eq.op.fn is np.stack and not _is_like(type_of(eq.args[0]).element):
        what = "forward mode through an array of tuples of tuples, or of parts without tangent,"
        raise f.refuse(eq.origin, what, "append arrays: t.append(np.array([a, b]))")
    made = f.made(target)
    args = (dot, *eq.args[1:])
    f.builder.block.append(Equation((made,), eq.op, args, eq.options, eq.origin))
    f.dots[target] = made


def _is_like(element: Any) -> bool:
    """Whether the elements of a list of tangents have the form of those of the list beside it."""
    parts = element if isinstance(element, tuple) else (element,)
    if any(isinstance(part, tuple) or not part.active for part in parts):
        return False
    return all(_is_like(part.element) for part in parts if part.kind == "list")


def _read(f: Any, eq: Equation, fn: Any, args: list[Value], rest: tuple[Var, ...]) -> None:
    """Read the tangents of an element from a list of tangents."""
    items = eq.targets[len(rest) :]
    element = dot_type(eq.args[0].type).element  # type: ignore[union-attr]
    made = {t: f.made(t) for t, m in zip(items, element, strict=True) if m is not None}
    targets = (*(f.made(t) for t in rest), *made.values())
    f.dots |= made
    f.dots |= dict(zip(rest, targets, strict=False))
    f.builder.block.append(Equation(targets, Op(fn), tuple(args), (), eq.origin, element))


def _list_pop(f: Any, eq: Equation) -> None:
    if has_tangents(eq.args[0]):
        _read(f, eq, eq.op.fn, [_whole(f, eq, eq.args[0]), *eq.args[1:]], eq.targets[:1])


def _list_item(f: Any, eq: Equation) -> None:
    if has_tangents(eq.args[0]):
        _read(f, eq, LIST_ITEM, [_whole(f, eq, eq.args[0]), eq.args[1]], ())


def _list_copied(f: Any, eq: Equation) -> None:
    if has_tangents(eq.targets[0]):
        _made_list(f, eq, list, _whole(f, eq, eq.args[0]))


def _lists_added(f: Any, eq: Equation) -> None:
    """A sum of lists: where only one summand has tangents, these are the tangents of the sum."""
    target = eq.targets[0]
    if not has_tangents(target):
        return
    dots = [dot for dot in (f.dots.get(a) for a in eq.args) if dot is not None]
    if not dots:
        _zeros_beside(f, eq, target)
        return
    if len(dots) == 1 and any(t.kind == "list" for t in flat_types(dots[0].type.element)):
        f.builder.fixed_origin = eq.origin  # the lists in it are not shared
        dots.append(f.builder.emit(Op(zeros_in), (dots[0],), None, type_=dots[0].type))
    _made_list(f, eq, add_lists if len(dots) == 2 else list, *dots)


def _list_reversed(f: Any, eq: Equation) -> None:
    if has_tangents(eq.targets[0]):
        _made_list(f, eq, LIST_REVERSED, _whole(f, eq, eq.args[0]))


def _intercept(f: Any, eq: Equation) -> None:
    """There is no way back, so what stands there does nothing."""
    f.give(eq.targets[0], f.dot(eq.args[0], eq.origin))


RULES: dict[Any, Any] = {
    INTERCEPT: _intercept,
    PERTURB: _intercept,
    READ: _intercept,
    INDEX_ADD: _store,
    ADD_AT: _store,
    INDEX_SET: _store,
    LIST_NEW: _list_new,
    LIST_APPEND: _list_append,
    LIST_POP: _list_pop,
    LIST_INSERT: _list_insert,
    LIST_TAKE: _list_pop,
    LIST_ITEM: _list_item,
    LIST_REVERSED: _list_reversed,
    LIST_SET: _list_set,
    np.stack: _linear,
    np.concatenate: _linear,
    sum: _linear,
    list_along: _linear,
    list_like: _linear,
    spread_over: _linear,
    zeros_in: _zeros_in,
    zeros_of_active: _zeros_of_active,
    list: _list_copied,
    add_lists: _lists_added,
}
