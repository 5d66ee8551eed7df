"""Writing out zeros, where a zero cotangent must exist at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.builder import Builder
from srcgrad.ir.nodes import LIST_NEW, Const, Op, Value, Var
from srcgrad.ir.records import bar_type_of
from srcgrad.ir.types import Type
from srcgrad.runtime import zeros_of


def zero(b: Builder, var: Var, origin: Any) -> Value:
    """Return a zero in the shape of a variable.

    A variable without dimensions has the zero ``0.0``.
    """
    b.fixed_origin = origin
    if var.type.kind == "list":
        return _zero_list(b, var)
    if var.type.kind == "record":
        return b.emit(Op(zeros_of), (var,), None, type_=bar_type_of(var.type))
    if var.type.is_scalar or var.type.kind == "scalar":
        return Const(0.0)
    type_ = Type(var.type.kind, var.type.shape, "f", True)
    return b.emit(Op(np.zeros_like), (var,), None, type_=type_)


def _zero_list(b: Builder, var: Var) -> Value:
    """Return a list of zeros, one for each element of a list."""
    flat = flat_types(var.type.element)
    whole = all(t.active and t.kind != "list" for t in flat) and not _is_nested(var.type.element)
    if not flat or not whole:
        # Of tuples with inactive parts only lists that are used up are supported;
        # for others, taking from the empty list of cotangents fails, never silently.
        return b.emit(Op(LIST_NEW), (), None, type_=Type("list", active=True, element=None))
    element = tuple(bar_type_of(t) for t in flat)
    return b.emit(Op(zeros_of), (var,), None, type_=Type("list", active=True, element=element))


def flat_types(element: Any) -> list[Type]:
    """The types of the leaves of a list's elements, in order."""
    if isinstance(element, tuple):
        return [leaf for part in element for leaf in flat_types(part)]
    return [element] if element is not None else []


def _is_nested(element: Any) -> bool:
    return isinstance(element, tuple) and any(isinstance(part, tuple) for part in element)
