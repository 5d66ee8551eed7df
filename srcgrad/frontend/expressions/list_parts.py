"""Parts of what has no known length: slices of lists, and unpacking with a star.

They are written in other words: a slice of a list as the elements whose numbers are in
the slice of its range, a starred name as the list of a slice.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.containers import lists
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.expressions.unrolling import assignment, is_path
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, way_to
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.trees import kinds_in, replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Compound, Const, Known, Value, Var, variables

_TEXT = cst.Module([]).code_for_node


def may_use_lists(b: Builder, statement: Any) -> bool:
    """Whether a statement slice or test a list of varying length, or hand one to NumPy."""
    if not any(map(_holds_list, b.env.values())):
        return False
    if b.context.demands.asks_of(What.STATEMENTS, b.source):
        return True
    if isinstance(statement, cst.For | cst.While | cst.If | cst.FunctionDef):
        return False
    return _slices_or_chooses(statement)


def _holds_list(value: Value) -> bool:
    if isinstance(value, Compound):
        return any(map(_holds_list, value.items))
    return isinstance(value, Var) and value.type.kind == "list"


def _slices_or_chooses(node: Any) -> bool:
    return not kinds_in(node).isdisjoint((cst.Slice, cst.IfExp))


@recursion.slice_of_list.define
def slice_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``t[1:]`` of a list of varying length."""
    way = None if node is None else way_to(b.statement, node)
    if way is None or not isinstance(node, cst.Subscript) or isinstance(b.statement, cst.While):
        return b.refuse(node, "this slice of a list", "index its elements one by one")
    if any(isinstance(outer, cst.IfExp | cst.BooleanOperation) for outer in way):
        return Specialise(What.STATEMENTS, b.source, node)
    if len(way) > 1 and isinstance(way[-2], cst.AssignTarget | cst.AugAssign | cst.Del):
        return b.refuse(node, "changing a slice of a list", "change its elements one by one")
    before, held = _named(b, node.value)
    k = fresh_name(b, "k")
    bounds = _TEXT(node)[len(_TEXT(node.value)) :]
    text = _TEXT(held)
    made = cst.parse_expression(f"[{text}[{k}] for {k} in range(len({text})){bounds}]")

    def make(statement: Any) -> list[Any]:
        return _behind(statement, before, replaced(statement, {id(node): made}))

    return Rewriting(make)


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
    held = node.func.value
    whole = isinstance(small, cst.Expr) and small.value is node and isinstance(held, cst.Name)
    names = [name for name, value in b.env.items() if receiver in variables(value)]
    if not whole or names != [held.value] or receiver in b.frozen:
        return b.refuse(node, "reversing a list that has other names", "write t = t[::-1]")
    made = assignment(held, cst.parse_expression(f"{held.value}[::-1]"))
    return Rewriting(lambda statement: [made.with_changes(leading_lines=statement.leading_lines)])


@recursion.display_of_list.define
def display_of_list(b: Builder, node: Any) -> Exception:
    """What to raise for ``[a, *rows]`` where ``rows`` is a list of varying length."""
    way = way_to(b.statement, node)
    listed = isinstance(node, cst.List) or (way is not None and _is_for_numpy(b, way))
    if way is None or isinstance(b.statement, cst.While) or not listed:
        return b.refuse(node, "a list with a star in it here", "make it in a statement of its own")
    if any(isinstance(outer, cst.IfExp | cst.BooleanOperation) for outer in way):
        return Specialise(What.STATEMENTS, b.source, node)
    named = len(way) > 1 and isinstance(way[-2], cst.Assign) and len(way[-2].targets) == 1
    target = way[-2].targets[0].target if named else None
    owns = isinstance(target, cst.Name) and target.value not in names_in(node)
    name = target.value if owns else fresh_name(b, "items")  # type: ignore[union-attr]
    first = next(k for k, e in enumerate(node.elements) if isinstance(e, cst.StarredElement))
    start = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in node.elements[:first]]
    made: list[Any] = [assignment(cst.Name(name), cst.List(start))]
    for element in node.elements[first:]:
        method = "extend" if isinstance(element, cst.StarredElement) else "append"
        call = cst.Call(cst.Attribute(cst.Name(name), cst.Name(method)), [cst.Arg(element.value)])
        made.append(cst.SimpleStatementLine([cst.Expr(call)]))

    def make(statement: Any) -> list[Any]:
        if owns:
            return [made[0].with_changes(leading_lines=statement.leading_lines), *made[1:]]
        return _behind(statement, made, replaced(statement, {id(node): cst.Name(name)}))

    return Rewriting(make)


def _is_for_numpy(b: Builder, way: list[Any]) -> bool:
    """Whether a tuple is given to a function of NumPy, to which a list is as good."""
    if len(way) < 3 or not isinstance(way[-2], cst.Arg) or not isinstance(way[-3], cst.Call):
        return False
    func = way[-3].func
    if not isinstance(func, cst.Attribute) or not isinstance(func.value, cst.Name):
        return False
    owner = lower(b, func.value)
    return isinstance(owner, Known) and owner.object is np and way[-3].args[0] is way[-2]


def _named(b: Builder, node: Any) -> tuple[list[Any], Any]:
    """An expression that may be read several times, and the line that makes it one."""
    if is_path(node):
        return [], node
    name = cst.Name(fresh_name(b, "items"))
    return [assignment(name, node)], name


def _behind(statement: Any, before: list[Any], new: Any) -> list[Any]:
    if not before:
        return [new]
    first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
    if hasattr(new, "leading_lines"):
        new = new.with_changes(leading_lines=())
    return [first, *before[1:], new]
