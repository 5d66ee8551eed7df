"""What is known no more of lists, dicts and objects that somebody may have written to."""

from __future__ import annotations

from srcgrad.frontend.containers.structures import replace_object
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import OPAQUE_TYPE, Builder
from srcgrad.frontend.state.captured import parts_of
from srcgrad.frontend.state.closures import capture
from srcgrad.ir.forms import Attributes, Dataclass, Form, Object
from srcgrad.ir.nodes import (
    OPAQUE,
    Closure,
    Compound,
    Equation,
    Items,
    Op,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)


@recursion.forget.define
def forget(b: Builder, *values: Value) -> None:
    """Know nothing any more of the lists, dicts and objects that unknown code may change."""
    for value in values:
        _forget(b, capture(b, value), {id(v) for v in parts_of(b.env.values())})


def _forget(b: Builder, value: Value, held: set[int]) -> None:
    if isinstance(value, Closure):
        for _, part in value.captured:
            _forget(b, part, held)
    if not isinstance(value, Compound):
        return
    for part in value.items:
        _forget(b, part, held)
    if not _is_mutable(value) or (value.token is None and id(value) not in held):
        return
    if value.token is None or is_active(value):
        raise b.refuse(
            b.statement,
            "a call here that may change an object",
            "make the call in a line of its own",
        )
    var = Var("list" if isinstance(value, Items) else "dict", OPAQUE_TYPE)
    b.define(var, None)
    read = tuple(dict.fromkeys(variables(value)))
    b.block.append(Equation((var,), Op(OPAQUE), read, (), b.origin(None)))
    replace_object(b, value, var)


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
