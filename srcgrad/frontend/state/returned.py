"""What a function returns."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import ResultError
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Compound, Const, Items, Method, Value, Var
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.types import OPTIONAL
from srcgrad.ir.unassigned import LOST, UNDEFINED, holds_perhaps, is_open, is_perhaps
from srcgrad.runtime import require_given

RETURN = Unnamed("return")


def require_result(b: Builder, writes: bool = False) -> Value:
    """Return the value that the function returns on all its paths.

    Args:
        b: the builder.
        writes: whether the function need not return anything, since it writes into its
            arguments, or has no ``return`` with a value.
    """
    value = b.env.get(RETURN, UNDEFINED)
    if writes and value in (UNDEFINED, Const(None)):
        return Const(None)
    if b.context.lowering and (is_perhaps(value) or value == Const(None)):
        return value
    return returned(b.source, value)


def require_called(b: Builder, value: Value, node: Any) -> None:
    """Refuse to return an attribute of an array that nothing is known of, such as a method."""
    if isinstance(value, Method):
        raise b.refuse(
            node,
            f"returning the attribute .{value.name} of an array",
            f"check its spelling, or call it: x.{value.name}()",
        )


def check_given(b: Builder, value: Value, node: Any) -> None:
    """Let the text make sure that what it returns is no None, where it may be one."""
    pairs = [(value, node)]
    if isinstance(value, Items) and isinstance(node, cst.Tuple):
        if len(value.items) == len(node.elements):
            pairs = list(zip(value.items, (e.value for e in node.elements), strict=True))
    for part, place in pairs:
        if may_be_missing(part) and isinstance(place, cst.Name):
            line = f"require_given({place.value})"
            b.layout.checks.append((b.statement, line, require_given))
            b.context.given.add(part)


def may_be_missing(value: Value) -> bool:
    """Whether a value is None on some ways."""
    return isinstance(value, Var) and value.type.element is OPTIONAL


def require_parts(source: Any, value: Value) -> None:
    """Refuse what a differentiated function returns, unless each part is known on every path.

    A called function may return such a part, which is refused where it is read. Here nobody
    reads it: its cotangent would be lost.
    """
    returned(source, value)
    unknown = holds_perhaps(value) or any(is_open(leaf) for leaf in leaves(value))
    if unknown and not source.is_generated:
        raise ResultError(
            f"what {source.name} returns has parts that are of one form on some paths only",
            spots=[source.spot(source.tree)],
            fixes=["return lists of one length, and the same kinds of objects, on every path"],
            recordable=True,
        )


def returned(source: Any, value: Value) -> Value:
    """Return the value of a function, unless there is none on some path."""
    if is_open(value) or value == Const(None):
        raise ResultError(
            f"{source.name} does not return a value on every path",
            spots=[source.spot(source.tree)],
            fixes=["end every path with a return of the same form"],
            recordable=is_open(value),  # the path that a call takes may have one
        )
    return _without_lost(value)


def _without_lost(value: Value) -> Value:
    """Return what a function hands back, of which nobody can read what is lost."""
    if isinstance(value, Compound):
        return rebuilt(value, _without_lost)
    return UNDEFINED if value is LOST else value
