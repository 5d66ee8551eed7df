"""Names that the backward part binds while another value of that name is still read.

A backward loop binds the names that one iteration of the forward loop has kept, an
arm those that it has kept, under the names that they have in the user's code. The
same name may stand for another value outside: what it had at the end of the forward
part, or in an iteration of a loop further out. Where that value is read later than
the name is bound, the region binds another name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.kept.plans import Names, Plan
from srcgrad.emit.words.headers import header_reads, reads_index
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import Block, Equation, If, Loop, Op, Statement, Value, Var, uses, variables

_WORD = re.compile(r"[^\W\d]\w*")
_HEAD = Op("head of a region")


def rename_rebound(
    block: Block,
    results: list[Value],
    plan: Plan,
    where: dict[Var, str],
    again: dict[Var, Equation],
    reads: Callable[[Iterable[Var]], list[Var]],
    names: Names,
) -> dict[Frame, dict[str, str]]:
    """Give other names to what regions bind, where the old ones are still read.

    Returns:
        For each such region, the old names with the new ones.
    """
    heads: dict[Equation, Frame] = {}
    shadow = _with_heads(block, plan, again, heads)
    found: dict[Frame, dict[str, str]] = {}
    if not heads:
        return found

    def name_of(var: Var) -> str:
        match = _WORD.match(where.get(var, ""))
        return match.group() if match else ""

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if statement not in heads:
            return
        frame = heads[statement]
        mine = statement.targets
        others = {name_of(v) for v in live.difference(mine)}
        for name in sorted({where[v] for v in mine} & others):
            new = found.setdefault(frame, {})[name] = _before(name, names)
            where.update({v: new for v in mine if where[v] == name})

    def of(value: Value) -> list[Var]:
        return reads(variables(value))

    live = {v for result in results for v in of(result)}
    liveness.walk(shadow, live, lambda eq: reads(uses(eq)), visit, of)
    return found


def _before(name: str, names: Names) -> str:
    """A free name for an earlier value of a name."""
    free = (f"{name}_{k}" for k in itertools.count() if f"{name}_{k}" not in names.taken)
    return names.fresh(next(free))


def _with_heads(
    block: Block, plan: Plan, again: dict[Var, Equation], heads: dict[Equation, Frame]
) -> Block:
    """Put what the heads of regions read and bind into a block, as equations."""

    def head(frame: Frame, bound: list[Var]) -> Block:
        mine = [*[v for v, home in plan.homes.items() if home is frame], *bound]
        if not mine:
            return ()
        made = Equation(tuple(mine), _HEAD, ())
        heads[made] = frame
        return (made,)

    out: list[Statement] = []
    for statement in block:
        if isinstance(statement, If):
            then, orelse = (
                (*head(frame, []), *_with_heads(arm, plan, again, heads))
                for frame, arm in zip(
                    statement.frames, (statement.then, statement.orelse), strict=True
                )
            )
            statement = If(statement.test, then, orelse, statement.merges)
        elif isinstance(statement, Loop):
            forward: Loop = statement.header
            index = [forward.index] if reads_index(statement.body, forward.index, again) else []
            body = _with_heads(statement.body, plan, again, heads)
            body = (*head(forward.frame, index), *body)
            out.append(Equation((), _HEAD, tuple(header_reads(statement, plan))))
            statement = Loop(statement.carried, body, statement.index)
        out.append(statement)
    return tuple(out)
