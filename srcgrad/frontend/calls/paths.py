"""How the values that a call needs besides its arguments are read where it stands."""

from __future__ import annotations

from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.nodes import Const, Items, Value
from srcgrad.ir.structures import is_written


def expression_of(b: Builder, value: Value, name: str) -> str:
    """The text that a value has at this place; ``name`` is tried first."""
    if isinstance(value, Const) and (is_written(value.value) or type(value.value) is complex):
        return repr(value.value)
    if name and b.env.get(name) is value:
        return name
    for candidate, held in b.env.items():
        if held is value and is_named(candidate):
            return candidate
    if isinstance(value, Items):
        return "(" + ", ".join(expression_of(b, item, "") for item in value.items) + ",)"
    raise b.refuse(None, "this default of a local function", "pass the argument explicitly")
