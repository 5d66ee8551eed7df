"""The classes that users registered as trees, with what takes them apart and puts them together."""

from __future__ import annotations

from typing import Any

TREES: dict[type, tuple[Any, Any]] = {}


def registered(cls: Any) -> tuple[Any, Any]:
    """Return the functions that a class was registered with."""
    return TREES[cls]
