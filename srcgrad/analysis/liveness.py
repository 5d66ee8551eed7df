"""Liveness: which variables are still needed after each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad.ir.nodes import Block, Equation, Statement, Var, variables

Uses = Callable[[Equation], Iterable[Var]]
Visit = Callable[[Statement, frozenset[Var]], None]


def walk(
    block: Block, live: set[Var], uses: Uses, visit: Visit, value_uses: Callable = variables
) -> set[Var]:
    """Visit the statements of a block from last to first with what is live after each.

    Args:
        block: the statements.
        live: the variables that are needed after the block.
        uses: the variables that an equation reads.
        visit: called with each statement and the variables live after it.
        value_uses: the variables that reading a value reads.

    Returns:
        The variables that are needed before the block.
    """
    live = set(live)
    for statement in reversed(block):
        visit(statement, frozenset(live))
        if isinstance(statement, Equation):
            live -= set(statement.targets)
            live |= set(uses(statement))
        elif hasattr(statement, "merges"):
            outs = {m.out for m in statement.merges}
            rest = live - outs
            then = rest | {v for m in statement.merges for v in value_uses(m.then)}
            orelse = rest | {v for m in statement.merges for v in value_uses(m.orelse)}
            live = walk(statement.then, then, uses, visit, value_uses)
            live |= walk(statement.orelse, orelse, uses, visit, value_uses)
            live |= set(value_uses(statement.test))
        else:
            outs = {c.out for c in statement.carried}
            params = {c.param for c in statement.carried}
            nexts = {v for c in statement.carried for v in value_uses(c.next)}
            through = live - outs
            for _ in range(2):  # what an iteration reads from outside is live in all of them
                inside = walk(statement.body, through | nexts, uses, _ignore, value_uses)
                through |= inside - params - {statement.index}
            walk(statement.body, through | nexts, uses, visit, value_uses)
            live = through | {v for c in statement.carried for v in value_uses(c.init)}
    return live


def _ignore(statement: Statement, live: frozenset[Var]) -> None:
    return None
