"""Values that ``np.where`` does not select: cotangents of 0 that meet infinite slopes."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from srcgrad.debugging.forward_lines import Line

_MODULE = cst.Module([])


def selection_behind(source: Any, lineno: int) -> tuple[Line, str] | None:
    """Return the ``np.where`` that what a line computes goes into.

    Returns:
        The line of the call, and the text of its condition; None where there is none.
    """
    reached: set[str] = set()
    for node, line in _lines(source):
        if line.lineno < lineno:
            continue
        if line.lineno == lineno:
            reached |= _written(node)
        for call in ast.walk(node):
            if not _is_where(call):
                continue
            inside = any(isinstance(p, ast.Call | ast.BinOp) for p in _branches(call))
            if any(reached & _read(p) for p in _branches(call)) or (
                line.lineno == lineno and inside
            ):
                return line, ast.unparse(call.args[0])
        if reached & _read(node):
            reached |= _written(node)
    return None


def _lines(source: Any) -> list[tuple[ast.AST, Line]]:
    found = []
    stack = [source.tree.body]
    while stack:
        node = stack.pop(0)
        if isinstance(node, cst.SimpleStatementLine):
            lineno = source.line_of(node)
            text = _MODULE.code_for_node(node.with_changes(leading_lines=())).strip()
            if lineno is not None:
                line = Line(source.name, source.filename, lineno, source.text_of(node))
                found.append((ast.parse(text.replace("return ", "return_ = ", 1)), line))
        elif not isinstance(node, cst.FunctionDef):
            stack[:0] = list(node.children)
    return found


def _is_where(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or len(node.args) != 3:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    return (name or getattr(node.func, "id", "")) == "where"


def _branches(call: Any) -> list[ast.expr]:
    return call.args[1:]


def _read(node: ast.AST) -> set[str]:
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in found if isinstance(part.ctx, ast.Load)}


def _written(node: ast.AST) -> set[str]:
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in found if isinstance(part.ctx, ast.Store)}
