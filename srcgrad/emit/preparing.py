"""Getting a backward block ready to be written: what is inlined, the order, the names."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.kept.otherwise import Again
from srcgrad.analysis.kept.plans import Names, Plan
from srcgrad.analysis.memory.ownership import roots_of, trace
from srcgrad.analysis.memory.separation import Memory
from srcgrad.analysis.memory.writes import harmful_writes
from srcgrad.emit.primal.copies import (
    LIST_WRITES,
    WRITES,
    exchanged,
    handed_on,
    insert_copies,
    note_places,
    own_loop_inits,
    zeros_like_the_last,
)
from srcgrad.emit.reused import Forward, written_again
from srcgrad.emit.words.expressions import Expressions
from srcgrad.emit.words.fusing import Fuser
from srcgrad.emit.words.naming import assign_names
from srcgrad.emit.words.places import Page
from srcgrad.emit.words.schedule import schedule
from srcgrad.emit.words.text import LINE
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    ACTING,
    FINAL,
    LIST_NEW,
    LIST_REVERSED,
    Block,
    Equation,
    Op,
    Part,
    Statement,
    Value,
    Var,
    acts,
    equations,
    targets_of_block,
    uses,
    variables,
)

_SUMS = (operator.add, operator.sub)
_PRODUCTS = (operator.mul, operator.truediv)


class Prepared:
    """A backward block, with what is written where, and under which names."""

    def __init__(
        self,
        block: Block,  # the statements, simplified
        results: list[Value],  # the values that are returned
        expressions: Expressions,  # writes the expressions
        names: Names,  # the names that are taken
        fixed: dict[Var, str],  # names of variables that are given (parameters of the function)
        plan: Plan,  # where the forward values are found
        split: bool,  # whether it is a function of its own
        # the forward part before it, where that may be written into
        forward: Forward | None = None,
        # takes elementwise operations out of its expressions; None where none are
        fuser: Fuser | None = None,
    ) -> None:
        self.split, self.fuser = split, fuser
        self.e = expressions
        self.plan = plan
        self.names = expressions.local = names
        self.page = Page()
        self.last: Any = None
        live = {v for r in results for v in variables(r)}
        block = zeros_like_the_last(block)
        self.counts = count_uses(block, results)
        counted, block = block, self.protect(self.without_spare_copies(block, live), live)
        if block is not counted:
            self.counts = count_uses(block, results)
        self.inline(block)
        block = scheduled = schedule(block, self.stays, self.uses, self.e.inlined)
        block = self.protect(block, {w for v in live for w in self.expanded(v)})
        if block is not scheduled:
            self.counts = count_uses(block, results)
        mine = [v for v in targets_of_block(block) if v not in self.e.inlined] + list(fixed)
        self.in_place = self.find_in_place(block, live)
        block, self.again = written_again(
            self.e.context, block, results, self.e.inlined, self.written, forward
        )
        together = [
            (eq.targets[0], eq.args[0]) for eq in self.in_place if isinstance(eq.args[0], Var)
        ]
        expanded_live = {w for v in live for w in self.expanded(v)}
        names.taken.update(getattr(eq.op.fn, "__name__", "") for eq in equations(block))
        self.e.names = assign_names(
            block,
            expanded_live,
            mine,
            self.uses,
            self.value_uses,
            together,
            names,
            fixed,
        )
        self.block = block
        self.results = results
        self.renamed: dict[Frame, dict[str, str]] = {}

    def uses(self, eq: Equation) -> list[Var]:
        return [w for v in uses(eq) for w in self.expanded(v)]

    def value_uses(self, value: Value) -> list[Var]:
        return [w for v in variables(value) for w in self.expanded(v)]

    def expanded(self, var: Var) -> list[Var]:
        """The variables that reading a variable reads, if it is written in place."""
        eq = self.e.inlined.get(var)
        if eq is None:
            return [var]
        return [w for v in uses(eq) for w in self.expanded(v)]

    def written(self, found: Iterable[Var]) -> list[Var]:
        """The variables whose names are written where some variables are read."""
        out: list[Var] = []
        for var in found:
            eq = self.e.inlined.get(var) or self.e.again.get(var)
            out += [var] if eq is None else self.written(uses(eq))
        return out

    def without_spare_copies(self, block: Block, live: set[Var]) -> Block:
        """Read a part of an array itself, not a copy of it, where no write is seen by that."""
        made = {eq.targets[0]: eq for eq in equations(block) if eq.op.fn is operator.getitem}
        kept = handed_on(block) | live
        spare: dict[Var, tuple[Equation, Equation]] = {}
        for eq in equations(block):
            part = made.get(eq.args[0]) if eq.op.fn is np.copy and eq.args else None  # type: ignore
            if part is None or kept & {*eq.targets} or self.counts[part.targets[0]] != 1:
                continue
            spare[eq.targets[0]] = part, eq
        if not spare:
            return block

        def without(copies: Iterable[Var]) -> Block:
            changes: dict[Equation, Block] = {}
            for part, copy in map(spare.__getitem__, copies):
                changes |= {part: (replace(part, targets=copy.targets),), copy: ()}
            return exchanged(block, changes)

        trial, writes = without(spare), lambda eq: eq.op.fn in WRITES
        seen = {*harmful_writes(block, live, self.uses, writes, self.value_uses)}
        memory = Memory(trial)
        needed: set[Var] = set()

        def visit(statement: Statement, live: frozenset[Var]) -> None:
            """Note who would see a write; the array of a write that others see is copied anyway."""
            if not isinstance(statement, Equation) or not writes(statement) or statement in seen:
                return
            mine = memory.of(statement.args[0])
            needed.update(v for v in live & spare.keys() if memory.share(mine, memory.of(v)))

        liveness.walk(trial, live, self.uses, visit, self.value_uses)
        return without(v for v in spare if v not in needed)

    def protect(self, block: Block, live: set[Var]) -> Block:
        """Copy an array before a write that somebody else would see."""
        if not any(eq.op.fn in WRITES for eq in equations(block)):
            return block
        block = own_loop_inits(block)
        done: set[Var] = set()
        while True:
            bad = harmful_writes(
                block,
                live,
                self.uses,
                lambda eq: eq.op.fn in WRITES and eq.targets[0] not in done,
                self.value_uses,
            )
            if not bad:
                return block
            done.add(bad[-1].targets[0])
            block = insert_copies(block, {bad[-1]})

    def find_in_place(self, block: Block, live: set[Var]) -> list[Equation]:
        """The equations that write into their first argument."""
        found = [eq for eq in equations(block) if eq.op.fn in WRITES + LIST_WRITES]
        parts = {v for eq in equations(block) if eq.op.fn in (np.real, np.imag) for v in eq.targets}
        # a write into a part of complex numbers could not be read again
        sums = [eq for eq in equations(block) if self.may_augment(eq) and eq.args[0] not in parts]
        expanded = {w for v in live for w in self.expanded(v)}
        arrays = {eq for eq in sums if eq.args[0].type.kind != "scalar"}  # type: ignore[union-attr]
        bad = set(
            harmful_writes(block, expanded, self.uses, lambda eq: eq in arrays, self.value_uses)
        )
        return found + [eq for eq in sums if eq not in bad]

    def may_augment(self, eq: Equation) -> bool:
        if eq.op.fn not in (*_SUMS, *_PRODUCTS) or eq.targets[0] in self.e.inlined:
            return False
        first, target = eq.args[0], eq.targets[0]
        if not isinstance(first, Var) or first in self.e.inlined:
            return False
        if (first.name, first.named) != (target.name, target.named):
            return False
        if eq.op.fn in _SUMS:  # the cotangent of a real part takes no complex numbers
            holds = first.type.dtype == "c" or target.type.dtype != "c"
            return holds and first.type.kind in ("array", "scalar")
        # the parts of a sum have one shape and one precision, the factors of a product may not
        kept = first.type.kind == "array" and first.type.dtype == target.type.dtype == "f"
        return kept and self.e.context.uniform and self.e.context.lengths.alike(first, target)

    def inline(self, block: Block) -> None:
        """Choose the variables that are written where they are read."""
        position: dict[Var, tuple[int, int]] = {}
        use: dict[Var, Any] = {}
        writes: dict[int, list[tuple[int, Any]]] = {}
        note_places(block, position, use, writes, [0])
        roots = trace(block)
        sizes: dict[Var, int] = {}
        for eq in equations(block):
            if len(eq.targets) != 1:
                continue
            target = eq.targets[0]
            size = 3 + sum(sizes.get(v) or len(self.e.where.get(v, v.name)) + 3 for v in uses(eq))
            if eq.op.fn in (*WRITES, *LIST_WRITES, LIST_NEW, np.copy):
                continue
            if isinstance(eq.payload, Again) and eq.payload.note:
                continue
            if self.counts.get(target) != 1:
                continue
            if isinstance(eq.op.fn, Part) or (eq.op.fn is LIST_REVERSED and target not in use):
                self.e.inlined[target] = eq
                continue
            if target not in use:
                continue
            reader, where = use[target]
            if eq.op.fn is np.zeros_like and not acts(getattr(reader, "op", Op(None))):
                continue
            if acts(eq.op) and (eq.op.fn in ACTING or where[1] != position[target][1] + 1):
                continue
            if where[0] != position[target][0] or not self.inlines(eq, reader):
                continue
            between = writes.get(where[0], [])
            over = [s for w, s in between if position[target][1] < w < where[1]]
            if any(self.disturbs(s, eq, roots) for s in over):
                continue
            fuses = self.fuser is not None and self.fuser.takes(eq)
            if fuses and not self.fuser.takes(reader):  # type: ignore[union-attr]
                continue  # so that it is an expression by itself, which is fused
            if target.named and not (fuses or self.continues(eq, reader)):
                continue
            if (
                isinstance(reader, Equation)
                and reader.op.fn in WRITES
                and (reader.args[0] is target)
            ):
                continue
            if size > LINE - 36 and not fuses:
                continue
            sizes[target] = size
            self.e.inlined[target] = eq

    def inlines(self, eq: Equation, reader: Any) -> bool:
        """Whether an equation may be written inside of its reader at all."""
        return True

    def stays(self, eq: Equation) -> bool:
        """Whether nothing may be moved over an equation."""
        return eq.op.fn in (*WRITES, *LIST_WRITES) or acts(eq.op)

    def disturbs(self, statement: Any, eq: Equation, roots: dict[Var, Any]) -> bool:
        """Whether a statement may write into what an equation reads."""
        if not isinstance(statement, Equation) or statement.op.fn is FINAL:
            return True
        written = roots_of(statement.args[0], roots)
        read = [v for u in uses(eq) for v in self.expanded(u)]
        return any(roots_of(v, roots) & written for v in read)

    def continues(self, eq: Equation, reader: Any) -> bool:
        """Whether a computation just goes on in the next equation of the same line."""
        return (
            isinstance(reader, Equation)
            and reader.op.fn in (operator.add, operator.sub, operator.mul, operator.neg)
            and reader.targets[0].name == eq.targets[0].name
            and _statement(reader) is _statement(eq)
        )


def _statement(eq: Equation) -> Any:
    return eq.origin.statement if eq.origin is not None else None
