"""In-place writes that somebody else might see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.memory.arguments import require_apart
from srcgrad.analysis.memory.list_versions import changes_of_lists
from srcgrad.analysis.memory.ownership import HIDDEN, lists_seen
from srcgrad.analysis.memory.separation import Memory
from srcgrad.errors import MutationError, UnsupportedSyntaxError
from srcgrad.ir.interception import Interception
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    INTERCEPT,
    LIST_ITEM,
    LIST_WRITES,
    PAIR,
    PERTURB,
    Block,
    Equation,
    Function,
    If,
    Loop,
    MemoryNote,
    Statement,
    Var,
    equations,
    uses,
    variables,
)


def harmful_writes(
    block: Block,  # the statements
    live_out: set[Var],  # what is needed behind them
    uses: Callable[[Equation], Any],  # what an equation reads
    candidates: Callable[[Equation], bool],  # which equations write into their first operand
    value_uses: Callable = variables,  # what a value reads
    # arrays of others that may be written, since it is known who reads them
    tracked: AbstractSet[Var] = frozenset(),
    nested: bool = False,  # whether lists in lists count
    # what may share memory, where that is known of more than the block
    memory: Memory | None = None,
) -> list[Equation]:
    """Return the in-place writes that somebody else might see."""
    if not any(candidates(eq) for eq in equations(block)):
        return []
    memory = Memory(block) if memory is None else memory
    hidden = _read_from_outside(block, candidates, memory)
    harmful: list[Equation] = []

    def own_uses(eq: Equation) -> Iterable[Var]:
        """What an equation reads; what is given is told apart from what is made here anyway."""
        return uses(eq) if tracked else [v for v in uses(eq) if v in memory.roots]

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation) or not candidates(statement):
            return
        base = statement.args[0]
        mine = memory.of(base)
        is_list = statement.op.fn in LIST_WRITES
        if is_list:
            mine = frozenset(r for r in mine if r[0] == "list")
        outside = any(r[0] == "external" for r in mine) or statement in hidden
        if outside and statement.targets[0] not in tracked:
            harmful.append(statement)
            return
        for other in live:
            if other in statement.targets:
                continue
            if other.type.is_immutable:
                continue
            theirs = memory.of(other)
            if memory.share(mine, theirs) or (is_list and nested and lists_seen(mine, theirs)):
                harmful.append(statement)
                return

    liveness.walk(block, live_out, own_uses, visit, value_uses)
    return harmful


def _read_from_outside(
    block: Block, candidates: Callable[[Equation], bool], memory: Memory
) -> set[Equation]:
    """The writes, with a derivative, into what is reached in other ways, as something is later."""
    found: set[Equation] = set()
    if not any(eq.payload == MemoryNote.HIDDEN for eq in equations(block)):
        return found

    def walk(block: Block, waiting: set[Equation]) -> set[Equation]:
        for statement in block:
            if isinstance(statement, If):
                waiting = walk(statement.then, waiting) | walk(statement.orelse, waiting)
            elif isinstance(statement, Loop):
                waiting = walk(statement.body, walk(statement.body, waiting))
            elif candidates(statement) and any(t.type.active for t in statement.targets):
                reached = HIDDEN in memory.of(statement.args[0])
                waiting = waiting | {statement} if reached else waiting
            elif statement.payload == MemoryNote.HIDDEN:
                found.update(waiting)
        return waiting

    walk(block, set())
    return found


def reads(equation: Equation) -> Iterable[Var]:
    """The variables of which an equation reads the elements."""
    return () if isinstance(equation.op.fn, Metadata) else uses(equation)


def require_unaliased(function: Function, called: bool = False) -> None:
    """Refuse in-place writes that another name or the caller might see.

    Args:
        function: the function.
        called: whether it is called by a function that is differentiated; then a
            write into a constant of the caller's matters, too.

    Raises:
        MutationError: at the first such write.
    """

    def writes(eq: Equation) -> bool:
        changes = eq.payload == MemoryNote.IN_PLACE or eq.op.fn in LIST_WRITES
        return changes and (called or any(t.type.active for t in eq.targets))

    calls = [eq for eq in equations(function.body) if eq.op.fn is PAIR and eq.payload.pair.written]
    if calls:
        memory = Memory(function.body)
        for call in calls:
            require_apart(call, memory)
    live, tracked = set(variables(function.result)), function.layout.tracked
    if called:
        _require_known_arguments(function)
    # Generated code takes from each of its lists of lists in one place only.
    nested = not function.source.is_generated
    _require_seen(function, live)
    held = _changes_of_held(function.body) if nested else []
    for eq in held or harmful_writes(
        function.body, live, reads, writes, tracked=tracked, nested=nested
    ):
        origin = eq.origin
        spots = []
        if origin is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.node or origin.statement)]
        listed = bool(held) or eq.op.fn in LIST_WRITES
        raise _of_a_list(spots) if listed else _of_an_array(spots)


def _changes_of_held(block: Block) -> list[Equation]:
    """Return the changes of lists that are held by another list, which the backward part reads."""
    body = list(equations(block))
    taken = [v for eq in body if eq.op.fn is LIST_ITEM for v in eq.targets if v.type.kind == "list"]
    return changes_of_lists(block, taken, inside=False) if taken else []


def _require_seen(function: Function, live: set[Var]) -> None:
    """Refuse to look at the cotangent of an array where some of that would not be seen.

    What shares its memory has been taken again, but for lists that hold it, and for arrays of
    which it is not known whether they do; a view is taken again when its array is written.
    """
    marked = [eq for eq in equations(function.body) if eq.op.fn in (INTERCEPT, PERTURB)]
    marked = [eq for eq in marked if not eq.targets[0].type.is_immutable]
    if not marked:
        return
    memory = Memory(function.body)
    written: list[Equation] = []

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation):
            return
        if statement.payload == MemoryNote.IN_PLACE or statement.op.fn in LIST_WRITES:
            written.append(statement)
        if statement not in marked:
            return
        own = memory.of(statement.args[0])
        about = statement.payload
        of_view = about.of_view if isinstance(about, Interception) else about
        others = [eq.args[0] for eq in written] if of_view else live.difference(statement.targets)
        kinds = ("array", "numeric", "list")
        others = [v for v in others if isinstance(v, Var) and v.type.kind in kinds]
        if any(memory.share(own, memory.of(other)) for other in others):
            origin = statement.origin
            raise UnsupportedSyntaxError(
                "the cotangent of an array that others may hold, and write or read, "
                "is not supported",
                spots=[] if origin is None else [origin.source.spot(origin.statement)],
                why="What they contribute is part of it.",
                fixes=["make it an array of its own: h = h.copy()"],
            )

    liveness.walk(function.body, live, reads, visit, variables)


def _require_known_arguments(function: Function) -> None:
    """Refuse calls that may write into an array of the caller's, it is not known which."""
    calls = [eq for eq in equations(function.body) if eq.payload == MemoryNote.MAY_WRITE]
    if not calls:
        return
    memory = Memory(function.body)
    given = {("external", v) for _, held in function.params for v in variables(held)}
    for eq in calls:
        if eq.targets[0] not in function.layout.tracked and given & memory.of(eq.args[0]):
            origin = eq.origin
            assert origin is not None
            raise _of_an_array([origin.source.spot(origin.node or origin.statement)])


def _of_an_array(spots: list[Any]) -> MutationError:
    return MutationError(
        "an array is written in place that may have another name",
        spots=spots,
        why="What is read under the other name afterwards depends on whether it is the same "
        "array, which is not known when code is generated.",
        fixes=["write into a copy: x = x.copy()", "build a new array instead"],
    )


def _of_a_list(spots: list[Any]) -> MutationError:
    return MutationError(
        "a list is changed in place that may have another name",
        spots=spots,
        why="What is read under the other name afterwards depends on whether it is the same "
        "list, which is not known when code is generated.",
        fixes=["change a copy: t = list(t)", "build a new list instead"],
    )
