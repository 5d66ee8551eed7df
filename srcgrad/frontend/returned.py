"""What a function returns."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ResultError
from srcgrad.frontend.builder import UNDEFINED, Builder
from srcgrad.ir.nodes import (
    Const,
    Value,
)

RETURN = "<return>"


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
    return returned(b.source, value)


def returned(source: Any, value: Value) -> Value:
    """Return the value of a function, unless there is none on some path."""
    if value is UNDEFINED or value == Const(None):
        raise ResultError(
            f"{source.name} does not return a value on every path",
            spots=[source.spot(source.tree)],
            fixes=["end every path with a return of the same form"],
        )
    return value
