"""Local functions that no part of a text calls any more."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.trees import children


def without_unused(statements: list[Any]) -> list[Any]:
    """Drop local functions that are not called any more, now that others stand in for them."""
    used: set[str] = set()
    stack: list[Any] = list(statements)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.FunctionDef):
            stack.append(item.body)
            stack.append(item.params)
        elif isinstance(item, cst.Name):
            used.add(item.value)
        else:
            stack += children(item)
    return [s for s in statements if not isinstance(s, cst.FunctionDef) or s.name.value in used]
