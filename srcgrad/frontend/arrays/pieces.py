"""What NumPy joins in brackets, ``np.r_`` and ``np.c_``, in other words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.nodes import Const, Known, Value, is_active

Lower = Callable[[Builder, Any], Value]


def lower_joined(b: Builder, node: cst.Subscript, lower: Lower) -> None:
    """Write ``np.r_[x, y]`` as ``np.concatenate``, and ``np.c_[x, y]`` as ``np.column_stack``."""
    if not isinstance(node.value, cst.Attribute) or node.value.attr.value not in ("r_", "c_"):
        return
    module = lower(b, node.value.value)
    if not isinstance(module, Known) or module.object is not np:
        return
    name = node.value.attr.value
    entries = [element.slice for element in node.slice]
    if not any(_is_active(b, entry, lower) for entry in entries):
        return
    pieces: list[str] = []
    source = _text(node.value.value)
    for entry in entries:
        text = _text(entry)
        if isinstance(entry, cst.Slice) and not _is_active(b, entry, lower):
            pieces.append(_range(entry, source))
            continue
        value = lower(b, entry.value) if isinstance(entry, cst.Index) else None
        text_first = isinstance(value, Const) and isinstance(value.value, str)
        if value is None or text_first:
            raise b.refuse(node, "this form of np.r_ or np.c_", "use np.concatenate")
        rank = 0 if isinstance(value, Const) else type_of(value).ndim
        if name == "c_" and (rank is None or rank > 2):
            raise b.refuse(node, "np.c_ of an array whose rank is not known", "use np.concatenate")
        plain = name == "c_" or (rank is not None and rank > 0)
        pieces.append(text if plain else f"{source}.atleast_1d({text})")
    name = "concatenate" if name == "r_" else "column_stack"
    comma = "," if len(pieces) == 1 else ""
    new = cst.parse_expression(f"{source}.{name}(({', '.join(pieces)}{comma}))")
    raise Rewriting(lambda statement: [replaced(statement, {id(node): new})])


def _is_active(b: Builder, entry: Any, lower: Lower) -> bool:
    parts = (
        [entry.value] if isinstance(entry, cst.Index) else [entry.lower, entry.upper, entry.step]
    )
    return any(part is not None and is_active(lower(b, part)) for part in parts)


def _range(entry: cst.Slice, source: str) -> str:
    """The numbers that a slice stands for between these brackets."""
    if entry.upper is None or (entry.step is not None and "j" in _text(entry.step)):
        return f"{source}.r_[{_text(entry)}]"
    first = "0" if entry.lower is None else _text(entry.lower)
    step = "" if entry.step is None else f", {_text(entry.step)}"
    return f"{source}.arange({first}, {_text(entry.upper)}{step})"


def _text(node: Any) -> str:
    return cst.Module([]).code_for_node(node)
