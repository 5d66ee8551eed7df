"""What is gone through once: functions that give iterators, and what holds some."""

from __future__ import annotations

import ast
import functools
import inspect
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.frontend.checks.function_text import body_of
from srcgrad.library.attributes import plainly
from srcgrad.program import facts
from srcgrad.program.namespaces import held_by
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


def holds_iterator(value: Any, deep: bool = True, depth: int = 4) -> bool:
    """Tell whether something is used up when it is gone through, or holds what is.

    ``deep``: what is said of what lies deeper than is looked.
    """
    if type(value) in weakref.ProxyTypes:
        return deep
    if isinstance(value, Iterator) or not depth:
        return isinstance(value, Iterator) or deep
    if isinstance(value, np.ndarray | np.generic | float | int | str | types.FunctionType | type):
        return False
    parts = list(value.values()) if isinstance(value, dict) else []
    parts += value if isinstance(value, list | tuple | set | frozenset) else []
    parts += held_by(value).values()
    if isinstance(value, functools.partial):
        parts += [value.func, *value.args, *value.keywords.values()]
    owner = plainly(value, "__self__")
    parts += [] if owner is None or isinstance(owner, types.ModuleType) else [owner]
    return any(holds_iterator(part, deep, depth - 1) for part in parts)
