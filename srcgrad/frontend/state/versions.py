"""Letting names, and the methods and objects that they hold, hold the next version of something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir.nodes import Compound, Method, Value
from srcgrad.ir.rebuilding import rebuilt


def exchange(b: Any, is_old: Callable[[Value], bool], new: Value) -> list[str]:
    """Let all names that hold something, or what has it among its parts, hold another thing.

    Returns:
        The names.
    """
    memo: dict[int, Value] = {}

    def swap(value: Value) -> Value:
        if is_old(value):
            return new
        if isinstance(value, Method):
            return bound_anew(b, value, swap(value.receiver))
        if not isinstance(value, Compound):
            return value
        if id(value) not in memo:  # what is one object stays one under all of its names
            memo[id(value)] = rebuilt(value, swap)
        return memo[id(value)]

    b.layout.tick()
    changed = [(name, value, swap(value)) for name, value in b.env.items()]
    changed = [(name, value) for name, old, value in changed if value is not old]
    b.env |= dict(changed)
    return [name for name, _ in changed]


def bound_anew(b: Any, method: Method, receiver: Value) -> Method:
    """Return a method that some name holds as one of the next version of its object."""
    if receiver is method.receiver:
        return method
    if b.loops:
        raise b.refuse(
            b.statement,
            f"a change, in a loop, of an object whose method {method.name!r} was taken before",
            "take the method where it is called",
        )
    return Method(receiver, method.name)
