"""The method ``at`` of ufuncs, which writes into its first argument.

``np.add.at(x, k, v)`` adds up where places repeat, which is a write of its own; others are
refused.
"""

from __future__ import annotations

import operator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.arrays.views import mutation
from srcgrad.frontend.expressions.writes import store
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import ADD_AT, Known, Op, Var, is_active


def lower_at(b: Builder, call: cst.Call, lower: Any) -> bool:
    """Lower a statement that is a call of the method ``at`` of a ufunc; False for any other."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "at":
        return False
    if not isinstance(func.value, cst.Attribute) or len(call.args) not in (2, 3):
        return False
    owner = lower(b, func.value)
    ufunc = owner.object if isinstance(owner, Known) else None
    if not isinstance(ufunc, np.ufunc) or any(a.star or a.keyword for a in call.args):
        return False
    base, index, *values = (lower(b, arg.value) for arg in call.args)
    if len(values) == 1 and ufunc in (np.add, np.subtract):
        if not isinstance(base, Var):
            raise mutation(b, call, f"this target of np.{ufunc.__name__}.at", "write into an array")
        value = values[0]
        if ufunc is np.subtract:
            value = b.emit(Op(operator.neg), (value,), None)
        store(b, base, index, value, Op(ADD_AT), call)
        return True
    if not is_active(base) and not any(map(is_active, values)):
        return False
    raise mutation(
        b, call, f"np.{ufunc.__name__}.at writes", "go through the places: x[k] = f(x[k], v)"
    )
