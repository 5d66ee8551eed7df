"""Which functions treat each entry of arrays by itself, as their text says."""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

import numpy as np

from srcgrad.program import facts
from srcgrad.program.compiled_text import compiled, is_same
from srcgrad.program.guards import Facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.syntax_trees import functions_at

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_STARS = 0x04 | 0x08  # the flags of functions that take any number of arguments


def found_elementwise(function: Any, wanted: tuple[str, ...]) -> Facts | None:
    """Tell whether a function computes each entry of its result from those at the same place.

    ``wanted``: parameters that its result has to depend on, one of them at least.

    Returns:
        What the answer depends on, if it is yes, else None.
    """
    with facts.recording() as known:
        return known if _is_elementwise(function, wanted) else None


def _is_elementwise(function: Any, wanted: tuple[str, ...], depth: int = 4) -> bool:
    """Tell the same, with what it depends on recorded.

    So it is where it only assigns names and returns, and calls operators, ufuncs, ``np.where``
    and functions of which the same holds.

    Args:
        function: the function.
        wanted: parameters that its result has to depend on, one of them at least.
        depth: how many functions deep this is looked at.
    """
    if type(function) is not types.FunctionType or not depth:
        return False
    code = facts.code(function)
    nodes = functions_at(code, function.__globals__)
    node: Any = next((n for n in nodes if is_same(compiled(copy.deepcopy(n), code), code)), None)
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.Return(node.body)]
    else:
        body = node.body[ast.get_docstring(node) is not None :] if node is not None else []
    moving = set(wanted)
    local = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    def holds(e: ast.expr) -> bool:
        if isinstance(e, ast.Name):
            return e.id in local
        if isinstance(e, ast.Constant):
            return type(e.value) in (int, float)
        if isinstance(e, ast.BinOp):
            return isinstance(e.op, _OPERATORS) and holds(e.left) and holds(e.right)
        if isinstance(e, ast.UnaryOp):
            return isinstance(e.op, _OPERATORS) and holds(e.operand)
        if isinstance(e, ast.Compare):
            ops = all(isinstance(op, _COMPARISONS) for op in e.ops)
            return len(e.ops) == 1 and ops and holds(e.left) and holds(e.comparators[0])
        if not isinstance(e, ast.Call) or e.keywords or not all(map(holds, e.args)):
            return False
        fn = _called(e.func, local, function)
        if isinstance(fn, np.ufunc):
            return fn.nin == len(e.args) and fn.nout == 1 and fn.signature is None
        if fn is np.where:
            return len(e.args) == 3
        if type(fn) is not types.FunctionType:
            return False
        inner = facts.code(fn)
        if inner.co_argcount != len(e.args) or inner.co_kwonlyargcount or inner.co_flags & _STARS:
            return False  # what it has as a default may be a whole array
        given = zip(inner.co_varnames, e.args, strict=False)
        return _is_elementwise(fn, tuple(p for p, arg in given if _names(arg) & moving), depth - 1)

    for statement in body:
        if isinstance(statement, ast.Return):
            value = statement.value
            return value is not None and holds(value) and bool(_names(value) & moving)
        if not isinstance(statement, ast.Assign) or not holds(statement.value):
            return False
        if len(statement.targets) > 1 or not isinstance(statement.targets[0], ast.Name):
            return False
        name = statement.targets[0].id
        local.add(name)
        moving = moving | {name} if _names(statement.value) & moving else moving - {name}
    return False


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _called(node: ast.expr, local: set[str], function: types.FunctionType) -> Any:
    """What an expression that a function calls is, where it is no local name."""
    if isinstance(node, ast.Attribute):
        module = _called(node.value, local, function)
        found = isinstance(module, types.ModuleType)
        return facts.attribute(module, node.attr) if found else MISSING
    if not isinstance(node, ast.Name) or node.id in local:
        return MISSING
    free = function.__code__.co_freevars
    if node.id in free and function.__closure__:
        return facts.read_name(function.__closure__[free.index(node.id)], node.id)
    return facts.read_name(function.__globals__, node.id)
