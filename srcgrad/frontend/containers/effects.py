"""What a function does besides giving a result."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.containers.forgetting import forget_objects
from srcgrad.frontend.containers.handed_objects import objects_in
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.text.trees import below, children
from srcgrad.ir.nodes import Closure, Function, Known, Struct, Value, is_active


def checks_something(function: Function) -> bool:
    """Whether a function may have been called for more than its result: it raises, or prints."""
    for node in below(function.source.tree.body, {cst.FunctionDef, cst.Lambda}):
        if isinstance(node, cst.Raise | cst.Assert) or id(node) in function.layout.impure:
            return True
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            return True
    return False


def settle(b: Any, node: Any, values: list[Value]) -> None:
    """Know nothing any more of objects that code which is kept as text may have written to."""
    kept_text.note(b, node, values)
    changes = _may_change(b, node)
    if changes or _runs_what_shows(b, node):
        b.layout.impure.add(id(node))  # it stays where nothing reads what it gives
    if not changes:
        return
    held = [capture(b, value) for value in values]
    inside = [part for value in held if isinstance(value, Closure) for _, part in value.captured]
    for value in (*held, *inside):
        if any(is_active(part) for part in objects_in([value]) if isinstance(part, Struct)):
            raise b.refuse(
                node, "a call here that may change an object", "make the call in a line of its own"
            )
        forget_objects(b, value)


def shows(b: Any, fn: Any) -> bool:
    """Whether a call of a known function does anything that one can tell when it is done."""
    purity = b.context.purity
    return b.formula is None and (purity is None or purity.noticed.of_object(fn))


def _may_change(b: Any, node: Any) -> bool:
    """Whether code calls something that may write to an object."""
    if isinstance(node, cst.Call):
        root = node.func
        while isinstance(root, cst.Attribute):
            root = root.value
        name = root.value if isinstance(root, cst.Name) else ""
        if not name or name in b.env or kept_text.changes(b, node):
            return True
    return any(_may_change(b, child) for child in children(node))


def _runs_what_shows(b: Any, node: Any) -> bool:
    """Whether code reads an attribute or an item that a method gives, which does more than that."""
    if isinstance(node, cst.Attribute | cst.Subscript) and b.context.purity is not None:
        name = node.attr.value if isinstance(node, cst.Attribute) else None
        if not b.context.purity.noticed.reads_plainly(name):
            return True
    return any(_runs_what_shows(b, child) for child in children(node))


def is_logger(value: Value) -> bool:
    """Whether a value is a logger, which keeps nothing that it is given."""
    return isinstance(value, Known) and type(value.object).__module__ == "logging"
