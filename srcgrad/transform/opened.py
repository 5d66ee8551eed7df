"""Results of called functions, with what in them is differentiated made visible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import RECORD_NEW, Compound, Equation, Function, Items, Value
from srcgrad.transform.zeros import flat_types


def opened(function: Function) -> tuple[Value, list[bool]]:
    """The result of a function, with the parts of records that it packs at its end.

    Returns:
        It, and for each of its leaves whether it has a tangent on any path.
    """
    packed = {
        eq.targets[0]: eq
        for eq in function.body
        if isinstance(eq, Equation) and eq.op.fn is RECORD_NEW
    }
    active: list[bool] = []

    def walk(value: Value) -> Value:
        if isinstance(value, Compound):
            return value.like(map(walk, value.items))
        if value in packed:
            eq = packed[value]  # type: ignore[index]
            active.extend(t.active for t in flat_types(eq.targets[0].type.element.template))
            return filled_in(eq.payload, iter(eq.args))
        active.append(type_of(value).active)
        return value

    return walk(function.result), active


def filled_in(template: Any, parts: Iterator[Value]) -> Value:
    """Put parts into nested tuples."""
    if isinstance(template, tuple):
        return Items(tuple(filled_in(t, parts) for t in template))
    return next(parts)
