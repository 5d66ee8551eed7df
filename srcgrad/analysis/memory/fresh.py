"""Which calls always give back memory of their own.

What such a call gives may be written, since nothing else can see it. Most functions that
always do are declared with their effects; here are those that do for some arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.effects import gives_new
from srcgrad.ir.nodes import RECORDED, Const, Equation, Items, Value, Var
from srcgrad.library.tables import entry
from srcgrad.runtime import astype


def _copies(eq: Equation) -> bool:
    """Whether a call that can leave its argument as it is was not asked to."""
    return all(name != "copy" or value == Const(True) for name, value in eq.options)


def _at_least(times: int) -> Callable[[Equation], bool]:
    """Whether it is known to be done so often; done less often, it gives its argument."""

    def test(eq: Equation) -> bool:
        given = dict(eq.options).get("n", eq.args[1] if len(eq.args) > 1 else Const(1))
        count = getattr(given, "value", None)
        return isinstance(count, int) and count >= times

    return test


def _is_vector(value: Value) -> bool:
    return isinstance(value, Var) and value.type.kind == "array" and value.type.ndim == 1


def _is_floating(eq: Equation) -> bool:
    """Whether the first argument is known to have no integers."""
    return isinstance(eq.args[0], Var) and eq.args[0].type.dtype in ("f", "c")


# depending on their arguments
CONDITIONAL: dict[Any, Callable[[Equation], bool]] = {
    np.array: lambda eq: len(eq.args) == 1 and _copies(eq),
    np.nan_to_num: lambda eq: len(eq.args) == 1 and _copies(eq),
    getattr(np, "astype", astype): lambda eq: len(eq.args) <= 2 and _copies(eq),
    astype: lambda eq: len(eq.args) <= 2 and _copies(eq),
    np.diff: _at_least(1),
    np.linalg.matrix_power: _at_least(2),
    np.einsum: lambda eq: len(eq.args) > 2,  # of one operand it may be a view
    np.diag: lambda eq: _is_vector(eq.args[0]),  # of a matrix it is a view
    np.ravel: lambda eq: eq.op.name == "flatten",
    np.round: _is_floating,  # integers are rounded already
    np.unique: lambda eq: len(eq.args) == 1 and not eq.options,
    operator.getitem: lambda eq: _gathers(eq.args[1]),
}


def _gathers(index: Value) -> bool:
    """Whether an index has arrays or lists in it, so that what it gives is a copy."""
    if isinstance(index, Items):
        return index.is_list or any(_gathers(item) for item in index.items)
    if not isinstance(index, Var):
        return False
    if index.type.kind == "array":
        return bool(index.type.ndim) and index.type.dtype in ("i", "b")
    return False


def is_fresh(eq: Equation) -> bool:
    """Whether what an equation gives is always memory of its own."""
    fn = eq.op.fn
    if fn is RECORDED or getattr(fn, "gives_new", False):
        return True
    if "out" in [name for name, _ in eq.options]:
        return False
    if isinstance(fn, np.ufunc):  # x.conj() is x itself where that is real
        return fn is not np.conjugate or eq.op.style != "method"
    condition = entry(CONDITIONAL, fn)
    return condition(eq) if condition is not None else gives_new(fn)
