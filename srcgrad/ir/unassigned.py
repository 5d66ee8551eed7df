"""Marks of names that may be unassigned, and of values that change their kind in a loop."""

from __future__ import annotations

from typing import Any, TypeGuard

from srcgrad.ir.nodes import Compound, Const, Items, Value


class Undefined:
    """Marks a name that may not have been assigned."""

    def __repr__(self) -> str:
        return "undefined"


class Changes:
    """Marks what is a constant in the first iteration of a loop and something else later."""

    def __repr__(self) -> str:
        return "changes"


UNDEFINED = Const(Undefined())
LOST = Const(Undefined())  # is one of several things of different structure: not to be read either


_PERHAPS = ("None, or what stands here",)


def perhaps(held: Value) -> Items:
    """Return what is None, or something that has parts; nothing in it is told by its type."""
    return Items((held,), names=_PERHAPS)


def is_perhaps(value: Any) -> TypeGuard[Items]:
    """Whether something may be None in the place of what has parts."""
    return isinstance(value, Items) and value.names is _PERHAPS


def holds_perhaps(value: Any) -> bool:
    """Whether something, or a part of it, may be None in the place of what has parts."""
    parts = value.items if isinstance(value, Compound) else ()
    return is_perhaps(value) or any(map(holds_perhaps, parts))


def is_open(value: Any) -> bool:
    """Whether a value is not known well enough to be read: unassigned on some way, or lost."""
    return value is UNDEFINED or value is LOST or is_perhaps(value)


CHANGES: Any = Changes()
