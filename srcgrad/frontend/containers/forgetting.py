"""What is known no more of lists, dicts and objects that somebody may have written to."""

from __future__ import annotations

from srcgrad.frontend.containers.structures import replace_object
from srcgrad.frontend.state.builder import OPAQUE_TYPE, Builder
from srcgrad.ir.forms import Dataclass, Object
from srcgrad.ir.nodes import (
    OPAQUE,
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


def forget(b: Builder, *values: Value) -> None:
    """Know nothing any more of lists and dicts without active values in them."""
    for value in values:
        if isinstance(value, Struct | Items) and (isinstance(value, Struct) or value.is_list):
            if value.token in (None, *b.given) or is_active(value):
                continue
            var = Var("list" if isinstance(value, Items) else "dict", OPAQUE_TYPE)
            b.define(var, None)
            read = tuple(dict.fromkeys(variables(value)))
            b.block.append(Equation((var,), Op(OPAQUE), read, (), b.origin(None)))
            replace_object(b, value, var)
        elif isinstance(value, Items):
            forget(b, *value.items)


def forget_objects(b: Builder, *values: Value) -> None:
    """Know nothing any more of objects that somebody may have written to."""
    for value in values:
        if isinstance(value, Struct) and isinstance(value.form, Object | Dataclass):
            forget(b, value)
        elif isinstance(value, Compound):
            forget_objects(b, *value.items)
