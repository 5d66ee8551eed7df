"""Deleting the names of a backward part behind the last statements that read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from srcgrad.ir.nodes import Var
from srcgrad.program.texts import without_indentation


def is_large(var: Var) -> bool:
    """Whether a value is an array with axes, so that its memory counts."""
    return var.type.kind == "array" and var.type.ndim != 0


def deletions(lines: list[str], spent: set[str], sure: set[str]) -> Iterator[tuple[int, str]]:
    """Yield lines that delete names, each with its place, the last first.

    Args:
        lines: the statements, as text.
        spent: the names that may be deleted.
        sure: those of them that are there before the first statement.
    """
    if not spent:
        return
    body = without_indentation("\n".join(lines))[1].body
    sure = set(sure)
    last: dict[str, int] = {}
    behind: dict[int, list[str]] = {}
    for k, statement in enumerate(body):
        found = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        names = {node.id for node in found}
        for name in _renewed(statement) & spent & sure & last.keys():
            if not any(node.id == name and isinstance(node.ctx, ast.Load) for node in found):
                behind.setdefault(last[name], []).append(name)  # its old value is in the way
        if any(isinstance(node, ast.FunctionDef) for node in ast.walk(statement)):
            spent = spent - names  # it reads them whenever it is called
        if isinstance(statement, ast.Assign):
            targets = [node for target in statement.targets for node in ast.walk(target)]
            sure |= {node.id for node in targets if isinstance(node, ast.Name)}
        last |= dict.fromkeys(names & spent, k)
    for name in sorted(spent & sure & last.keys()):
        if last[name] < len(body) - 1:
            behind.setdefault(last[name], []).append(name)
    for k in sorted(behind, reverse=True):
        yield body[k].end_lineno or 0, f"del {', '.join(sorted(behind[k]))}"


def _renewed(statement: ast.stmt) -> set[str]:
    """The name that a statement gives a value, which it does not read."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {node.id for node in targets if isinstance(node, ast.Name)}
