"""Calls that are differentiated through functions in Python that give the same."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.arrays.formula_calls import parameters_if_any
from srcgrad.frontend.calls.split import call_function
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Const, Items, Known, Value, is_active
from srcgrad.registry import DIFFERENTIATED, find_in_python


def lower_through_python(
    b: Builder,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "call",
) -> Value | None:
    """Lower a call of a function for which another one was declared; None for others."""
    found = find_in_python(fn)
    if found is None or b.formula is not None:
        return None
    own, option, values = found
    if option:
        known = parameters_if_any(fn)
        place = [p.name for p in known].index(option)
        usual = Const(known[place].default)
        given = args[place] if len(args) > place else options.get(option, usual)
        if values is DIFFERENTIATED:
            if not is_active(given):
                return None
        elif given not in [Const(value) for value in values]:
            return None
    if not is_active(Items((*args, *options.values()))):
        return None
    return call_function(b, Known(own, own.__name__), args, options, node, style)
