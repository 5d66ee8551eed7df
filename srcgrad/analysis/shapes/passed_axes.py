"""Which axes are as long as each other behind a call: of parameters, and of what is given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Value, Var

Values = Iterable[Value]


def hand_in(lengths: Lengths, parameters: Values, arguments: Values) -> None:
    """Note which axes of parameters are as long as each other, since those of arguments are."""
    firsts: dict[Any, tuple[Var, int]] = {}
    for inner, outer in _pairs(parameters, arguments):
        for axis, told in _without_name(lengths, inner, outer):
            first = firsts.setdefault(told, (inner, axis))
            if isinstance(told, tuple) and first != (inner, axis):
                lengths.axes[inner, axis] = first


def pattern(lengths: Lengths, parameters: Values) -> tuple[Any, ...]:
    """Return which axes of parameters are as long as others, by their places."""
    firsts: dict[Any, tuple[int, int]] = {}
    found = []
    flat = (leaf for value in parameters for leaf in leaves(value))
    for place, leaf in enumerate(flat):
        for axis, told in _without_name(lengths, leaf, leaf):
            first = firsts.setdefault(told, (place, axis))
            if first != (place, axis):
                found.append((place, axis, first))
    return tuple(found)


def hand_back(
    lengths: Lengths, results: Iterable[tuple[Value, Var]], parameters: Values, arguments: Values
) -> None:
    """Note which axes of what a call gives are as long as those of arguments, and each other.

    Args:
        lengths: what is known of lengths.
        results: parts of the result in the called function, with what they are in the caller.
        parameters: the parameters of the called function.
        arguments: what they are in this call.
    """
    outside = dict(_pairs(parameters, arguments))
    firsts: dict[Any, tuple[Var, int]] = {}
    for inner, outer in results:
        for axis, told in _without_name(lengths, outer, inner):
            owner, place = told if isinstance(told, tuple) else (None, -1)
            if owner in outside and place >= 0:
                known = lengths.extents(outside[owner])
                if known is not None and place < len(known):
                    lengths.axes[outer, axis] = known[place]
                continue
            first = firsts.setdefault(told, (outer, axis))
            if first != (outer, axis):
                lengths.axes[outer, axis] = first


def _without_name(lengths: Lengths, value: Value, told_by: Value) -> Iterator[tuple[int, Any]]:
    """The axes of a value whose lengths have no names, with what another one's are told by."""
    if not isinstance(value, Var) or not isinstance(told_by, Var):
        return
    shape, known = lengths.resolve(value.type.shape), lengths.extents(told_by)
    if isinstance(shape, tuple) and known is not None and len(shape) == len(known):
        for axis, (length, told) in enumerate(zip(shape, known, strict=True)):
            if length is None:
                yield axis, told


def _pairs(inner: Values, outer: Values) -> Iterator[tuple[Var, Var]]:
    """The variables of parameters, with those of the arguments."""
    for parameter, argument in zip(inner, outer, strict=False):
        for one, other in zip(leaves(parameter), leaves(argument), strict=False):
            if isinstance(one, Var) and isinstance(other, Var):
                yield one, other
