"""The leaves of the results of functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.ir.nodes import Compound, Const, Value, Var


def leaves(value: Value) -> tuple[Value, ...]:
    """The values inside nested tuples and structures, in order."""
    if isinstance(value, Compound):
        return tuple(leaf for item in value.items for leaf in leaves(item))
    return (value,)


def parts_of(values: Iterable[Value]) -> Iterator[Value]:
    """Yield values, and what tuples, lists, dicts and objects among them hold."""
    for value in values:
        yield value
        if isinstance(value, Compound):
            yield from parts_of(value.items)


def is_target(leaf: Any) -> bool:
    """Whether a leaf of a result is a variable where the function is called."""
    if isinstance(leaf, Const):
        return isinstance(leaf.value, int | float | complex) and not isinstance(leaf.value, bool)
    return isinstance(leaf, Var)
