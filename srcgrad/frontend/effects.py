"""What a function does besides giving a result."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.trees import children
from srcgrad.ir.nodes import Function


def checks_something(function: Function) -> bool:
    """Whether a function may have been called for more than its result: it raises, or prints."""
    stack: list[Any] = [function.source.tree.body]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Raise | cst.Assert) or id(node) in function.layout.impure:
            return True
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            return True
        if not isinstance(node, cst.FunctionDef | cst.Lambda):
            stack += children(node)
    return False
