"""Which variables a block defines, and how often each is read."""

from __future__ import annotations

from collections import Counter

from srcgrad.ir.nodes import Block, Equation, If, Value, Var, targets_of_block, uses, variables


def count_uses(block: Block, results: list[Value]) -> dict[Var, int]:
    """Return how often each variable is read by a block, or handed on as a result."""
    read: list[Var] = []

    def walk(block: Block) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                read.extend(uses(statement))
            elif isinstance(statement, If):
                read.extend(variables(statement.test))
                walk(statement.then)
                walk(statement.orelse)
                for m in statement.merges:
                    read.extend([*variables(m.then), *variables(m.orelse)])
            else:
                for c in statement.carried:
                    read.extend([*variables(c.init), *variables(c.next)])
                walk(statement.body)

    walk(block)
    for result in results:
        read += variables(result)
    return dict(Counter(read))


def defined(block: Block) -> set[Var]:
    """The variables that a backward block defines."""
    return set(targets_of_block(block))
