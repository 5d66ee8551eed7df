"""Where a program of one precision meets arrays and numbers of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.context import Guards
from srcgrad.frontend.attributes import Metadata
from srcgrad.ir.nodes import OPAQUE, PAIR, Equation, Function, Known, Value, equations, is_active
from srcgrad.ir.types import Type
from srcgrad.namespaces import read_name

_RESHAPING = (np.reshape, np.squeeze, np.broadcast_to, float)
_DOUBLE = (np.float_power, np.linspace, np.logspace, np.geomspace, np.cov, np.corrcoef)
_NARROW = re.compile(
    r"\b(float16|float32|half|single|complex64|csingle)\b|['\"][<>=|]?(e|f|F|[fc][248])['\"]"
)


def changes_precision(function: Function, guards: Guards, single: bool) -> bool:
    """Whether a function may compute in another precision than that of its arguments.

    What it brings in itself, arrays and NumPy's numbers, may be of double precision, or
    whole numbers, and what is computed from them and an array in single precision is in
    double precision then, as its cotangent is. A number of Python's is not: it takes the
    precision of the array. Where the arguments are of double precision, what matters is an
    array of single precision that they are written into.

    Args:
        function: the function; those that it calls are looked into.
        guards: what was assumed of globals; it tells which arrays and numbers were read.
        single: whether an argument has less than double precision.
    """
    held = [read_name(space, name) for space, name, _ in guards.data.values()]
    if single:
        return any(map(_is_wide, held)) or any(map(_widens, _everything(function)))
    return any(map(_is_single, held)) or any(map(_narrows, _everything(function)))


def _everything(function: Function) -> Iterator[Equation]:
    """The equations of a function and of those that it calls."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for eq in equations(current.body):
            yield eq
            if eq.op.fn is PAIR and eq.payload.pair.function is not None:
                waiting.append(eq.payload.pair.function)


def _narrows(eq: Equation) -> bool:
    """Whether an equation may make an array of single precision, by what its text says."""
    if any(_is_single(_held(arg)) for arg in eq.args):
        return True
    typed = eq.op.fn is OPAQUE or eq.op.name == "array"  # which has its dtype by place, too
    typed = typed or any(name == "dtype" for name, _ in eq.options)
    if not typed or eq.origin is None or eq.origin.node is None:
        return False
    return _NARROW.search(cst.Module([]).code_for_node(eq.origin.node)) is not None


def _widens(eq: Equation) -> bool:
    """Whether an equation makes numbers, of a precision of its own, of nothing active."""
    if any(_is_wide(_held(arg)) for arg in eq.args) or eq.op.fn in _DOUBLE:
        return True
    if any(name == "dtype" for name, _ in eq.options):
        return True
    if eq.op.fn in _RESHAPING and not eq.targets[0].type.ndim:
        return True  # its cotangent may be a number of Python's, and the array of it is not
    if isinstance(eq.op.fn, Metadata) or any(map(is_active, eq.args)):
        return False
    return any(_may_widen(target.type) for target in eq.targets)


def _may_widen(type_: Type) -> bool:
    """Whether values of a type can have a precision: truth values and counters have none."""
    counts = type_.kind == "scalar" and type_.dtype == "i"
    return type_.is_number and type_.dtype != "b" and not counts


def _held(value: Value) -> Any:
    return value.object if isinstance(value, Known) else getattr(value, "value", None)


def _is_wide(held: Any) -> bool:
    """Whether something from outside of the function is an array or a number of NumPy's."""
    return getattr(getattr(held, "dtype", None), "kind", "") in tuple("iufc")


def _is_single(held: Any) -> bool:
    dtype = getattr(held, "dtype", None)
    return getattr(dtype, "kind", "") in tuple("fc") and np.finfo(dtype).dtype != np.float64  # type: ignore[arg-type]
