"""What names, and functions and objects that they hold, hold; and its next versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import free_names, identifiers
from srcgrad.frontend.text.trees import below
from srcgrad.ir.nodes import Closure, Compound, Method, Value
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.unassigned import UNDEFINED, is_open


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
        return rebuilt(value, swap, memo)

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


def captured(b: Any, node: Any, values: Iterable[Value]) -> list[Value]:
    """Return what the lambdas of an expression, and the local functions in values, read."""
    found: list[Value] = []
    seen: set[int] = set()
    waiting = list(values)
    parts = below(node, {cst.Lambda}) if node is not None else ()
    for part in (part for part in parts if isinstance(part, cst.Lambda)):
        waiting += _now(b, identifiers(part), found)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Compound):
            waiting += value.items
        elif isinstance(value, Closure) and id(value.node) not in seen:
            seen.add(id(value.node))
            found += [part for _, part in value.captured]
            defaults = b.local_functions.get(id(value.node), {})
            found += defaults.values()
            waiting += [part for _, part in value.captured]
            waiting += [*defaults.values(), *_now(b, free_names(value.node), found)]
    return found


def _now(b: Any, names: Iterable[str], found: list[Value]) -> list[Value]:
    """Add what names of the function stand for to a list, and return it."""
    known = [name for name in sorted(names) if not is_open(b.env.get(name, UNDEFINED))]
    for name in known:
        b.note_read(name, b.env[name])
    held = [b.env[name] for name in known]
    found += held
    return held
