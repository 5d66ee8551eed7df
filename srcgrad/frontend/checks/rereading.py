"""Arrays without derivative that are written under another name than they are read.

Whether two names stand for the same array is often not known (``c = a if p else b``,
``row = rows[k]``, what a function gives back). The text computes with whatever they hold;
what the backward part reads must be what they held at the same place. So wherever a value
is read that a write may have changed, it becomes a value of its own, which its name holds
from that statement on. And as long as one of such names is read, what is written under
the others has to stay in the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.memory.ownership import HIDDEN, Roots
from srcgrad.analysis.memory.separation import Memory
from srcgrad.errors import MutationError
from srcgrad.frontend.text.trees import children
from srcgrad.ir.layout import Binding, Definition, Layout
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    OPAQUE,
    PAIR,
    Block,
    Equation,
    If,
    Loop,
    Op,
    Statement,
    Value,
    Var,
    equations,
    uses,
    variables,
)
from srcgrad.ir.rebuilding import substituted

REREAD = "read again"


def reread(block: Block, layout: Layout) -> Block:
    """Give what is read after a write under another name a variable of its own."""
    writes = [eq for eq in equations(block) if _writes(eq)]
    if not writes:
        return block
    memory = Memory(block)
    outer = {v for v in layout.bindings if v not in layout.definitions}
    outside = False
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
            outside = True
    for write in writes:
        _require_order(write, block, layout, memory)
    _require_certain(block, memory)
    stale = _stale(block, memory, outer) | (outer if outside else set())
    if not stale:
        return block
    places = [layout.definitions[write.targets[0]] for write in writes]
    whole = [(place.order, place.statement) for place in places]
    return _Rereading(stale, outer, whole, layout).block(block)


def _writes(eq: Equation) -> bool:
    """Whether an equation stands for a write into an array without derivative."""
    return eq.payload in ("in place", "may write") and not eq.targets[0].type.active


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


def _stale(block: Block, memory: Memory, outer: set[Var]) -> set[Var]:
    """The variables that are read after a write that may have changed what they stand for."""
    found: set[Var] = set()

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        if not isinstance(statement, Equation) or not _writes(statement):
            return
        mine = _written(statement, memory, outer)
        others = live - found - set(statement.targets)
        found.update(v for v in others if memory.share(mine, memory.of(v)))

    liveness.walk(block, set(), _reads, visit, _nothing)
    return found


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
                origin = statement.origin
                node = origin.node or origin.statement if origin is not None else None
                raise MutationError(
                    "an array is written in place that may have another name",
                    spots=[origin.source.spot(node)] if node is not None else [],  # type: ignore
                    why=f"{var.name!r}, which is read later, may be this array or one that is "
                    "differentiated.",
                    fixes=["write into a copy: x = x.copy()"],
                )

    def reads(eq: Equation) -> Iterable[Var]:
        return () if isinstance(eq.op.fn, Metadata) else of(uses(eq))

    liveness.walk(block, set(), reads, visit, lambda value: of(variables(value)))


def _require_order(write: Equation, block: Block, layout: Layout, memory: Memory) -> None:
    """Refuse a call inside an expression that writes what was read before it there.

    In the forward part it may get a line of its own, before the rest of the statement.
    """
    call = write.origin.node if write.origin is not None else None
    if not isinstance(call, cst.Call) or write.payload != "may write":
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


class _Rereading:
    """Rewrites the statements of a function.

    Args:
        stale: the variables that are to be read anew by each statement.
        outer: those of them that are not local, and may have other names.
        writes: when something is written, in the order of evaluation, and in which statement.
        layout: where everything stands.
    """

    def __init__(
        self, stale: set[Var], outer: set[Var], writes: list[tuple[int, Any]], layout: Layout
    ) -> None:
        self.stale = stale
        self.outer = outer
        self.layout = layout
        self.writes = writes
        self.places = {id(s): (f, at) for f in layout.frames for s, at in f.statements}

    def block(self, block: Block) -> Block:
        """The statements of a block, with what they read again before them."""
        out: list[Statement] = []
        read: dict[tuple[Var, Any], Var] = {}
        for statement in block:
            if isinstance(statement, If):
                then, orelse = self.block(statement.then), self.block(statement.orelse)
                out.append(replace(statement, then=then, orelse=orelse))
            elif isinstance(statement, Loop):
                out.append(replace(statement, body=self.block(statement.body)))
            else:
                out += self.equation(statement, read)
        return tuple(out)

    def equation(self, eq: Equation, read: dict[tuple[Var, Any], Var]) -> list[Equation]:
        """An equation, behind those that read again what it needs."""
        out: list[Equation] = []
        new: dict[Var, Value] = {}
        text = eq.origin.statement if eq.origin is not None else None
        for var in _reads(eq):
            if var not in self.stale or self.unchanged(var, eq):
                continue
            key = (var, id(text))
            if key not in read:
                read[key] = self.again(var, eq)
                note = "hidden" if var in self.outer else REREAD
                out.append(Equation((read[key],), Op(OPAQUE), (var,), (), eq.origin, note))
            new[var] = read[key]
        if not new:
            return [eq]
        args = tuple(substituted(arg, new) for arg in eq.args)
        options = tuple((name, substituted(v, new)) for name, v in eq.options)
        changed = replace(eq, args=args, options=options)
        if any(var in new for var in uses(changed)):
            raise self.refusal(changed)
        return [*out, changed]

    def again(self, var: Var, reader: Equation) -> Var:
        """What a variable stands for in the statement of an equation that reads it."""
        new = Var(var.name, var.type, var.named)
        frame, at = self.places.get(id(reader.origin.statement), (None, 0))  # type: ignore[union-attr]
        if frame is None:
            raise self.refusal(reader)
        position: Any = at - 0.5  # before the statement, behind the one above it
        known = self.layout.bindings.get(var, [])
        held = [b for b in known if self.layout.holds(b, (frame, position), contents=False)]
        order: Any = self.layout.definitions[reader.targets[0]].order - 0.5
        text = reader.origin.statement  # type: ignore[union-attr]
        if not held or any(place < order and where is text for place, where in self.writes):
            raise self.refusal(reader)
        self.layout.definitions[new] = Definition(frame, None, None, position, False, order)
        self.layout.bindings[new] = [Binding(b.name, b.path, position, frame) for b in held]
        return new

    def unchanged(self, var: Var, reader: Equation) -> bool:
        """Whether nothing is written between a variable's definition and a read of it."""
        home = self.layout.definitions.get(var)
        if home is None:
            return False
        there = self.layout.definitions[reader.targets[0]]
        inside = [f for f in there.frame.ancestors() if not f.encloses(home.frame)]
        if any(f.kind == "loop" for f in inside) or not home.frame.encloses(there.frame):
            return False
        return not any(home.order < order < there.order for order, _ in self.writes)

    def refusal(self, reader: Equation) -> MutationError:
        """The error for a value that no name holds."""
        origin = reader.origin
        spots = []
        if origin is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.node or origin.statement)]
        return MutationError(
            "an array is read that may have been written under another name",
            spots=spots,
            why="No name stands for it here, by which the derivative could read it.",
            fixes=["give it a name in the statement before", "write into a copy"],
        )
