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
            wanted = {c for c in statement.carried if c.out in live}
            nexts: set[Var] = set()
            through = live - outs
            while True:  # what an iteration reads is live at the end of the one before it
                nexts = {v for c in wanted for v in value_uses(c.next)}
                inside = walk(statement.body, through | nexts, uses, _ignore, value_uses)
                more = {c for c in statement.carried if c in wanted or c.param in inside}
                outside = through | (inside - params - {statement.index})
                if len(more) == len(wanted) and outside == through:
                    break
                wanted, through = more, outside
            walk(statement.body, through | nexts, uses, visit, value_uses)
            live = through | {v for c in wanted for v in value_uses(c.init)}
    return live


def _ignore(statement: Statement, live: frozenset[Var]) -> None:
    return None
