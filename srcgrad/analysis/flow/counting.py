"""Which variables a block defines, and how often each is read."""

from __future__ import annotations

from srcgrad.ir.blocks import statements, targets_of
from srcgrad.ir.nodes import Block, Equation, If, Loop, Value, Var, uses, variables


def count_uses(block: Block, results: list[Value]) -> dict[Var, int]:
    """Return how often each variable is read by a block, or handed on as a result."""
    counts: dict[Var, int] = {}

    def add(value: Value) -> None:
        for var in variables(value):
            counts[var] = counts.get(var, 0) + 1

    def walk(block: Block) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                for var in uses(statement):
                    counts[var] = counts.get(var, 0) + 1
            elif isinstance(statement, If):
                add(statement.test)
                walk(statement.then)
                walk(statement.orelse)
                for m in statement.merges:
                    add(m.then)
                    add(m.orelse)
            else:
                for c in statement.carried:
                    add(c.init)
                    add(c.next)
                walk(statement.body)

    walk(block)
    for result in results:
        add(result)
    return counts


def defined(block: Block) -> set[Var]:
    """The variables that a backward block defines."""
    found: set[Var] = set()
    for statement in statements(block):
        found.update(targets_of(statement))
        if isinstance(statement, Loop):
            found.update(c.param for c in statement.carried)
    return found
