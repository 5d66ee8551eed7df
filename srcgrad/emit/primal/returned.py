"""What the return statements of a forward part leave behind, and the structure of results."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from srcgrad.emit.primal.forward import code, join_lines
from srcgrad.frontend.text.names import assigns
from srcgrad.frontend.text.trees import children, nodes_in
from srcgrad.ir.forms import Skeleton
from srcgrad.ir.nodes import Items, Struct, Value, Var

_WORD = re.compile(r"[^\W\d]\w*")


def words(texts: list[str]) -> set[str]:
    """The identifiers in some lines of text, comments left out."""
    return {w for text in texts for w in _WORD.findall(text.split("# ")[0])}


def root_of(label: str) -> str:
    """The name at the start of an expression."""
    match = _WORD.match(label)
    return match.group(0) if match else label


def skeleton(value: Value) -> Skeleton:
    """The structure of the cotangent of a value; None stands for parts that have none."""
    if isinstance(value, Items):
        return Skeleton(list if value.is_list else tuple, [skeleton(v) for v in value.items])
    if isinstance(value, Struct):
        return Skeleton(value.form, [skeleton(v) for v in value.items])
    return Skeleton(None, live=isinstance(value, Var) and value.type.active)


def tuple_text(parts: list[str]) -> str:
    """The text of a tuple."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def assignments_left(node: cst.BaseExpression, acting: set[int]) -> list[str]:
    """The assignments that stay of a returned expression whose value is not wanted.

    All of it stays, as a statement of its own, where a call in it may have an effect.
    """
    if _acts(node, acting):
        return [join_lines(node)]
    found: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.NamedExpr):
            found.append(f"{code(item.target)} = {join_lines(item.value)}")
        elif isinstance(item, cst.IfExp | cst.BooleanOperation) and assigns(item):
            return [f"_ = {join_lines(node)}"]  # which assignments are made depends on values
        elif not isinstance(item, cst.Lambda):
            stack += reversed(children(item))
    return found


def _acts(node: Any, acting: set[int]) -> bool:
    return bool(acting) and any(id(part) in acting for part in nodes_in(node))
