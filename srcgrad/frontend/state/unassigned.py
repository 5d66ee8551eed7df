"""What a name or a part of an object stands for where that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.nodes import Const, Value
from srcgrad.ir.unassigned import CHANGES, is_open


def require_one_kind(b: Any, name: str, value: Value, node: Any) -> None:
    """Refuse to read what is a constant in the first iteration of a loop only."""
    if isinstance(value, Const) and value.value is CHANGES:
        raise b.refuse(
            node,
            f"reading {name!r}, which is None or another constant before the loop, and "
            "changes its kind in it,",
            "give it a value of the same kind before the loop, such as zeros",
        )


def require_not_caught(b: Any, node: Any) -> None:
    """Refuse names that may have no value where a handler may catch what Python raises then.

    A forward function that keeps such a name gives it the value nan, and raises nothing.
    """
    context = b.context
    if context.reads_unassigned and context.catches_unassigned:
        raise b.refuse(
            node,
            "a handler that may catch that a name is not assigned",
            "assign the name before, or name the exceptions that are meant",
        )


def require_assigned(b: Any, parts: Iterable[Value], node: Any) -> None:
    """Refuse to read a part of an object of which it is not known what it is."""
    if any(is_open(part) for part in parts):
        raise b.refuse(
            node or b.statement,
            "reading a part of an object that may be one of several values, or unassigned,",
            "give it a name of its own, which is assigned on every path",
        )
