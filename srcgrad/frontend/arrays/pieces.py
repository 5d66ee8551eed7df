"""What NumPy makes of pieces: ``np.r_`` and ``np.c_``, which join, and ``np.piecewise``.

Where a piece is active, they are written in other words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, way_to
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Const, Known, Value, Var, is_active

Lower = Callable[[Builder, Any], Value]


def lower_joined(b: Builder, node: cst.Subscript, lower: Lower) -> None:
    """Write ``np.r_[x, y]`` as ``np.concatenate``, and ``np.c_[x, y]`` as ``np.column_stack``.

    Raises:
        Rewriting: with the statement in other words.
        UnsupportedSyntaxError: where that cannot be done.
    """
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


def lower_piecewise(b: Builder, args: Any, options: Any, node: Any) -> Value | None:
    """Write ``np.piecewise`` as the writes into parts of an array that it stands for.

    Raises:
        Rewriting: with the statement in other words.
        UnsupportedSyntaxError: where that cannot be done.
    """
    if not any(is_active(v) for v in args) and not _captures_active(b, node):
        return None
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    way = way_to(b.statement, node)
    if len(plain) != 3 or len(node.args) != 3 or not isinstance(node.func, cst.Attribute):
        raise b.refuse(node, "this call of np.piecewise", "use np.where or np.select")
    x, conditions, functions = plain
    conditions = _elements(conditions) or [conditions]
    functions = _elements(functions)
    if functions is None or len(functions) - len(conditions) not in (0, 1):
        raise b.refuse(node, "pieces that are not written out in np.piecewise", "write a list")
    if not isinstance(args[0], Var) or type_of(args[0]).ndim in (None, 0):
        raise b.refuse(node, "np.piecewise of what may be a number", "use if and else")
    if way is None or any(isinstance(w, cst.IfExp | cst.BooleanOperation | cst.While) for w in way):
        raise Specialise(What.STATEMENTS, b.source, node)
    module = _text(node.func.value)
    made: list[str] = []
    if not isinstance(x, cst.Name):
        name = fresh_name(b, "where")
        made.append(f"{name} = {_text(x)}")
        x = cst.Name(name)
    whole = fresh_name(b, "pieces")
    made.append(f"{whole} = {module}.zeros_like({x.value})")
    masks = [fresh_name(b, f"piece{k}") for k in range(len(functions))]
    made += [f"{m} = {_text(c)}" for m, c in zip(masks, conditions, strict=False)]
    if len(functions) > len(conditions):
        others = " | ".join(masks[: len(conditions)])
        made.append(f"{masks[-1]} = ~({others})")
    for mask, function in zip(masks, functions, strict=True):
        text = _text(function)
        number = isinstance(function, cst.Integer | cst.Float | cst.UnaryOperation)
        part = text if number else f"({text})({x.value}[{mask}])"
        if isinstance(function, cst.Name | cst.Attribute):
            part = f"{text}({x.value}[{mask}])"
        made.append(f"{whole}[{mask}] = {part}")
    lines: list[Any] = [cst.parse_statement(line) for line in made]

    def make(statement: Any) -> list[Any]:
        first = lines[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
        changed = replaced(statement, {id(node): cst.Name(whole)})
        return [first, *lines[1:], changed.with_changes(leading_lines=())]

    raise Rewriting(make)


def _captures_active(b: Builder, node: Any) -> bool:
    """Whether the functions of a call read active names."""
    return any(is_active(b.env[n]) for n in names_in(node) if isinstance(b.env.get(n), Var))


def _elements(node: Any) -> list[Any] | None:
    if not isinstance(node, cst.List | cst.Tuple):
        return None
    return [element.value for element in node.elements]
