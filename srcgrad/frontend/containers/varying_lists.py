"""Lists of known elements that a loop changes, or reads each time at another place.

They become lists of varying length before the loop.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.lists import promote
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.names import names_written_into
from srcgrad.frontend.text.trees import children
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.nodes import Const, Items, Struct, Value, Var, is_active


def lists_that_vary(b: Builder, node: Any) -> list[str]:
    """The names of known lists that a loop changes: one that grows has no known length."""
    deep = names_written_into(node, deep=True)
    held = {name: b.env.get(name) for name in names_written_into(node)}
    return [
        name
        for name, value in held.items()
        if isinstance(value, Items)
        and value.is_list
        and not (name in deep and _is_written_through(value))
    ]


def let_vary(b: Builder, names: list[str], node: Any) -> None:
    """Make the lists that some names stand for ones of varying length."""
    for name in names:
        held = b.env[name]
        if isinstance(held, Items):  # and not the list of another name, which varies by now
            promote(b, held, node)


def read_at_any_place(
    b: Builder, node: Any, bound: set[str], names: set[str]
) -> dict[str, tuple[Value, Items]]:
    """Make lists of known ones that a loop only reads, each time at another place.

    Their cotangents are added up in one list from the first iteration to the last.
    """
    known = {n: v for n, v in b.env.items() if isinstance(v, Items) and v.items and is_active(v)}
    found: dict[str, tuple[Value, Items]] = {}
    stack: list[Any] = [node.body] if known else []
    while stack:
        item = stack.pop()
        stack += children(item)
        if not isinstance(item, cst.Subscript) or not isinstance(item.value, cst.Name):
            continue
        name = item.value.value
        held = known.get(name)
        if held is None or name in names or name in found or not is_named(name):
            continue
        places = [e.slice.value for e in item.slice if isinstance(e.slice, cst.Index)]
        if any(isinstance(p, cst.Name) and p.value in bound for p in places) and _alike(held):
            found[name] = promote(b, held, node), held
    return found


def _alike(items: Items) -> bool:
    """Whether the elements of a list are numbers or arrays of one kind."""
    types = [type_of(v) for v in items.items if isinstance(v, Var | Const)]
    same = len({(t.kind, t.ndim) for t in types}) == 1
    return same and len(types) == len(items.items) and all(t.is_number for t in types)


def _is_written_through(items: Items) -> bool:
    """Whether what a list holds are arrays and objects, which may be written into at a place."""
    return all(
        isinstance(v, Struct) or (isinstance(v, Var) and v.type.kind == "array")
        for v in items.items
    )
