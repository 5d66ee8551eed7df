"""Generators of random numbers from outside of a function: where it draws from them by name.

What runs again has to draw the same, from a generator that it is given. So ``RNG.normal()`` of
a global generator, and ``np.random.normal()``, become draws from a name of the function's own.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Container
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS, GENERATORS
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import text_of
from srcgrad.frontend.text.trees import below, rewritten
from srcgrad.library.attributes import plainly
from srcgrad.program import facts, namespaces

_GLOBAL = np.random.normal.__self__  # the generator behind the functions of ``np.random``


def generators_read(source: Source, local: Container[str], body: Any) -> list[str]:
    """Return how the generators are read that some statements draw from, and that are not local.

    Args:
        source: the function.
        local: its local names.
        body: the statements.
    """
    calls = (node for node in below(body) if isinstance(node, cst.Call))
    found = {_generator_of(source, local, call.func) for call in calls} - {None}
    return sorted(str(read) for read in found)


def with_generators(source: Source, local: Container[str], body: Any, names: dict[str, str]) -> Any:
    """Return statements that draw from generators under other names.

    Args:
        source: the function.
        local: its local names.
        body: the statements.
        names: the new names, by how the generators are read.
    """
    new: dict[int, Any] = {}
    for call in (node for node in below(body) if isinstance(node, cst.Call)):
        read = _generator_of(source, local, call.func)
        if read in names:
            new[id(call.func.value)] = cst.Name(names[read])

    def rule(part: Any, made: Any) -> Any:
        if made is not None and made is not part and id(part) in source.operands:
            source.renewed[id(part)] = id(made)
        return new.get(id(part))

    made = rewritten(body, rule)
    for old, other in zip(body.body, made.body, strict=True):
        if old is not other:
            source.derive_all(old, other)
    return made


def is_same(source: Source, other: Source, read: str) -> bool:
    """Tell whether a generator is read in the same way in another function."""
    root = read.split(".", maxsplit=1)[0]
    spaces = (s.cells.get(root, s.globals) for s in (source, other))
    one, two = (facts.read_name(space, root) for space in spaces)
    return one is two


def _generator_of(source: Source, local: Container[str], func: Any) -> str | None:
    """How a generator is read that a draw is a method of; None where it is not from outside."""
    if not isinstance(func, cst.Attribute) or func.attr.value not in DRAWS:
        return None
    path = text_of(func.value)
    root, *rest = path.split(".")
    if root in local or len(rest) > 1 or not path.replace(".", "").isidentifier():
        return None
    namespace = source.cells.get(root, source.globals)
    thing = facts.read_name(namespace, root)
    if not rest and type(thing) in GENERATORS:
        return path
    held = namespaces.held_by(thing).get(rest[0]) if rest else thing
    drawing = plainly(held, func.attr.value) if held is np.random else None
    if plainly(drawing, "__self__") is not _GLOBAL:
        return None
    if rest:
        facts.attribute(thing, rest[0])
    return f"{path}.mtrand._rand"
