"""The user's text with tangents beside it: what changes in branches, loop heads and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import Names, Plan
from srcgrad.emit.primal.forward import ForwardWriter, _line
from srcgrad.frontend.text.exits import block as indented
from srcgrad.frontend.text.source import Source


class CarryingWriter(ForwardWriter):
    """Writes a function's text with the edits that tangents need.

    Attributes:
        orelse: lines of the ``else`` of a branch, or of a ``try`` statement, by its id.
        heads: (added target, added iterable) of a loop, by its id.
        back: gives the text of the tangents that a return statement returns.
    """

    def __init__(
        self,
        source: Source,
        names: Names,
        layout: Any,
        back: Callable[[Any], str],
        namer: Callable[[Any], str],
    ) -> None:
        super().__init__(source, Plan(), [], names, layout, False, namer)
        self.orelse: dict[int, list[str]] = {}
        self.heads: dict[int, tuple[str, str]] = {}
        self.back = back

    def statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, cst.SimpleStatementLine):
            small = statement.body[0]
            if isinstance(small, cst.Return):
                back = self.back(statement)
                self.returned = lambda value: [f"return {_as_item(value)}, {back}"]
        made = super().statement(statement)
        if isinstance(statement, cst.Try):
            return [self.with_else(made[0], self.orelse.get(id(statement), []))]
        if isinstance(statement, cst.For) and id(statement) in self.heads:
            return [self.head(made[0], *self.heads[id(statement)])]
        return made

    def head(self, loop: cst.For, target: str, iterable: str) -> cst.For:
        """Let a loop go over one more thing; an empty one is a count."""
        old = loop.target
        if isinstance(old, cst.Tuple) and not old.lpar:
            old = old.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        text = cst.Module([]).code_for_node(old)
        over = _as_item(loop.iter)
        if iterable:
            head = f"for {text}, {target} in zip({over}, {iterable}):\n    pass"
        else:
            head = f"for {target}, {text} in enumerate({over}):\n    pass"
        new = cst.parse_statement(head)
        assert isinstance(new, cst.For)
        return loop.with_changes(target=new.target, iter=new.iter)

    def branch(self, node: cst.If) -> cst.If:
        made = super().branch(node)
        return self.with_else(made, self.orelse.get(id(node), []))

    def with_else(self, made: Any, lines: list[str]) -> Any:
        """Add lines to what is done where an ``if`` is not taken, or nothing is caught."""
        if not lines:
            return made
        orelse = [] if made.orelse is None else list(made.orelse.body.body)
        return made.with_changes(orelse=cst.Else(indented([*orelse, *map(_line, lines)])))


def _as_item(node: Any) -> str:
    text = cst.Module([]).code_for_node(node)
    bare = isinstance(node, cst.Tuple | cst.Lambda | cst.IfExp | cst.NamedExpr)
    return f"({text})" if bare and not node.lpar else text
