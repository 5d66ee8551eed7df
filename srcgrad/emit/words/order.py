"""Calls that are made before their statement, and what the statement reads before them."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.trees import below, children
from srcgrad.ir.nodes import Equation


def require_order(layout: Any, statement: Any, call: Equation) -> None:
    """Refuse a call that writes into an array which its statement has read before."""
    versions = call.payload.versions
    written = {binding.name for var in versions for binding in layout.bindings.get(var, [])}
    if not written:
        return
    origin = call.origin
    assert origin is not None
    small = statement.body[0]
    if _names_before(getattr(small, "value", small), origin.node, set()) & written:
        raise UnsupportedSyntaxError(
            "forward mode of a call that writes into an array which the same expression has "
            "read before is not supported",
            spots=[origin.source.spot(origin.node)],
            fixes=["make the call in a line of its own"],
        )


def _names_before(node: Any, stop: Any, found: set[str]) -> set[str]:
    """The names in an expression that are read before a part of it is evaluated."""
    if node is stop:
        return found
    for child in children(node):
        if child is stop:
            break
        if any(part is stop for part in below(child)):
            return _names_before(child, stop, found)
        found |= {child.value} if isinstance(child, cst.Name) else names_in(child)
    return found
