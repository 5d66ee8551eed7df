"""In-place writes that somebody else might see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analysis import liveness
from srcgrad.analysis.ownership import LISTS
from srcgrad.analysis.separation import Memory
from srcgrad.ir.nodes import Block, Equation, Statement, Var, equations, variables


def harmful_writes(
    block: Block,
    live_out: set[Var],
    uses: Callable[[Equation], Any],
    candidates: Callable[[Equation], bool],
    value_uses: Callable = variables,
) -> list[Equation]:
    """Return the in-place writes that somebody else might see.

    Args:
        block: the statements.
        live_out: the variables that are needed after it.
        uses: the variables that an equation reads.
        candidates: tells which equations write into their first argument.
        value_uses: the variables that reading a value reads.
    """
    if not any(candidates(eq) for eq in equations(block)):
        return []
    memory = Memory(block)
    harmful: list[Equation] = []

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation) or not candidates(statement):
            return
        base = statement.args[0]
        mine = memory.of(base)
        is_list = statement.op.fn in LISTS
        if is_list:
            mine = frozenset(r for r in mine if r[0] == "list")
        if any(r[0] == "external" for r in mine):
            harmful.append(statement)
            return
        for other in live:
            if other in statement.targets:
                continue
            if other.type.shape == () and other.type.kind != "list":
                continue
            if memory.share(mine, memory.of(other)):
                harmful.append(statement)
                return

    liveness.walk(block, live_out, uses, visit, value_uses)
    return harmful
