"""Going through the statements of a block, and rebuilding them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.ir.nodes import (
    PAIR,
    Block,
    Carried,
    Equation,
    Function,
    If,
    Loop,
    Merge,
    Statement,
    Var,
    equations,
)


def inner_blocks(statement: Statement) -> tuple[Block, ...]:
    """Return the blocks inside of a statement: the arms of a branch, the body of a loop."""
    if isinstance(statement, If):
        return statement.then, statement.orelse
    return (statement.body,) if isinstance(statement, Loop) else ()


def statements(block: Block) -> list[Statement]:
    """Return the statements of a block, each before those that are inside of it."""
    if {*map(type, block)} <= {Equation}:  # as most blocks
        return [*block]
    found: list[Statement] = []
    for statement in block:
        found.append(statement)
        if not isinstance(statement, Equation):
            for inner in inner_blocks(statement):
                found += statements(inner)
    return found


def loops_of(block: Block) -> list[Loop]:
    """Return the loops of a block, from the outside in."""
    return [statement for statement in statements(block) if isinstance(statement, Loop)]


def with_blocks(statement: Any, change: Callable[[Block], Block]) -> Any:
    """Return a statement with other blocks inside; itself, if they are the same."""
    if isinstance(statement, Equation):
        return statement
    old = inner_blocks(statement)
    new = tuple(map(change, old))
    if new == old:
        return statement
    if isinstance(statement, If):
        return replace(statement, then=new[0], orelse=new[1])
    return replace(statement, body=new[0])


def with_equations(block: Block, change: Callable[[Equation], Iterable[Statement]]) -> Block:
    """Return a block with what a function gives in the place of each of its equations, in order."""
    out: list[Statement] = []
    for statement in block:
        if isinstance(statement, Equation):
            out += change(statement)
        else:
            out.append(with_blocks(statement, lambda inner: with_equations(inner, change)))
    return tuple(out)


def exchanged(block: Block, changes: Mapping[Equation, Iterable[Statement]]) -> Block:
    """Return a block with other statements, or none, in the place of some equations."""
    return with_equations(block, lambda eq: changes.get(eq, (eq,)))


def merges_of(statement: Statement) -> tuple[Merge, ...]:
    """Return what the arms of a branch give."""
    return statement.merges if isinstance(statement, If) else ()


def carried_of(statement: Statement) -> tuple[Carried, ...]:
    """Return what the iterations of a loop hand on."""
    return statement.carried if isinstance(statement, Loop) else ()


def targets_of(statement: Statement) -> Sequence[Var]:
    """Return the variables that a statement gives to those behind it."""
    if isinstance(statement, Equation):
        return statement.targets
    if isinstance(statement, If):
        return [m.out for m in statement.merges]
    return [c.out for c in statement.carried]


def with_called(function: Function) -> Iterator[Equation]:
    """Yield the equations of a function and of those that it calls."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for eq in equations(current.body):
            yield eq
            if eq.op.fn is PAIR and eq.payload.pair.function is not None:
                waiting.append(eq.payload.pair.function)
