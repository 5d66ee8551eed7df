"""The user's own text in a backward part, with the names that its values have there."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from srcgrad.emit.words.text import to_text
from srcgrad.frontend.text.names import identifiers
from srcgrad.frontend.text.templates import substituted
from srcgrad.ir.interception import Interception
from srcgrad.ir.nodes import INTERCEPT, Block, equations


def names_of_interceptions(block: Block) -> set[str]:
    """Return the names that no value may get, because the texts of a function use them."""
    found: set[str] = set()
    for eq in equations(block):
        if eq.op.fn is INTERCEPT:
            used = {name for part in eq.payload.statements for name in identifiers(part)}
            found |= used - {eq.payload.name}
    return found


def written(text: Interception, bar: str, values: list[ast.expr], helper: str) -> list[str]:
    """Return the lines of a text."""
    new: dict[str, Any] = {} if bar == text.name else {text.name: cst.Name(bar)}
    for name, value in zip(text.reads, values, strict=True):
        if not isinstance(value, ast.Name):
            code = "\n".join(to_text(ast.Expr(value)))
            brackets = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
            node = cst.parse_expression(code)
            new[name] = node if isinstance(value, ast.Constant) else node.with_changes(**brackets)
        elif value.id != name:
            new[name] = cst.Name(value.id)
    parts = [substituted(part, new) for part in text.statements]
    if text.called:
        called = cst.Module([]).code_for_node(parts[0])
        return [f"{bar} = {helper}({called}({bar}), {bar})"]
    return [line for s in parts for line in cst.Module([s]).code.rstrip("\n").split("\n")]
