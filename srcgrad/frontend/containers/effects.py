"""What a function does besides giving a result, and what is known no more behind it."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.containers.handed_objects import objects_in
from srcgrad.frontend.containers.structures import one_by_one, replace_object
from srcgrad.frontend.state import kept_text, recursion
from srcgrad.frontend.state.builder import OPAQUE_TYPE, Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.handed import holders
from srcgrad.frontend.text.trees import below
from srcgrad.ir.forms import Attributes, Dataclass, Form, Object
from srcgrad.ir.leaves import parts_of
from srcgrad.ir.nodes import (
    LIST_ITEM,
    OPAQUE,
    Closure,
    Compound,
    Equation,
    Function,
    Items,
    Known,
    Op,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.types import Parts


@recursion.forget.define
def forget(b: Builder, *values: Value) -> None:
    """Know nothing any more of the lists, dicts and objects that unknown code may change."""
    for value in values:
        _forget(b, capture(b, value), {id(v) for v in parts_of(b.env.values())})


def _forget(b: Builder, value: Value, held: set[int]) -> None:
    if isinstance(value, Closure):
        for _, part in value.captured:
            _forget(b, part, held)
    if holds_records(value):
        raise b.refuse(
            b.statement,
            "a call here that may change the objects in a list",
            "make the call in a line of its own",
        )
    if not isinstance(value, Compound):
        return
    for part in value.items:
        _forget(b, part, held)
    if not _is_mutable(value):
        return
    element = any(_is_taken(b, leaf) for leaf in variables(value))
    if value.token is None and id(value) not in held and not element:
        return
    if value.token is None or is_active(value):
        error = b.refuse(
            b.statement,
            "a call here that may change an object",
            "make the call in a line of its own",
        )
        raise one_by_one(b, value, error)
    var = Var("list" if isinstance(value, Items) else "dict", OPAQUE_TYPE)
    b.define(var, None)
    others = holders(b) if value.token in b.handed else []
    read = tuple(dict.fromkeys([*variables(value), *others]))
    b.block.append(Equation((var,), Op(OPAQUE), read, (), b.origin(None)))
    b.forgotten[value.token] = var
    replace_object(b, value, var)


def _is_taken(b: Builder, leaf: Var) -> bool:
    """Whether a part of an object was read with it from a list, which others may read it from."""
    made = b.made.get(leaf)
    return made is not None and made.op.fn is LIST_ITEM


def holds_records(value: Value) -> bool:
    """Whether a value is a list, of any length, of objects with attributes."""
    if not isinstance(value, Var) or value.type.kind != "list":
        return False
    element = value.type.element
    return isinstance(element, Parts) and isinstance(element.form, Attributes)


def _is_mutable(value: Struct | Items) -> bool:
    """Whether a value is one of those that can be changed: a list, a dict, an object."""
    if isinstance(value, Items):
        return value.is_list
    if isinstance(value.form, Attributes):
        return isinstance(value.form, Object | Dataclass)
    return type(value.form) is Form


def forget_objects(b: Builder, *values: Value) -> None:
    """Know nothing any more of objects that somebody may have written to."""
    for value in values:
        if isinstance(value, Struct) and isinstance(value.form, Object | Dataclass):
            forget(b, value)
        elif isinstance(value, Compound):
            forget_objects(b, *value.items)


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
    for call in (part for part in below(node) if isinstance(part, cst.Call)):
        root = call.func
        while isinstance(root, cst.Attribute):
            root = root.value
        name = root.value if isinstance(root, cst.Name) else ""
        if not name or name in b.env or kept_text.changes(b, call):
            return True
    return False


def _runs_what_shows(b: Any, node: Any) -> bool:
    """Whether code reads an attribute or an item that a method gives, which does more than that."""
    if b.context.purity is None:
        return False
    reads = (part for part in below(node) if isinstance(part, cst.Attribute | cst.Subscript))
    names = {part.attr.value if isinstance(part, cst.Attribute) else None for part in reads}
    return not all(map(b.context.purity.noticed.reads_plainly, names))


def is_logger(value: Value) -> bool:
    """Whether a value is a logger, which keeps nothing that it is given."""
    return isinstance(value, Known) and type(value.object).__module__ == "logging"
