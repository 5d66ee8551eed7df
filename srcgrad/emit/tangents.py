"""Writing the statements of tangents as text."""

from __future__ import annotations

import ast
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.emit.backward import BackwardWriter
from srcgrad.emit.primal.holders import Holders
from srcgrad.emit.words.expressions import Expressions
from srcgrad.emit.words.places import Page
from srcgrad.emit.words.text import to_text
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.layout import Place
from srcgrad.ir.nodes import RETURNED, Equation, Value, Var, acts
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.transform.forward_parts import CarriedCall


class TangentExpressions(Expressions):
    """Writes expressions at places of the forward text."""

    holders: Holders  # finds primal values
    place: Place  # where what is being written will stand

    def value(self, value: Value) -> ast.expr:
        if isinstance(value, Var) and value not in self.inlined and value not in self.names:
            text = self.holders.access(value, self.place)
            if text is None:
                if value not in self.holders.equations:  # an array that was written since
                    raise Specialise(What.STATEMENTS)
                return self.operation(self.holders.equations[value])
            return ast.parse(text, mode="eval").body
        return super().value(value)


class TangentWriter(BackwardWriter):
    """Writes the tangents of one function, one piece of text for each statement."""

    e: TangentExpressions
    unsure: dict[Var, Any]  # what may not have been assigned
    unset: list[str]  # the names of these that are handed on under other ones

    def inlines(self, eq: Equation, reader: Any) -> bool:
        """Whether an equation may be written inside of its reader: under the same line."""
        there = getattr(reader, "origin", None)
        if there is None or eq.origin is None or isinstance(eq.op.fn, CarriedCall):
            return False
        if isinstance(reader, Equation) and reader.op.fn is RETURNED:
            return False
        if acts(eq.op):  # its place is looked at
            return False
        return there.statement is eq.origin.statement

    def may_augment(self, eq: Equation) -> bool:
        """Whether a sum may be written in place: a tangent may be longer than its first part."""
        if not super().may_augment(eq):
            return False
        first, lengths = eq.args[0], self.e.context.lengths
        return type_of(first).kind == "scalar" or lengths.alike(first, eq.targets[0])

    def stays(self, eq: Equation) -> bool:
        """Whether nothing may be moved over an equation."""
        return not eq.targets or isinstance(eq.op.fn, CarriedCall) or super().stays(eq)

    def put(self, node: ast.AST, indent: int) -> None:
        self.page.add("\n".join(to_text(node, indent)))  # indented where it is placed

    def head(self, statement: Any, indent: int) -> None:
        """Tangents stand beside their lines, which need not be quoted."""

    def texts(self, eq: Equation, place: Place, depth: int) -> list[str]:
        """The statements of one equation, at a place."""
        self.e.place, self.page = place, Page()
        if eq.op.fn is RETURNED:
            return []
        if isinstance(eq.op.fn, CarriedCall):  # its statement is none that a call can stand before
            raise Specialise(What.STATEMENTS)
        self.equation(eq, 4 * depth)
        return self.page.lines

    def moves(self, pairs: list[tuple[Var, Value]], place: Place, depth: int) -> list[str]:
        """The statements that hand values on."""
        self.e.place, self.page = place, Page()
        for target, value in pairs:
            name = self.e.names.get(value) if value in self.unsure else None  # type: ignore[arg-type]
            if name not in (None, self.e.names.get(target)):
                self.unset.append(name)  # pyright: ignore[reportArgumentType]
        self.hand_on([p for p in pairs if p[1] is not UNDEFINED], 4 * depth)
        return self.page.lines

    def reads(self, eq: Equation) -> list[Var]:
        """The primal values that an equation reads, through what is written inside of it."""
        found: dict[Var, None] = {}
        for var in self.uses(eq):
            if var not in self.e.names:
                found[var] = None
        return list(found)
