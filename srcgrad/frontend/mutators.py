"""Calls that write into an array they are given: ``out=``, ``sort``, ``fill`` and their kind.

Each is lowered as what it computes, followed by a write of the whole array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.builder import Builder
from srcgrad.frontend.views import WHOLE
from srcgrad.frontend.writes import mutation, store
from srcgrad.ir.nodes import INDEX_SET, Items, Known, Op, Value, Var
from srcgrad.runtime import with_diagonal

_METHODS = {"sort": np.sort, "fill": None}
_FUNCTIONS = {np.copyto, np.fill_diagonal}
_REFUSED = {
    *("put", "partition", "resize", "itemset", "setfield", "byteswap"),
}


def write_out(b: Builder, out: Value, value: Value, node: Any) -> Value:
    """Lower the writing of a call's result into the array that ``out=`` names."""
    if isinstance(out, Items) and len(out.items) == 1:
        out = out.items[0]
    if not isinstance(out, Var):
        raise mutation(b, node, "this value of out=", "pass the name of an array")
    b.env["<out>"] = out  # so that it is known what becomes of it
    store(b, out, WHOLE, value, Op(INDEX_SET), node)
    new = b.env.pop("<out>")
    names = [name for name, held in b.env.items() if held is new and not name.startswith("<")]
    if names and isinstance(value, Var) and not value.named:
        b.attach(names[0], value, ())
    return new


def call_mutator(b: Builder, call: cst.Call, lower: Callable[[Builder, Any], Value]) -> bool:
    """Lower a statement that is a call for its effect on an array.

    Returns:
        Whether it was such a call.
    """
    if not isinstance(call.func, cst.Attribute):
        return False
    name = call.func.attr.value
    if name in ("copyto", "fill_diagonal"):
        callee = lower(b, call.func)
        fn = callee.object if isinstance(callee, Known) else None
        if fn not in _FUNCTIONS or len(call.args) != 2 or any(a.keyword for a in call.args):
            return False
        target, value = (lower(b, a.value) for a in call.args)
        if fn is np.fill_diagonal:
            value = b.emit(Op(with_diagonal), (target, value), None)
        _write(b, target, value, call)
        return True
    if name not in _METHODS and name not in _REFUSED:
        return False
    receiver = lower(b, call.func.value)
    if not isinstance(receiver, Var) or not receiver.type.is_number:
        return False
    if name == "fill" and len(call.args) == 1:
        value = lower(b, call.args[0].value)
    elif name == "sort" and not call.args and receiver.type.active:
        value = b.emit(Op(np.sort), (receiver,), None)
    elif receiver.type.active:
        raise mutation(
            b,
            call,
            f"the array method .{name} writes in place",
            "use the NumPy function that returns a new array",
        )
    else:
        return False
    _write(b, receiver, value, call)
    return True


def _write(b: Builder, target: Value, value: Value, node: Any) -> None:
    if not isinstance(target, Var):
        raise mutation(b, node, "this is written in place", "write into an array")
    write_out(b, target, value, node)
