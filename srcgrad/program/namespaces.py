"""Names outside of a function: globals, and the cells of what it closes over."""

from __future__ import annotations

from typing import Any

MISSING = object()


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
