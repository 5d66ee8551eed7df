"""Which variables a block defines, and how often each is read."""

from __future__ import annotations

from srcgrad.ir.blocks import carried_of, statements, targets_of
from srcgrad.ir.nodes import Block, Equation, If, Value, Var, variables


def count_uses(block: Block, results: list[Value]) -> dict[Var, int]:
    """Return how often each variable is read by a block, or handed on as a result."""
    counts: dict[Var, int] = {}

    def add(value: Value) -> None:
        for var in variables(value):
            counts[var] = counts.get(var, 0) + 1

    def walk(block: Block) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                for arg in statement.args:
                    if type(arg) is Var:  # most are, and this is asked often
                        counts[arg] = counts.get(arg, 0) + 1
                    else:
                        add(arg)
                for _, option in statement.options:
                    add(option)
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
        found.update(c.param for c in carried_of(statement))
    return found
