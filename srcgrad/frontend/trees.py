"""Walking libcst trees without their layout.

``children`` of libcst goes through a visitor, which makes the nodes anew, and
gives all whitespace, commas and brackets too. Reading the fields is many times
faster, and what is left out here holds no names and no expressions.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import libcst as cst

_LAYOUT = {
    "asynchronous",
    "colon",
    "comma",
    "dot",
    "equal",
    "footer",
    "header",
    "indent",
    "lbrace",
    "lbracket",
    "leading_lines",
    "leading_whitespace",
    "lines_after_decorators",
    "lpar",
    "operator",
    "rbrace",
    "rbracket",
    "rpar",
    "semicolon",
    "trailing_whitespace",
}
_NO_NODES = (type(None), str, bool, cst.MaybeSentinel)


@functools.cache
def _fields(kind: type) -> tuple[str, ...]:
    names = (f.name for f in dataclasses.fields(kind))
    return tuple(n for n in names if n not in _LAYOUT and not n.startswith("whitespace"))


def children(node: Any) -> list[Any]:
    """Return the nodes directly below a node, layout left out, field by field."""
    found: list[Any] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is list or kind is tuple:
            found += value
        elif kind not in _NO_NODES:
            found.append(value)
    return found


def replaced(node: Any, new: dict[int, Any]) -> Any:
    """Return a tree with other nodes in the place of some.

    Other than what a visitor of libcst gives, the parts that stay as they are
    stay the same objects: their places in the text are known by that.

    Args:
        node: the tree.
        new: what to put, by the id of what is there.
    """
    if id(node) in new:
        return new[id(node)]
    changes: dict[str, Any] = {}
    for name in _fields(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is list or kind is tuple:
            parts = [replaced(part, new) for part in value]
            if any(p is not q for p, q in zip(parts, value, strict=True)):
                changes[name] = parts
        elif kind not in _NO_NODES:
            part = replaced(value, new)
            if part is not value:
                changes[name] = part
    return node.with_changes(**changes) if changes else node
