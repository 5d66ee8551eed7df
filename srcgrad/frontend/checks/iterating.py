"""Which functions give an iterator whose elements may be computed while they are taken."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from srcgrad.frontend.checks.mentions import body_of
from srcgrad.program import facts
from srcgrad.program.syntax_trees import functions_at


def gives_iterator(function: Any) -> bool:
    """Tell whether a function is a generator function, or ``__iter__`` that gives ``iter(v)``."""
    return inspect.isgeneratorfunction(function) or gives_iter(function)


def gives_iter(function: Any) -> bool:
    """Tell whether a method ``__iter__`` gives nothing but what ``iter`` makes of something."""
    if not isinstance(function, types.FunctionType) or function.__name__ != "__iter__":
        return False
    if facts.read_name(function.__globals__, "iter") not in (facts.MISSING, iter):
        return False
    nodes = functions_at(facts.code(function), function.__globals__)
    if len(nodes) != 1 or not isinstance(nodes[0], ast.FunctionDef):
        return False
    parts = body_of(nodes[0])
    if any(isinstance(p, ast.FunctionDef | ast.Lambda | ast.ClassDef) for p in parts):
        return False
    returned = [p.value for p in parts if isinstance(p, ast.Return)]
    return isinstance(nodes[0].body[-1], ast.Return) and all(map(_is_iter, returned))


def _is_iter(node: Any) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
    return node.func.id == "iter" and plain and not node.keywords
