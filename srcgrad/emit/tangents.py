"""Writing the statements of tangents as text."""

from __future__ import annotations

import ast
from typing import Any

from srcgrad.emit.backward import BackwardWriter
from srcgrad.emit.expressions import Expressions, to_text
from srcgrad.emit.places import Place, Places
from srcgrad.frontend.builder import UNDEFINED
from srcgrad.ir.nodes import RETURNED, Equation, Value, Var
from srcgrad.transform.forward import PairTangent


class TangentExpressions(Expressions):
    """Writes expressions at places of the forward text.

    Attributes:
        places: finds primal values.
        place: where what is being written will stand.
    """

    places: Places
    place: Place

    def value(self, value: Value) -> ast.expr:
        if isinstance(value, Var) and value not in self.inlined and value not in self.names:
            text = self.places.access(value, self.place)
            if text is None:
                return self.operation(self.places.equations[value])
            return ast.parse(text, mode="eval").body
        return super().value(value)


class TangentWriter(BackwardWriter):
    """Writes the tangents of one function, one piece of text for each statement."""

    e: TangentExpressions

    def inlines(self, eq: Equation, reader: Any) -> bool:
        """Whether an equation may be written inside of its reader: under the same line."""
        there = getattr(reader, "origin", None)
        if there is None or eq.origin is None or isinstance(eq.op.fn, PairTangent):
            return False
        if isinstance(reader, Equation) and reader.op.fn is RETURNED:
            return False
        return there.statement is eq.origin.statement

    def put(self, node: ast.AST, indent: int) -> None:
        lines = to_text(ast.fix_missing_locations(node), indent)
        self.lines.append(("\n" + " " * indent).join(lines))

    def head(self, statement: Any, indent: int) -> None:
        """Tangents stand beside their lines, which need not be quoted."""

    def texts(self, eq: Equation, place: Place, depth: int) -> list[str]:
        """The statements of one equation, at a place."""
        self.e.place, self.lines = place, []
        if eq.op.fn is RETURNED:
            return []
        self.equation(eq, 4 * depth)
        return self.lines

    def moves(self, pairs: list[tuple[Var, Value]], place: Place, depth: int) -> list[str]:
        """The statements that hand values on."""
        self.e.place, self.lines = place, []
        self.hand_on([p for p in pairs if p[1] is not UNDEFINED], 4 * depth)
        return self.lines

    def reads(self, eq: Equation) -> list[Var]:
        """The primal values that an equation reads, through what is written inside of it."""
        found: dict[Var, None] = {}
        for var in self.uses(eq):
            if var not in self.e.names:
                found[var] = None
        return list(found)


__all__ = ["TangentExpressions", "TangentWriter"]
