"""Lists that have several names behind a branch or a loop.

Where ways meet, what a name stands for gets a variable of its own. Two names of one list
have two variables then, and a write through one of them would not be seen through the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.analysis.memory.list_versions import changes_of_lists, is_list
from srcgrad.ir.nodes import (
    Block,
    Carried,
    Merge,
    Value,
    Var,
    variables,
)
from srcgrad.ir.unassigned import UNDEFINED


def freeze_merged(b: Any, merges: Iterable[Merge]) -> None:
    """Allow no more writes to lists that have several names behind a branch."""
    _freeze(b, [(m.out, (m.then, m.orelse)) for m in merges])


def freeze_carried(b: Any, carried: Iterable[Carried], body: Block, node: Any) -> None:
    """Do the same behind a loop; refuse one that writes to a list which got another name in it."""
    lists = [c for c in carried if is_list(c.out)]
    if not lists:
        return
    held = _held(b)
    for c in lists:
        same = [d.param for d in lists if d is not c and d.next is c.next]
        again = c.init is not UNDEFINED and c.next is not c.param and (same or c.next in held)
        if again and changes_of_lists(body, [c.param, *same]):
            raise b.refuse(
                node, "a list that gets another name in a loop", "let each name keep its list"
            )
    _freeze(b, [(c.out, (c.init, c.next)) for c in lists])


def _freeze(b: Any, joined: list[tuple[Value, tuple[Value, ...]]]) -> None:
    made: dict[Var, set[Var]] = {}
    for out, sides in joined:
        for side in sides if isinstance(out, Var) and is_list(out) else ():
            if isinstance(side, Var):
                made.setdefault(side, set()).add(out)  # type: ignore[arg-type]
    if not made:
        return
    held = _held(b)
    for side, outs in made.items():
        if len(outs) > 1 or side in held or side in b.frozen:
            b.frozen |= {side, *outs}


def _held(b: Any) -> set[Var]:
    """The lists that names, and the objects behind them, stand for."""
    return {v for value in b.env.values() for v in variables(value) if is_list(v)}
