"""``zip`` outside of the head of a loop: rows of known sequences, and the columns of a list."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.containers.structures import sequence
from srcgrad.frontend.expressions.unrolling import assignment, is_path
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name
from srcgrad.ir.nodes import Items, Known, Value, Var, is_active


def refuse_active(b: Builder, args, options, node) -> Value | None:
    """Refuse an iterator over active values that is not the head of a loop."""
    if any(is_active(a) for a in args):
        raise b.refuse(
            node,
            "this iterator over active values outside of a for statement",
            "put it into the head of a for loop",
        )
    return None


def lower_zip(b: Builder, args, options, node) -> Value | None:
    """Lower ``zip(...)`` of sequences whose elements are known."""
    columns = [sequence(arg) for arg in args]
    if not columns or None in columns or set(options) - {"strict"}:
        return refuse_active(b, args, options, node)
    rows = zip(*columns, strict=False)  # type: ignore[arg-type]
    return Items(tuple(Items(row) for row in rows))


def require_known_rows(b: Builder, callee: Value, value: Value, node: Any) -> None:
    """Have ``a, b = zip(*rows)`` written as a loop, where the number of rows is not known.

    Args:
        b: the builder.
        callee: what is called.
        value: the value behind the star.
        node: its expression.

    Raises:
        Rewriting: when it is such a call.
    """
    varying = isinstance(value, Var) and value.type.kind == "list"
    if not varying or not isinstance(callee, Known) or callee.object is not zip:
        return
    element = value.type.element  # type: ignore[union-attr]
    targets = _targets(b.statement)
    known = isinstance(element, tuple) and len(element) == len(targets) and is_path(node)
    if known and all(isinstance(target, cst.Name) for target in targets):
        raise Rewriting(lambda statement: _loop(b, statement, targets, node))


def _targets(statement: Any) -> list[Any]:
    """The names that a statement unpacks into."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return []
    target, call = small.targets[0].target, small.value
    whole = isinstance(call, cst.Call) and len(call.args) == 1
    if not whole or not isinstance(target, cst.Tuple | cst.List):
        return []
    return [element.value for element in target.elements]


def _loop(b: Builder, statement: Any, targets: list[Any], rows: Any) -> list[Any]:
    parts = [cst.Name(fresh_name(b, f"{target.value}_")) for target in targets]
    starts = [assignment(target, cst.List([])) for target in targets]
    pushes = []
    for target, part in zip(targets, parts, strict=True):
        push = cst.Attribute(cst.Name(target.value), cst.Name("append"))
        call = cst.Call(push, [cst.Arg(cst.Name(part.value))])
        pushes.append(cst.SimpleStatementLine([cst.Expr(call)]))
    row = cst.Tuple([cst.Element(part) for part in parts], lpar=[], rpar=[])
    loop = cst.For(row, rows, cst.IndentedBlock(pushes))
    starts[0] = starts[0].with_changes(leading_lines=statement.leading_lines)
    return [*starts, loop]
