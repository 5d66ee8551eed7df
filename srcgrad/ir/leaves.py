"""The leaves of the results of functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.ir.nodes import Compound, Const, Struct, Value, Var


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


def parts_with_paths(
    value: Value, path: tuple[Any, ...] | None = ()
) -> Iterator[tuple[tuple[Any, ...] | None, Value]]:
    """Yield a value and its parts, each with the path that reads it; None where none does."""
    yield path, value
    if isinstance(value, Compound):
        for k, item in enumerate(value.items):
            step = value.form.access(k) if isinstance(value, Struct) else k
            inner = None if path is None or step is None else (*path, step)
            yield from parts_with_paths(item, inner)


def is_target(leaf: Any) -> bool:
    """Whether a leaf of a result is a variable where the function is called."""
    if isinstance(leaf, Const):
        return isinstance(leaf.value, int | float | complex) and not isinstance(leaf.value, bool)
    return isinstance(leaf, Var)
