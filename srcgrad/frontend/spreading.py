"""Arrays with a star in a call: ``model(t, *theta)``."""

from __future__ import annotations

import types
from typing import Any

import libcst as cst

from srcgrad.frontend import indexing
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.parameters import parameters_of
from srcgrad.ir.nodes import Closure, Const, Known, Value, Var


def spread_array(
    b: Builder, callee: Value, value: Value, before: int, call: cst.Call, arg: cst.Arg
) -> list[Value] | None:
    """Return the elements that an array with a star passes to a function.

    How many these are, the function says: the call stays in the text as it is written,
    and is an error of Python's where the array has another length.

    Args:
        b: the builder.
        callee: what is called.
        value: the value behind the star.
        before: how many arguments stand before it.
        call: the call.
        arg: the argument with the star.

    Returns:
        The elements; None where the value is no array, or the function may be called
        with more than one number of arguments.
    """
    if not isinstance(value, Var) or value.type.kind != "array" or not value.type.ndim:
        return None
    behind = call.args[[id(a) for a in call.args].index(id(arg)) + 1 :]
    if any(a.keyword is None for a in behind):
        return None
    count = _places(b, callee, {a.keyword.value for a in call.args if a.keyword is not None})
    if count is None:
        return None
    return [indexing.read_item(b, value, Const(k), None) for k in range(count - before)]


def _places(b: Builder, callee: Value, named: set[str]) -> int | None:
    """How many arguments a function takes by position, where that is one number."""
    own = isinstance(callee, Known) and isinstance(callee.object, types.FunctionType)
    if not own and not isinstance(callee, Closure):
        return None
    parameters: list[Any] = parameters_of(b, callee)[0]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    taken = [p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD]
    taken = [p for p in taken if p.name not in named]
    return len(taken) if all(p.default is p.empty for p in taken) else None
