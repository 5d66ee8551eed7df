"""What the calls of a function inside of itself may assume of its result."""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.lists import template
from srcgrad.ir.nodes import Compound, Const, Value, Var
from srcgrad.ir.types import OPTIONAL, Type


def assumable(value: Value) -> Value:
    """Return a value with the structure of a result, whose shapes are unknown."""
    if isinstance(value, Compound):
        return value.like(map(assumable, value.items))
    if isinstance(value, Const) and not isinstance(value.value, int | float | complex):
        return value
    type_ = type_of(value)
    if not type_.is_number:
        return value
    shape = type_.shape if type_.shape == () else None
    mark = OPTIONAL if type_.element is OPTIONAL else None
    return Var("value", Type(type_.kind, shape, type_.dtype, type_.dtype not in ("i", "b"), mark))


def contains_itself(assumed: Value, result: Value) -> bool:
    """Whether a part of a result is once more what a part around it was assumed to be.

    What a recursive function keeps for its backward part contains what its calls kept: written
    out, its structure would never end.
    """
    before = template(assumed)

    def walk(old: Any, new: Any, around: tuple[Any, ...]) -> bool:
        if not isinstance(new, tuple):
            return False
        if not isinstance(old, tuple):
            return _form(new) in around
        if len(old) != len(new):
            return False
        around = (*around, _form(old))
        return any(walk(p, q, around) for p, q in zip(old, new, strict=True))

    return walk(before, template(result), ())


def _form(part: Any) -> Any:
    return tuple(map(_form, part)) if isinstance(part, tuple) else None
