"""Refusing functions that may end behind a ``return`` with a value, and give None then."""

from __future__ import annotations

import ast
import types
from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.definite_assignment import may_end
from srcgrad.frontend.text.exits import returns_a_value
from srcgrad.program.syntax_trees import spot_of


def require_endings(
    function: types.FunctionType, tree: cst.FunctionDef, nodes: list[ast.AST]
) -> None:
    """Refuse a function that returns a value on some paths, and reaches its end on others."""
    if len(nodes) != 1 or isinstance(nodes[0], ast.Lambda):
        return
    node: Any = nodes[0]
    if not returns_a_value(tree) or not may_end(node.body):
        return
    raise UnsupportedSyntaxError(
        f"{function.__name__} may end without a return",
        spots=[spot_of(function, node, 4)],
        why="On that path its value is None.",
        fixes=["end every path with a return, or with an error"],
    )
