"""What iterators of the standard library give, of which nothing is read but their elements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Const, Value, Var
from srcgrad.ir.types import INTEGER, Contents, Type

_CHOOSING = (
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
)


def type_of_iterator(fn: Any, args: tuple[Value, ...], options: dict[str, Value]) -> Type | None:
    """Return the type of an iterator over tuples of numbers; None for anything else.

    Args:
        fn: the function that makes it.
        args: its positional arguments.
        options: its keyword arguments.
    """
    if options or not args:
        return None
    if fn is np.ndindex:
        whole = all(type_of(a) == INTEGER for a in args)
        return _iterator((INTEGER,) * len(args)) if whole else None
    if fn is itertools.product:
        parts = tuple(map(_element, args))
        return _iterator(parts) if None not in parts else None
    found = _element(args[0])
    if found is None:
        return None
    if fn is itertools.pairwise:
        return _iterator((found, found))
    count = args[1].value if len(args) == 2 and isinstance(args[1], Const) else None
    if any(fn is known for known in _CHOOSING) and type(count) is int and count > 0:
        return _iterator((found,) * count)
    return None


def _iterator(element: Any) -> Type:
    return Type("opaque", element=Contents(element))


def _element(value: Value) -> Any:
    """The type of the elements of a range, a shape or an iterator; None for anything else."""
    if not isinstance(value, Var):
        return None
    if value.type.kind == "shape":
        return INTEGER
    held = value.type.element
    return held.element if isinstance(held, Contents) else None
