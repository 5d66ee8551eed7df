"""Zeros in the structure of a value, and objects made of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.program.registered import registered


def object_of(cls: Any, /, **attributes: Any) -> Any:
    """Return an object of a class with these attributes, without calling its ``__init__``.

    The derivative with respect to an object has the object's structure; what has
    no derivative is None.
    """
    made = object.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def tree_of(cls: Any, aux: Any, parts: tuple[Any, ...]) -> Any:
    """Return a value of a class that was registered as a tree."""
    return registered(cls)[1](aux, parts)


def zeros_in(values: Any) -> list[Any]:
    """Return a list of zeros, one for each value of a list or tuple."""
    return [_zeros_of(value) for value in values]


def _zeros_of(value: Any) -> Any:
    """Return zeros in the structure of a list, or nested tuples, of arrays, numbers and None."""
    if isinstance(value, list):
        return [_zeros_of(part) for part in value]
    if isinstance(value, tuple):  # a named one gives a tuple
        return tuple(_zeros_of(part) for part in value)
    if hasattr(value, "shape"):
        return np.zeros_like(value, dtype=np.result_type(value, np.float32))
    return 0.0


def zeros_of_active(items: Any, active: Any) -> list[Any]:
    """Return zeros for the parts of a list's elements that have cotangents.

    Args:
        items: a list.
        active: what an element is made of: True for a part that has a cotangent,
            False for one that has none, a tuple of these, or a list with one of
            these for a list. Of an object or a dict, a tuple of pairs of these with the
            name of an attribute, or a key.

    Returns:
        For each element the zero of its only such part, or a tuple of the zeros
        of all of them.

    Example:
        >>> zeros_of_active([(0.5, 3, [1.5])], (True, False, [True]))
        [(0.0, [0.0])]
    """
    made = []
    for item in items:
        parts = _active_zeros(item, active)
        made.append(parts[0] if len(parts) == 1 else tuple(parts))
    return made


def _active_zeros(value: Any, active: Any) -> list[Any]:
    if isinstance(active, tuple):
        if active and isinstance(active[0], tuple) and isinstance(active[0][0], str):
            by_key = isinstance(value, dict)
            pairs = [(value[n] if by_key else getattr(value, n), own) for n, own in active]
        else:
            pairs = list(zip(value, active, strict=True))
        return [zero for part, kind in pairs for zero in _active_zeros(part, kind)]
    if isinstance(active, list):
        return [zeros_of_active(value, active[0])]
    return [_zeros_of(value)] if active else []
