"""Whole numbers that are lengths, or are computed from some."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.linear import weighted_sum
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Const, Equation, Value, Var
from srcgrad.ir.types import INTEGER, Dim

_KEEPING = (int, operator.index, operator.pos)


def note_whole(lengths: Lengths, eq: Equation) -> None:
    """Note which length a result is, where it is a whole number that is made of lengths."""
    target = eq.targets[0]
    if target.type.dtype != "i" or target.type != INTEGER:  # as most
        return
    if eq.options or not eq.args or target in lengths.values:
        return
    if any(arg in lengths.counted for arg in eq.args if isinstance(arg, Var)):
        _note_counted(lengths, eq)
        return
    if not all(isinstance(arg, Const) or arg in lengths.values for arg in eq.args):
        return
    parts = [lengths.whole(arg) for arg in eq.args]
    if None in parts:
        return
    if eq.op.fn in (operator.sub, operator.neg) and all(type(part) is int for part in parts):
        number = eq.op.fn(*parts)
        if number < 0:  # it is no length
            lengths.below_zero[target] = number
    found = _computed(lengths, eq.op.fn, parts)
    if found is not None:
        lengths.values[target] = found
    elif eq.op.fn is operator.neg and isinstance(parts[0], str):
        lengths.counted[target] = weighted_sum([(parts[0], -1)])  # type: ignore[assignment]


def _note_counted(lengths: Lengths, eq: Equation) -> None:
    """Note how far a place is that is computed from what loops count."""
    weights = {operator.add: 1, operator.sub: -1}
    places = [lengths.place(arg) for arg in eq.args]
    if eq.op.fn in weights and len(places) == 2 and None not in places:
        one, other = places
        lengths.counted[eq.targets[0]] = weighted_sum([(one, 1), (other, weights[eq.op.fn])])  # type: ignore[list-item]


def _computed(lengths: Lengths, fn: object, parts: list[Dim]) -> Dim:
    if len(parts) == 1:
        return parts[0] if any(fn is keeping for keeping in _KEEPING) else None
    if len(parts) != 2:
        return None
    one, other = parts
    if fn is operator.add:
        return lengths.total([(one, 1), (other, 1)])
    if fn is operator.sub:
        return lengths.total([(one, 1), (other, -1)])
    if fn is operator.mul:
        return lengths.product([one, other])
    if fn is operator.floordiv and isinstance(other, int) and other > 0:
        return lengths.quotient(one, other)
    if fn is operator.mod and isinstance(one, int) and isinstance(other, int) and other:
        return one % other
    return None


def whole_arguments(names: Iterable[str], values: Iterable[Value]) -> dict[Var, str]:
    """Return the names of the whole numbers among arguments, as lengths."""
    found: dict[Var, str] = {}
    for name, value in zip(names, values, strict=True):
        for k, leaf in enumerate(leaves(value)):
            if isinstance(leaf, Var) and leaf.type == INTEGER:
                found[leaf] = f"{name}~{k}.value"
    return found


def passed_on(
    lengths: Lengths, parameters: Iterable[Value], arguments: Iterable[Value]
) -> dict[Var, Dim]:
    """Return which lengths the whole numbers are that a called function is given."""
    found: dict[Var, Dim] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        pairs = list(zip(leaves(parameter), leaves(argument), strict=False))
        for inner, outer in pairs:
            if not isinstance(inner, Var) or inner.type != INTEGER:
                continue
            held = lengths.values.get(outer) if isinstance(outer, Var) else None
            known = outer.value if isinstance(outer, Const) else held
            if known is not None:
                found[inner] = lengths.find(known)
    return found
