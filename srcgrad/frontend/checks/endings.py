"""Refusing functions that may end behind a ``return`` with a value, and give None then."""

from __future__ import annotations

import ast
import types
from typing import Any

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.program.syntax_trees import spot_of

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def require_endings(function: types.FunctionType, nodes: list[ast.AST]) -> None:
    """Refuse a function that returns a value on some paths, and reaches its end on others."""
    if len(nodes) != 1 or isinstance(nodes[0], ast.Lambda):
        return
    node: Any = nodes[0]
    if not _returns(node.body) or not may_end(node.body):
        return
    raise UnsupportedSyntaxError(
        f"{function.__name__} may end without a return",
        spots=[spot_of(function, node, 4)],
        why="On that path its value is None.",
        fixes=["end every path with a return, or with an error"],
    )


def _returns(body: list[Any]) -> bool:
    """Tell whether there is a ``return`` with a value."""
    waiting: list[Any] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            if not isinstance(node.value, ast.Constant) or node.value.value is not None:
                return True
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return False


def may_end(body: list[ast.stmt]) -> bool:
    """Tell whether the end of a block can be reached, as far as its syntax says."""
    return not any(map(_leaves, body))


def _leaves(node: ast.stmt) -> bool:
    """Tell whether a statement never goes on to the next one."""
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(node, ast.If):
        return bool(node.orelse) and not may_end(node.body) and not may_end(node.orelse)
    if isinstance(node, ast.While):
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return endless and not _breaks(node.body)
    if isinstance(node, ast.For):
        return bool(node.orelse) and not may_end(node.orelse) and not _breaks(node.body)
    if isinstance(node, ast.With):
        return not may_end(node.body)
    if isinstance(node, ast.Try):
        if node.finalbody and not may_end(node.finalbody):
            return True
        inner = [*node.body, *node.orelse]
        return not may_end(inner) and not any(may_end(h.body) for h in node.handlers)
    if isinstance(node, ast.Match):
        return not any(may_end(case.body) for case in node.cases)
    return (
        isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value
    )


def _breaks(body: list[Any]) -> bool:
    """Tell whether a loop is left by ``break``."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Break):
            return True
        if not isinstance(node, (*_SCOPES, ast.For, ast.While)):
            waiting += ast.iter_child_nodes(node)
        elif isinstance(node, ast.For | ast.While):
            waiting += node.orelse
    return False
