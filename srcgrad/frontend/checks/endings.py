"""Refusing functions that may end behind a ``return`` with a value, and give None then."""

from __future__ import annotations

import ast
import types
from typing import Any

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.definite_assignment import SCOPES, may_end
from srcgrad.program.syntax_trees import spot_of


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
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return False
