"""The order of backward statements that belong to one forward line.

The new cotangent of a variable and the old one have the same name. Where the old
one is still read by another statement, that statement comes first, so that no
second name is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.nodes import Block, Equation, Var, uses


def schedule(block: Block, fixed: Callable, reads: Callable, inlined: Container[Var]) -> Block:
    """Reorder a block."""
    out: list[Any] = []
    group: list[Equation] = []

    def flush() -> None:
        inside = {eq.targets[0]: eq for eq in group if eq.targets[0] in inlined}
        for eq in _ordered([eq for eq in group if eq.targets[0] not in inlined], reads):
            _put(eq, inside, out)
        for eq in list(inside.values()):
            if eq.targets[0] in inside:
                _put(eq, inside, out)
        group.clear()

    for statement in block:
        if isinstance(statement, Equation) and not fixed(statement):
            if group and _line(group[0]) is not _line(statement):
                flush()
            group.append(statement)
            continue
        flush()
        out.append(with_blocks(statement, lambda b: schedule(b, fixed, reads, inlined)))
    flush()
    return tuple(out)


def _put(eq: Equation, inside: dict[Var, Equation], out: list[Any]) -> None:
    """Append an equation behind those that are written inside of it."""
    inside.pop(eq.targets[0], None)
    for var in uses(eq):
        if var in inside:
            _put(inside[var], inside, out)
    out.append(eq)


def _line(eq: Equation) -> Any:
    return eq.origin.statement if eq.origin is not None else None


def _ordered(group: list[Equation], reads: Callable) -> list[Equation]:
    """Put the equations that overwrite a name behind those that read it."""
    if len(group) < 2:
        return group
    made = {t for eq in group for t in eq.targets}
    direct = {eq: set(reads(eq)) for eq in group}
    deep = _closure(group, direct)
    rest, out = list(group), []
    done: set[Var] = set()
    while rest:
        ready = [eq for eq in rest if all(v in done for v in direct[eq] if v in made)]
        chosen = next((eq for eq in ready if not _disturbs(eq, rest, direct, deep)), ready[0])
        rest.remove(chosen)
        out.append(chosen)
        done.update(chosen.targets)
    return out


def _closure(group: list[Equation], direct: dict[Equation, set[Var]]) -> dict[Equation, set[Var]]:
    """What each equation reads, and what that is computed from within the group."""
    found: dict[Equation, set[Var]] = {}
    by_target: dict[Var, Equation] = {}
    for eq in group:
        found[eq] = set(direct[eq])
        for var in direct[eq]:
            if var in by_target:
                found[eq] |= found[by_target[var]]
        by_target |= dict.fromkeys(eq.targets, eq)
    return found


def _disturbs(eq: Equation, rest: list[Equation], direct: dict, deep: dict) -> bool:
    """Whether an equation gives a name to another value that is still read."""
    for target in eq.targets:
        if not target.named:
            continue
        for other in rest:
            if other is eq or target in deep[other]:
                continue
            if any(v.named and v.name == target.name and v is not target for v in direct[other]):
                return True
    return False
