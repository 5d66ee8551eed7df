"""``zip`` outside of the head of a loop: rows of known sequences, and the columns of a list."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.spreading import elements
from srcgrad.frontend.containers.structures import sequence
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import (
    Rewriting,
    fresh_name,
    in_place_of,
    is_consumed,
    is_gone_through,
    way_to,
)
from srcgrad.frontend.text.templates import expression
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Const, Items, Known, Value, is_active

_LOOP = cst.While  # whose test is evaluated several times


def refuse_active(b: Builder, args, options, node) -> Value | None:
    """Refuse an iterator over active values that is not the head of a loop."""
    if any(is_active(a) for a in args):
        raise b.refuse(
            node,
            "this iterator over active values outside of a for statement",
            "put it into the head of a for loop",
        )
    return None


def lower_zip(b: Builder, args, options, node) -> Value | None:
    """Lower ``zip(...)`` that is gone through at once, outside of the head of a loop."""
    way = way_to(b.statement, node)
    if not any(is_active(a) for a in args):
        columns = [sequence(arg) for arg in args]
        return None if None in columns or not columns else _rows(columns, options)
    if way is None or not is_gone_through(way) or set(options) - {"strict"}:
        return refuse_active(b, args, options, node)
    consumer = way[-3].func.value if is_consumed(way) else ""
    columns = [_column(b, arg) for arg in args]
    named = any(not type_of(part).is_number for column in columns for part in column or ())
    if None in columns and (consumer == "dict" or named):
        columns = [elements(b, a) if c is None else c for a, c in zip(args, columns, strict=True)]
    if None not in columns:
        return _rows(columns, options)
    if consumer == "dict" and b.context.demands.may_ask(What.PARTS):
        raise Specialise(What.PARTS)
    if consumer == "list" and len(node.args) == len(args) and not isinstance(b.statement, _LOOP):
        raise _as_comprehension(b, way[-3], node)
    return refuse_active(b, args, options, node)


def _rows(columns: Any, options: Any) -> Items | None:
    strict = options.get("strict", Const(False))
    if strict != Const(False) and len({len(column) for column in columns}) > 1:
        return None  # Python raises what it raises there
    return Items(tuple(Items(row) for row in zip(*columns, strict=False)))


def _column(b: Builder, value: Value) -> tuple[Value, ...] | None:
    """The elements of a sequence that are known without a call at hand."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return tuple(map(Const, value.value))
    if isinstance(value, Known):
        return elements(b, value) if _holds_names(value.object) else None
    return sequence(value)


def _holds_names(thing: Any) -> bool:
    return isinstance(thing, list | tuple) and any(isinstance(part, str) for part in thing)


def _as_comprehension(b: Builder, call: Any, node: cst.Call) -> Rewriting:
    """Write ``list(zip(a, b))`` as ``[(p, q) for p, q in zip(a, b)]``."""
    names = ", ".join(fresh_name(b, f"item_{k + 1}") for k in range(len(node.args)))
    return in_place_of(call, expression(f"[({names}) for {names} in _z]", _z=node))
