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
        return b.emit(Op(LIST_NEW), (), None, type_=Type("list", active=True, element=None))
    if var.type.kind == "record":
        return b.emit(Op(zeros_of), (var,), None, type_=bar_type_of(var.type))
    if var.type.is_scalar or var.type.kind == "scalar":
        return Const(0.0)
    type_ = Type(var.type.kind, var.type.shape, "f", True)
    return b.emit(Op(np.zeros_like), (var,), None, type_=type_)
