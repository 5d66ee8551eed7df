"""Attributes of things that may make up any attribute that they are asked for."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

# classes that are asked most often, nobody can change, and that have no ``__getattr__``
_WITHOUT_GETATTR = frozenset(
    {
        *(types.FunctionType, types.BuiltinFunctionType, type, types.NoneType, int, float),
        *(np.ufunc, type(np.sum)),
    }
)


def plainly(thing: Any, name: str, default: Any = None) -> Any:
    """Return an attribute that no ``__getattr__`` of the user's makes up."""
    kind = type(thing)
    if kind in _WITHOUT_GETATTR:
        return getattr(thing, name, default)
    if kind is not types.ModuleType and not any("__getattr__" in vars(c) for c in kind.__mro__):
        return getattr(thing, name, default)
    read = type.__getattribute__ if isinstance(thing, type) else object.__getattribute__
    try:
        return read(thing, name)
    except AttributeError:
        return default
