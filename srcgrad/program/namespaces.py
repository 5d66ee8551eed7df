"""Names outside of a function: globals, the cells of what it closes over, attributes."""

from __future__ import annotations

import types
from typing import Any

MISSING = object()


def held_by(thing: Any) -> Any:
    """Return the dict, or its view, of attributes that an object or a class holds itself.

    There are none where ``__dict__`` is no dict, nor the view of one that a class has.

    An object may make up any attribute that it is asked for, as those of ctypes and of
    llvmlite do that stand for functions of a library.
    """
    held = getattr(thing, "__dict__", None)
    return held if isinstance(held, dict | types.MappingProxyType) else {}


def read_name(namespace: Any, name: str) -> Any:
    """Read a global (a dict) or a free variable (a cell)."""
    if isinstance(namespace, dict):
        if name in namespace:
            return namespace[name]
        builtins = namespace.get("__builtins__", {})
        table = builtins if isinstance(builtins, dict) else vars(builtins)
        return table.get(name, MISSING)
    try:
        return namespace.cell_contents
    except ValueError:
        return MISSING
