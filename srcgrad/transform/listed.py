"""Which lists have a list of tangents beside them, and what its elements hold.

A list may start out empty or with constants and receive active values later. All
versions of one list, and all lists that it is handed on to, must agree on which
parts of their elements have a tangent.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.blocks import carried_of, merges_of, statements
from srcgrad.ir.nodes import (
    LIST_REVERSED,
    LIST_WRITES,
    Block,
    Value,
    Var,
    equations,
)
from srcgrad.ir.types import Type

Mask = tuple[Type | None, ...]


def list_masks(block: Block, params: list[Var]) -> dict[Any, Mask]:
    """For each list with active elements, the types of the tangents in an element.

    Returns:
        For each variable that is such a list, one entry for each part of an
        element: the type of its tangent, or None where it has none.
    """
    groups = _Groups()
    for var in params:
        groups.add(var)
    _walk(block, groups)
    return groups.masks()


class _Groups:
    def __init__(self) -> None:
        self.parent: dict[Var, Var] = {}

    def add(self, var: Value) -> bool:
        if not isinstance(var, Var) or var.type.kind != "list":
            return False
        self.parent.setdefault(var, var)
        return True

    def find(self, var: Var) -> Var:
        while self.parent[var] is not var:
            var = self.parent[var]
        return var

    def join(self, a: Value, b: Value) -> None:
        if self.add(a) and self.add(b):
            self.parent[self.find(a)] = self.find(b)  # type: ignore[arg-type]

    def masks(self) -> dict[Any, Mask]:
        found: dict[Var, Mask] = {}
        for var in self.parent:
            mask = tuple(_flat(var.type.element))
            root = self.find(var)
            old = found.get(root, ())
            if len(mask) < len(old):
                mask = (*mask, *([None] * (len(old) - len(mask))))
            old = (*old, *([None] * (len(mask) - len(old))))
            found[root] = tuple(p if p is not None else q for p, q in zip(mask, old, strict=True))
        live = {root: mask for root, mask in found.items() if any(t is not None for t in mask)}
        return {v: live[self.find(v)] for v in self.parent if self.find(v) in live}


def _flat(element: Any) -> list[Type | None]:
    if isinstance(element, tuple):
        return [leaf for part in element for leaf in _flat(part)]
    if element is None:
        return []
    if not element.active:
        return [None]
    dtype = element.dtype if element.dtype in "fc" else "f"
    return [Type(element.kind, element.shape, dtype, True)]


def _walk(block: Block, groups: _Groups) -> None:
    for eq in equations(block):
        for target in eq.targets:
            groups.add(target)
        if eq.op.fn in (*LIST_WRITES, LIST_REVERSED, list):
            groups.join(eq.targets[0], eq.args[0])
    for statement in statements(block):
        for m in merges_of(statement):
            groups.join(m.out, m.then)
            groups.join(m.out, m.orelse)
        for c in carried_of(statement):
            for value in (c.init, c.next, c.out):
                groups.join(c.param, value)
