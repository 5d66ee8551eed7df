"""What changes a list whose elements are known: every name that holds it sees the change.

Where an element is put, or taken, at a place that is not known when code is generated, the
list becomes one of varying length (`lists.py`), or, if nothing in it is differentiated,
an object of which nothing is known. Slices of lists of varying length, and unpacking with a star,
are written in other words: as the elements whose numbers are in the slice of its range.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import is_list
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers import lists
from srcgrad.frontend.containers.effects import forget
from srcgrad.frontend.containers.handed_objects import objects_in
from srcgrad.frontend.containers.structures import replace_object, require_writable, sequence
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import (
    Rewriting,
    fresh_name,
    held,
    in_place_of,
    instead,
    loop_written_out,
    way_of,
)
from srcgrad.frontend.text.names import grown_names, names_in
from srcgrad.frontend.text.templates import assignment, expression, statements, text_of
from srcgrad.frontend.text.trees import assigned, kinds_in, small_of
from srcgrad.ir.demands import What
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Compound, Const, Items, Struct, Value, Var, is_active, variables


def change(b: Builder, old: Items, items: tuple[Value, ...], node: Any) -> None:
    """Let a list hold other elements from here on, under all of its names."""
    require_writable(b, old, node)
    replace_object(b, old, Items(items, True, old.token))


def call_method(b: Builder, receiver: Items, name: str, args: tuple[Value, ...], node: Any):
    """Lower ``receiver.name(*args)`` for a list whose elements are known."""
    items = receiver.items
    if name == "copy" and not args:
        return Items(items, True, object())
    place = args[0].value if args and isinstance(args[0], Const) else None
    if name == "append" and len(args) == 1:
        change(b, receiver, (*items, args[0]), node)
    elif name == "extend" and len(args) == 1:
        extend(b, receiver, args[0], node)
    elif name == "insert" and len(args) == 2 and isinstance(place, int):
        k = slice(place, None).indices(len(items))[0]
        change(b, receiver, (*items[:k], args[1], *items[k:]), node)
    elif name == "pop" and items and (not args or _inside(place, items)):
        k = range(len(items))[place if args else -1]  # type: ignore[index]
        change(b, receiver, (*items[:k], *items[k + 1 :]), node)
        return items[k]
    elif name == "reverse" and not args:
        change(b, receiver, items[::-1], node)
    elif name == "clear" and not args:
        change(b, receiver, (), node)
    elif name == "sort" and is_active(receiver):
        raise lists.sort_in_place(b, node)
    elif name in ("index", "count") and not is_active(Items((receiver, *args))):
        return b.opaque(node, [receiver, *args])
    elif not is_active(Items((receiver, *args))):
        require_writable(b, receiver, node)
        b.layout.impure.add(id(node))
        forget(b, receiver)
        return b.opaque(node, [receiver, *args])
    else:
        raise b.refuse(
            node,
            f"this use of the list method .{name} on values that are differentiated",
            "use indices that are known when code is generated, or make another list",
        )
    return Const(None)


def _inside(place: Any, items: tuple[Value, ...]) -> bool:
    return isinstance(place, int) and -len(items) <= place < len(items)


def set_known(b: Builder, base: Items, index: Value, value: Value, node: Any) -> bool:
    """Lower ``base[index] = value``; False where the place is not known."""
    if not isinstance(index, Const) or not _inside(index.value, base.items):
        return False
    k = range(len(base.items))[index.value]
    change(b, base, (*base.items[:k], value, *base.items[k + 1 :]), node)
    return True


def delete(b: Builder, base: Items, index: Value, node: Any) -> None:
    """Lower ``del base[index]``."""
    if not isinstance(index, Const) or not _inside(index.value, base.items):
        raise b.refuse(node, "del of an element at a place that is not known", "make another list")
    k = range(len(base.items))[index.value]
    change(b, base, (*base.items[:k], *base.items[k + 1 :]), node)


def extend(b: Builder, receiver: Value, value: Value, node: Any) -> None:
    """Lower ``receiver.extend(value)`` and ``receiver += value``."""
    parts = sequence(value)
    if parts is not None and isinstance(receiver, Items):
        change(b, receiver, (*receiver.items, *parts), node)
        return
    if parts is not None and isinstance(receiver, Var):
        for part in parts:
            receiver = lists.call_method(b, receiver, "append", (part,), node, again=True)
        return
    raise Rewriting(lambda statement: _appending(b, statement))


def augmented(b: Builder, node: cst.AugAssign, fn: Any, old: Value, value: Value) -> bool:
    """Lower ``t += v`` and ``t *= k`` for a list; False where it is none."""
    known = isinstance(old, Items) and old.is_list and b.formula is None
    if not known and not (isinstance(old, Var) and old.type.kind == "list"):
        return False
    given = type_of(value)
    if given.is_number and given.kind != "scalar":
        return False  # NumPy makes an array of both
    if given.kind == "opaque" and given.element is None and sequence(value) is None:
        raise b.refuse(
            node, "a list += what is not known to be a list", "write t.extend(v), or t = t + v"
        )
    if fn is operator.add:
        extend(b, old, value, node)
        return True
    if fn is operator.mul and isinstance(old, Items) and isinstance(value, Const):
        change(b, old, old.items * value.value, node)
        return True
    return False


def _appending(b: Builder, statement: Any) -> list[Any]:
    """Write ``a += b`` and ``a.extend(b)`` as a loop that appends."""
    small = small_of(statement)
    if isinstance(small, cst.AugAssign):
        target, value = small.target, small.value
    elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        call = small.value
        target, value = call.func.value, call.args[0].value  # type: ignore[union-attr]
    else:
        raise b.refuse(statement, "extending a list here", "append its elements in a for loop")
    name, before = fresh_name(b, "item"), []
    if not isinstance(value, cst.Name):
        before, value = held(b, value)
    return [
        *before,
        *statements(f"for {name} in _v:\n    _t.append({name})\n", _v=value, _t=target),
    ]


def are_held(b: Builder) -> bool:
    """Whether an object holds a list whose elements are known."""
    objects = (held for held in objects_in(b.env.values()) if isinstance(held, Struct))
    return any(isinstance(part, Items) and part.is_list for held in objects for part in held.items)


def that_differ(b: Builder, ends: Sequence[dict[str, Value]]) -> list[tuple[Items, bool]]:
    """Return the lists of objects that have different lengths at the ends of arms.

    Each comes with whether something in it is differentiated.
    """
    found: dict[Any, tuple[Items, bool]] = {}

    def walk(before: Value, *after: Value) -> None:
        if not isinstance(before, Compound):
            return
        kept = [isinstance(v, Compound) and len(v.items) == len(before.items) for v in after]
        if all(kept):
            for parts in zip(before.items, *(v.items for v in after), strict=True):  # type: ignore
                walk(*parts)
        elif isinstance(before, Items) and before.is_list and before.token is not None:
            lists = [v for v in after if isinstance(v, Var) and v.type.kind == "list"]
            found[before.token] = before, bool(lists) or b.active(before, *after)

    for name, value in b.env.items():
        walk(value, *(end.get(name, value) for end in ends))
    return list(found.values())


def let_go(b: Builder, held: Iterable[tuple[Items, bool]], node: Any) -> None:
    """Know no more how many elements some lists of objects have, each told whether active."""
    for items, active in held:
        lists.promote(b, items, node) if active else forget(b, items)


def let_vary(b: Builder, node: Any) -> None:
    """Let lists whose length a branch or a loop changes be lists of varying length."""
    for name in grown_names(node):
        held = b.env.get(name)
        if isinstance(held, Items) and held.is_list:
            lists.promote(b, held, node)


def may_use_lists(b: Builder, statement: Any) -> bool:
    """Whether a statement slice or test a list of varying length, or hand one to NumPy."""
    if not any(is_list(leaf) for value in b.env.values() for leaf in leaves(value)):
        return False
    if b.context.demands.asks_of(What.STATEMENTS, b.source):
        return True
    if isinstance(statement, cst.For | cst.While | cst.If | cst.FunctionDef):
        return False
    return not kinds_in(statement).isdisjoint((cst.Slice, cst.IfExp))


@recursion.slice_of_list.define
def slice_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``t[1:]`` of a list of varying length."""
    what, fix = "this slice of a list", "index its elements one by one"
    way = way_of(b, node, what, fix)
    if not isinstance(node, cst.Subscript):
        raise b.refuse(node, what, fix)
    if len(way) > 1 and isinstance(way[-2], cst.AssignTarget | cst.AugAssign | cst.Del):
        raise b.refuse(node, "changing a slice of a list", "change its elements one by one")
    before, rows = held(b, node.value)
    k, text = fresh_name(b, "k"), text_of(rows)
    bounds = text_of(node)[len(text_of(node.value)) :]
    made = expression(f"[{text}[{k}] for {k} in range(len({text})){bounds}]")
    return in_place_of(node, made, before)


def call_varying(b: Builder, receiver: Var, name: str, args: Any, node: Any) -> Value:
    """Lower ``receiver.name(*args)`` for a list of varying length."""
    if name == "extend" and len(args) == 1:
        extend(b, receiver, args[0], node)
        return Const(None)
    if name == "reverse" and not args:
        raise _reversed_in_place(b, receiver, node)
    return lists.call_method(b, receiver, name, args, node)


def _reversed_in_place(b: Builder, receiver: Var, node: Any) -> Exception:
    """What to raise for ``t.reverse()``: ``t = t[::-1]``, where ``t`` is its only name."""
    small = getattr(b.statement, "body", [None])[0]
    rows = node.func.value
    whole = isinstance(small, cst.Expr) and small.value is node and isinstance(rows, cst.Name)
    names = [name for name, value in b.env.items() if receiver in variables(value)]
    if not whole or names != [rows.value] or receiver in b.frozen:
        return b.refuse(node, "reversing a list that has other names", "write t = t[::-1]")
    turned = expression(f"{rows.value}[::-1]")
    if b.loops or receiver in b.handed:  # another iteration may have handed it on
        return lists.put_in_order(b, node, turned)
    return instead(assignment(rows, turned))


@recursion.display_of_list.define
def display_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``[a, *rows]`` where ``rows`` is a list of varying length.

    The sum ``[a] + rows`` is the same list.
    """
    what, fix = "a list with a star in it here", "make it in a statement of its own"
    way = way_of(b, node, what, fix)
    if isinstance(node, cst.BinaryOperation):
        return in_place_of(node, cst.List(_summands(node)))
    if not isinstance(node, cst.List):
        return loop_written_out(b, frozenset(), b.refuse(node, what, fix))
    target, _ = assigned(way[-2] if len(way) > 1 else None)
    owns = isinstance(target, cst.Name) and target.value not in names_in(node)
    name = target.value if owns else fresh_name(b, "items")
    first = next(k for k, e in enumerate(node.elements) if isinstance(e, cst.StarredElement))
    start = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in node.elements[:first]]
    made: list[Any] = [assignment(name, cst.List(start))]
    for element in node.elements[first:]:
        method = "extend" if isinstance(element, cst.StarredElement) else "append"
        made += statements(f"{name}.{method}(_e)", _e=element.value)
    return instead(*made) if owns else in_place_of(node, cst.Name(name), made)


def _summands(node: Any) -> list[Any]:
    """The elements of a sum of lists."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return [*_summands(node.left), *_summands(node.right)]
    if isinstance(node, cst.List):
        return [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in node.elements]
    return [cst.StarredElement(node)]
