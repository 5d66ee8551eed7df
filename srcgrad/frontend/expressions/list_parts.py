"""Parts of what has no known length: slices of lists, and unpacking with a star.

They are written in other words: a slice of a list as the elements whose numbers are in
the slice of its range, a starred name as the list of a slice.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import is_list
from srcgrad.frontend.containers import lists
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import (
    fresh_name,
    held,
    in_place_of,
    instead,
    loop_written_out,
    way_of,
)
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.templates import assignment, expression, statements, text_of
from srcgrad.frontend.text.trees import kinds_in
from srcgrad.ir.demands import What
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Const, Value, Var, variables


def may_use_lists(b: Builder, statement: Any) -> bool:
    """Whether a statement slice or test a list of varying length, or hand one to NumPy."""
    if not any(is_list(leaf) for value in b.env.values() for leaf in leaves(value)):
        return False
    if b.context.demands.asks_of(What.STATEMENTS, b.source):
        return True
    if isinstance(statement, cst.For | cst.While | cst.If | cst.FunctionDef):
        return False
    return _slices_or_chooses(statement)


def _slices_or_chooses(node: Any) -> bool:
    return not kinds_in(node).isdisjoint((cst.Slice, cst.IfExp))


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


def call_method(b: Builder, receiver: Var, name: str, args: Any, node: Any) -> Value:
    """Lower ``receiver.name(*args)`` for a list of varying length."""
    if name == "extend" and len(args) == 1:
        known_lists.extend(b, receiver, args[0], node)
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
    return instead(assignment(rows, expression(f"{rows.value}[::-1]")))


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
    named = len(way) > 1 and isinstance(way[-2], cst.Assign) and len(way[-2].targets) == 1
    target = way[-2].targets[0].target if named else None
    owns = isinstance(target, cst.Name) and target.value not in names_in(node)
    name = target.value if owns else fresh_name(b, "items")  # type: ignore[union-attr]
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
