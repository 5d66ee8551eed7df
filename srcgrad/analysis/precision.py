"""Where a program of single precision meets numbers of double precision."""

from __future__ import annotations

from typing import Any

from srcgrad.context import Guards
from srcgrad.frontend.attributes import Metadata
from srcgrad.ir.nodes import PAIR, Equation, Function, Known, Value, equations, is_active
from srcgrad.ir.types import Type
from srcgrad.namespaces import read_name


def widens(function: Function, guards: Guards) -> bool:
    """Whether a function brings in arrays or NumPy's numbers that are not its arguments.

    These may be of double precision, or whole numbers, and what is computed from them and
    an array in single precision is in double precision then, as its cotangent is. A
    number of Python's is not: it takes the precision of the array.

    Args:
        function: the function; those that it calls are looked into.
        guards: what was assumed of globals; it tells which arrays and numbers were read.
    """
    if any(_is_wide(read_name(space, name)) for space, name, _ in guards.data.values()):
        return True
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for eq in equations(current.body):
            if _is_new(eq) or any(_is_wide(_held(arg)) for arg in eq.args):
                return True
            if eq.op.fn is PAIR and eq.payload.pair.function is not None:
                waiting.append(eq.payload.pair.function)
    return False


def _is_new(eq: Equation) -> bool:
    """Whether an equation makes numbers, of a precision of its own, of nothing active."""
    if any(name == "dtype" for name, _ in eq.options):
        return True
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
