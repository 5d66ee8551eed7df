"""Tables by function; what is called need not have a hash, and then it is in none."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any


def entry(table: Mapping[Any, Any], fn: Any) -> Any:
    """Return what a table has for a function, None if there is nothing."""
    try:
        return table.get(fn)
    except TypeError:
        return None


def is_in(fn: Any, functions: Container[Any]) -> bool:
    """Whether a function is one of some."""
    try:
        return fn in functions
    except TypeError:
        return False
