"""Values with other parts, or with other variables in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from srcgrad.ir.nodes import Compound, Slice, Value, Var


def rebuilt(value: Compound, change: Callable[[Any], Any]) -> Value:
    """Return a compound value with its parts changed; itself, if that changes none."""
    parts = [change(part) for part in value.items]
    same = all(new is old for new, old in zip(parts, value.items, strict=True))
    return value if same else value.like(parts)


def substituted(value: Any, new: Mapping[Var, Value]) -> Any:
    """Return a value with other values in the place of some variables."""
    if isinstance(value, Var):
        return new.get(value, value)
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: substituted(part, new))
    if isinstance(value, Slice):
        return Slice(*(substituted(part, new) for part in (value.lower, value.upper, value.step)))
    return value


def with_leaves(value: Value, new: Mapping[int, Value]) -> Value:
    """Return a value with some of its leaves exchanged."""
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: with_leaves(part, new))
    return new.get(id(value), value)
