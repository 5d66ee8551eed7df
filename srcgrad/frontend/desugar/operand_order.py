"""Naming the operands that have to be evaluated before an effect.

``np.sum(y) - bump(y)`` becomes ``operand = np.sum(y)`` and ``operand - bump(y)``, where
``bump`` writes into its argument. Which operands these are is found in
``frontend.checks.effect_order``.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.exits import block, map_suites
from srcgrad.frontend.text.names import names_in, new_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, held_together
from srcgrad.frontend.text.trees import below, changed, children, rewritten


def locate(source: Source, operands: Iterable[ast.expr]) -> dict[int, cst.CSTNode]:
    """Return the nodes of a function's text that stand for some of its syntax, by their ids."""
    wanted = {_place(source, node): node for node in operands}
    if not wanted:
        return {}
    root, first_line, indent = source.originals
    found: dict[int, cst.CSTNode] = {}
    if isinstance(root, cst.Module):
        positions = MetadataWrapper(root, unsafe_skip_copy=True).resolve(PositionProvider)
        for node, span in positions.items():
            if isinstance(node, cst.BaseExpression):
                ends = (
                    (e.line + first_line - 1, e.column + indent) for e in (span.start, span.end)
                )
                if wanted.pop(tuple(ends), None) is not None:
                    found[id(node)] = node
    if wanted:
        raise _refusal(source, source.tree)
    return found


def _place(source: Source, node: ast.expr) -> tuple[tuple[int, int], ...]:
    """Where an expression begins and ends in its file: lines, and characters in them."""
    ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
    found = []
    for line, offset in ends:
        text = linecache.getline(source.filename, line or 0, source.globals)
        found.append((line, len(text.encode()[:offset].decode(errors="replace"))))
    return tuple(found)


def name_operands(source: Source, before: cst.FunctionDef, tree: cst.FunctionDef) -> Any:
    """Return a function in which the operands of ``source.operands`` have names."""
    operands = source.operands
    wanted = _own_nodes(before, operands) if operands else set()
    if not wanted:
        return tree
    namer = _Namer(source, set(names_in(tree)), wanted)
    new = tree.with_changes(body=block(namer.suite(tree.body.body)))
    source.derive(tree, new)
    if wanted != namer.done:
        raise _refusal(source, before)
    return new


class _Namer:
    """Writes operands as statements of their own, before those that they stand in.

    ``wanted``: the ids of the operands.
    """

    def __init__(self, source: Source, taken: set[str], wanted: set[int]) -> None:
        self.source = source
        self.taken = taken
        self.wanted = wanted
        self.done: set[int] = set()

    def suite(self, statements: Any) -> list[Any]:
        return [line for statement in statements for line in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        lines: list[Any] = []
        changed, changes = statement, {}
        if isinstance(statement, cst.SimpleStatementLine):
            changes["body"] = [self.small(small, statement, lines) for small in statement.body]
        elif isinstance(statement, cst.If):
            changes["test"] = self.expression(statement.test, statement, lines)
            changed = map_suites(statement, self.suite)
        elif isinstance(statement, cst.For):
            changes["iter"] = self.expression(statement.iter, statement, lines)
            changed = map_suites(statement, self.suite)
        elif isinstance(statement, cst.While | cst.With | cst.Try):
            made = map_suites(statement, self.suite)
            self.source.derive_all(statement, made)
            return [made]
        elif isinstance(statement, cst.FunctionDef) and self.is_made_of(statement):
            made = statement.with_changes(body=block(self.suite(statement.body.body)))
            self.source.derive(statement, made)
            return [made]
        else:
            return [statement]
        if lines:
            first = lines[0].with_changes(leading_lines=statement.leading_lines)
            self.source.derive_all(statement, first)
            self.source.quote(first, self.source.text_of(lines[0]))
            lines[0] = first
            changes["leading_lines"] = ()
        new = changed.with_changes(**changes)
        self.source.derive_all(statement, new)
        if lines:
            self.source.quote(new, self.source.text_of(statement))
        return [*lines, new]

    def is_made_of(self, node: Any) -> bool:
        """Tell whether a function was made of what stood in this one: the steps of a loop."""
        return id(node) in self.wanted or any(map(self.is_made_of, children(node)))

    def small(self, small: Any, statement: Any, lines: list[Any]) -> Any:
        if getattr(small, "value", None) is None:
            return small
        value = self.expression(small.value, statement, lines)
        return small if value is small.value else changed(small, value=value)

    def expression(self, node: Any, statement: Any, lines: list[Any]) -> Any:
        """Return an expression in which operands are names; ``lines`` assign these in order."""

        def rule(part: Any, made: Any) -> Any:
            if made is None or id(part) not in self.wanted:
                return None
            self.done.add(id(part))
            name = new_name("operand", self.taken)
            bare = made.with_changes(lpar=(), rpar=())
            lines.append(assignment(name, held_together(bare)))
            self.source.derive_all(statement, lines[-1])
            words = cst.Module([]).code_for_node(part.with_changes(lpar=(), rpar=())).split()
            self.source.quote(lines[-1], " ".join(words))
            return cst.Name(name)

        return rewritten(node, rule)


def _own_nodes(tree: cst.FunctionDef, operands: dict[int, Any]) -> set[int]:
    """The operands in a function, without those in functions inside of it."""
    return {id(part) for part in below(tree.body, {cst.FunctionDef, cst.ClassDef})} & {*operands}


def _refusal(source: Source, node: Any) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        "an effect beside what was read before",
        spots=[source.spot(node)],
        why="What is read before and after it may differ.",
        fixes=["give what stands beside it names, in statements of their own"],
    )
