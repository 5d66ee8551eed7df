"""The syntax trees of functions, as their files have them."""

from __future__ import annotations

import ast
import types
import warnings
from typing import Any

from srcgrad.program.texts import lines_of

_files: dict[str, tuple[list[str], dict[int, list[ast.AST]], list[ast.stmt]]] = {}


def functions_at(code: types.CodeType, names: dict[str, Any]) -> list[ast.AST]:
    """Return the functions that begin at the line where a function begins."""
    lines = lines_of(code.co_filename, names)
    known = _files.get(code.co_filename)
    if known is None or known[0] != lines:
        found: dict[int, list[ast.AST]] = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                marks = getattr(node, "decorator_list", ())
                found.setdefault(min([node.lineno, *(m.lineno for m in marks)]), []).append(node)
        known = _files[code.co_filename] = lines, found, _imports(tree)
    name = "<lambda>" if code.co_name == "<lambda>" else code.co_name
    nodes = known[1].get(code.co_firstlineno, [])
    found = [node for node in nodes if getattr(node, "name", "<lambda>") == name]
    return found if len(found) < 2 or name != "<lambda>" else _around(found, code)


def _imports(tree: ast.AST) -> list[ast.stmt]:
    """Return the imports of a module, which decide how calls of their attributes are compiled."""
    found: list[ast.stmt] = []
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            stars = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            stars = stars or any(part.name == "*" for part in node.names)
            found += [] if stars else [node]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return found


def imports_of(filename: str) -> list[ast.stmt]:
    """Return the imports of a file of which a function was looked up."""
    known = _files.get(filename)
    return known[2] if known else []


def _around(nodes: list[Any], code: types.CodeType) -> list[Any]:
    """Return the smallest of several functions on one line that has all positions of some code."""
    places = [(line, column) for line, _, column, _ in code.co_positions() if column]
    inside = [
        node
        for node in nodes
        if all((node.lineno, node.col_offset) <= p for p in places)
        and all(p <= (node.end_lineno, node.end_col_offset) for p in places)
    ]
    return sorted(inside, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset))[:1] or nodes
