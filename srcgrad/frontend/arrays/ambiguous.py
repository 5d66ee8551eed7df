"""Values of which it is not known whether they are numbers or arrays, where that matters.

``x += v`` gives the name of a number another number, and writes into an array, which all
other names of it see.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import MutationError
from srcgrad.frontend.arrays import views
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.trees import children
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.nodes import Var


def require_one_name(b: Builder, node: Any, own: set[str], old: Var) -> None:
    """Refuse to guess whether a name sees ``x += v``: that of an array does.

    Args:
        b: the builder.
        node: the statement, or the call of a function that changes its argument.
        own: the names that it gives another value.
        old: what is changed.
    """
    new = Var(old.name, old.type)
    others = [
        other
        for other, held in b.env.items()
        if is_named(other) and other not in own and views.rebase(b, held, {old: new}) is not held
    ]
    later = _names_read_behind(b.source.lowered_tree, node)
    everywhere = later is None or b.frame is not b.layout.function  # where the ways meet, as well
    found = next((other for other in others if everywhere or other in (later or ())), None)
    if found is not None:
        raise changed(b, node, f"{found!r} is another name of it")


def changed(b: Builder, node: Any, caption: str) -> MutationError:
    """Return the error for a change of what may be a number or an array."""
    return MutationError(
        "a number or an array, which of them is not known, is changed under one of its names",
        spots=[b.source.spot(node, caption)],
        why="An array is written in place, and its other names see that; a number is not.",
        fixes=["write x = x + v"],
    )


def _names_read_behind(tree: cst.CSTNode, node: cst.CSTNode) -> set[str] | None:
    """The names that may be read after a statement; None if it is not in the text."""
    for child in children(tree):
        if child is node:
            return set()
        found = _names_read_behind(child, node)
        if found is None:
            continue
        if isinstance(tree, cst.For | cst.While):  # it comes around again
            return found | names_in(tree)
        rest = children(tree)
        behind = rest[[id(r) for r in rest].index(id(child)) + 1 :]
        return found.union(*(names_in(r) for r in behind))
    return None
