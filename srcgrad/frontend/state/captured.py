"""What functions in an expression read of the names around them, as these are now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import free_names, identifiers
from srcgrad.frontend.text.trees import below
from srcgrad.ir.nodes import Closure, Compound, Value
from srcgrad.ir.unassigned import UNDEFINED, is_open


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


def parts_of(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values, and what tuples, lists, dicts and objects among them hold."""
    for value in values:
        yield value
        if isinstance(value, Compound):
            yield from parts_of(value.items)


def _now(b: Any, names: Iterable[str], found: list[Value]) -> list[Value]:
    """Add what names of the function stand for to a list, and return it."""
    known = [name for name in sorted(names) if not is_open(b.env.get(name, UNDEFINED))]
    for name in known:
        b.note_read(name, b.env[name])
    held = [b.env[name] for name in known]
    found += held
    return held
