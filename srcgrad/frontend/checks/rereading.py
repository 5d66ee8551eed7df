"""Arrays without derivative that are written under another name than they are read.

Whether two names stand for the same array is often not known (``c = a if p else b``,
``row = rows[k]``, what a function gives back). The text computes with whatever they hold;
what the backward part reads would have to be what they held at the same place, so a function
is refused that reads, under one of such names, what it has written under another. And as long
as one of them is read, what is written under the others has to stay in the text.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.memory.ownership import HIDDEN, Roots
from srcgrad.analysis.memory.separation import Memory
from srcgrad.errors import MutationError
from srcgrad.frontend.text.trees import children
from srcgrad.ir.layout import Layout
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    PAIR,
    Block,
    Equation,
    MemoryNote,
    Statement,
    Value,
    Var,
    equations,
    uses,
    variables,
)


def require_one_name(block: Block, layout: Layout) -> None:
    """Refuse what is read after a write under another name; let the writes stay in the text.

    Raises:
        MutationError: when a value may have been written before it is read.
    """
    writes = [eq for eq in equations(block) if _writes(eq)]
    if not writes:
        return
    memory = Memory(block)
    outer = {v for v in layout.bindings if v not in layout.definitions}
    for write in writes:
        mine = _written(write, memory, outer)
        names = {n.name for n in layout.bindings.get(write.args[0], ())}  # type: ignore[arg-type]
        for var, bindings in layout.bindings.items():
            if not var.type.is_immutable and memory.share(mine, memory.of(var)):
                names |= {binding.name for binding in bindings}
        layout.together.append(names)
        if HIDDEN in mine:
            _keep(write, layout)
            layout.lasting |= names
    for write in writes:
        _require_order(write, block, layout, memory)
    _require_certain(block, memory)
    _require_fresh(block, memory, outer)


def _writes(eq: Equation) -> bool:
    """Whether an equation stands for a write into an array without derivative."""
    return eq.may_write and not eq.targets[0].type.active


def _reads(eq: Equation) -> Iterable[Var]:
    """The arrays without derivative of which an operation that has one reads the elements."""
    if isinstance(eq.op.fn, Metadata) or eq.op.fn is PAIR:
        return ()  # a called function keeps what it reads itself
    if not any(target.type.active for target in eq.targets):
        return ()
    return [v for v in uses(eq) if not v.type.active and not v.type.is_immutable]


def _nothing(value: Value) -> Iterable[Var]:
    """What merges and loops hand on is a variable of its own, of the time when they do."""
    return ()


def _keep(write: Equation, layout: Layout) -> None:
    """Let the statement of a write stay, whatever the names in it: others may see what it does."""
    statement = write.origin.statement if write.origin is not None else None
    if isinstance(statement, cst.SimpleStatementLine):
        value = getattr(statement.body[0], "value", None)
        if value is not None:
            layout.impure.add(id(value))


def _written(write: Equation, memory: Memory, outer: set[Var]) -> Roots:
    """What a write may go into; what is reached from outside may be whatever was kept there."""
    mine = memory.of(write.args[0])
    return mine | {HIDDEN} if any(("external", var) in mine for var in outer) else mine


def _require_fresh(block: Block, memory: Memory, outer: set[Var]) -> None:
    """Refuse reads after a write that may have changed what a variable stands for."""

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation) or not _writes(statement):
            return
        mine = _written(statement, memory, outer)
        for var in live - set(statement.targets):
            if memory.share(mine, memory.of(var)) or (HIDDEN in mine and var in outer):
                raise _refusal(
                    statement,
                    "an array is written that is read later under another name",
                    "No name stands for what it held, by which the derivative could read it.",
                )

    liveness.walk(block, set(), _reads, visit, _nothing)


def _refusal(write: Equation, what: str, why: str) -> MutationError:
    origin = write.origin
    node = (origin.node or origin.statement) if origin is not None else None
    spots = [origin.source.spot(node)] if node is not None else []  # type: ignore[union-attr]
    return MutationError(what, spots=spots, why=why, fixes=["write into a copy: x = x.copy()"])


def _require_certain(block: Block, memory: Memory) -> None:
    """Refuse writes into what a value with a derivative may be, and may not be: ``b = x if k``."""

    def of(values: Iterable[Var]) -> Iterable[Var]:
        return [v for v in values if v.type.active and v.type.kind in ("array", "numeric")]

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation) or not _writes(statement):
            return
        mine = memory.of(statement.args[0])
        for var in live - set(statement.targets):
            if memory.share(mine, memory.of(var)):
                raise _refusal(
                    statement,
                    "an array is written in place that may have another name",
                    f"{var.name!r}, which is read later, may be this array or one that is "
                    "differentiated.",
                )

    def reads(eq: Equation) -> Iterable[Var]:
        return () if isinstance(eq.op.fn, Metadata) else of(uses(eq))

    liveness.walk(block, set(), reads, visit, lambda value: of(variables(value)))


def _require_order(write: Equation, block: Block, layout: Layout, memory: Memory) -> None:
    """Refuse a call inside an expression that writes what was read before it there.

    In the forward part it may get a line of its own, before the rest of the statement.
    """
    call = write.origin.node if write.origin is not None else None
    if not isinstance(call, cst.Call) or write.payload != MemoryNote.MAY_WRITE:
        return
    statement = write.origin.statement  # type: ignore[union-attr]
    if isinstance(statement, cst.SimpleStatementLine):
        if getattr(statement.body[0], "value", None) is call:
            return
    own, mine = {id(node) for node in _inside(call)}, memory.of(write.args[0])
    until = layout.definitions[write.targets[0]].order
    for eq in equations(block):
        if eq.origin is None or eq.origin.statement is not statement or id(eq.origin.node) in own:
            continue
        there = layout.definitions[eq.targets[0]]
        read = [v for v in uses(eq) if not v.type.is_immutable]
        if there.order < until and any(memory.share(mine, memory.of(v)) for v in read):
            raise MutationError(
                "a call inside an expression writes into an array that is read before it",
                spots=[eq.origin.source.spot(call)],
                fixes=["make the call in a line of its own"],
            )


def _inside(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    yield node
    for child in children(node):
        yield from _inside(child)
