"""What is known of a value that is one of two: at the call at hand their shapes may be the same."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.nodes import Value
from srcgrad.ir.types import ELEMENT, Type, join, join_elements, like


def joined(lengths: Lengths, a: Type, b: Type) -> Type:
    """Return what is known of a value that is either of two."""
    if a.kind == "list" and b.kind == "list":
        element = joined_elements(lengths, a.element, b.element)
        return Type("list", active=a.active or b.active, element=element)
    lengths.agree(a, b)
    return join(_resolved(lengths, a), _resolved(lengths, b))


def joined_elements(lengths: Lengths, a: Any, b: Any) -> Any:
    """Return what is known of the elements of a list, of which some are known."""
    if a is None or b is None:
        return join_elements(a, b)
    _agree(lengths, a, b)
    return join_elements(_resolved(lengths, a), _resolved(lengths, b))


def common_type(values: Sequence[Value]) -> Type:
    """Return the type of one of several inactive numbers, arrays or lists, whichever it is."""
    types = list(map(type_of, values))
    if not types or not all(t.is_number for t in types):
        return ELEMENT
    return functools.reduce(join, types)


def alike(lengths: Lengths, a: Any, b: Any) -> bool:
    """Whether all parts of an element of a list are known to have the shapes of another's."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(alike(lengths, *pair) for pair in zip(a, b, strict=False))
    if not (isinstance(a, Type) and isinstance(b, Type) and a.is_number and b.is_number):
        return True
    return lengths.same(a, b)


def _agree(lengths: Lengths, a: Any, b: Any) -> None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        for pair in zip(a, b, strict=False):  # those that differ are refused by who joins them
            _agree(lengths, *pair)
    elif isinstance(a, Type) and isinstance(b, Type) and a.is_number and b.is_number:
        lengths.agree(a, b)


def _resolved(lengths: Lengths, part: Any) -> Any:
    """A template with the representatives of its lengths."""
    if isinstance(part, tuple):
        return like(part, (_resolved(lengths, p) for p in part))
    if isinstance(part, Type) and part.is_number:
        return replace(part, shape=lengths.resolve(part.shape))
    return part
