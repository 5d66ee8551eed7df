"""Calls that the front end understands by itself."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes import type_of
from srcgrad.frontend import lists
from srcgrad.frontend.builder import Builder
from srcgrad.ir.nodes import Const, Items, Known, Op, Value, Var, is_active
from srcgrad.ir.types import Type


def _len(b: Builder, args, options, node) -> Value | None:
    return lists.length(b, args[0], node) if len(args) == 1 else None


def _isinstance(b: Builder, args, options, node) -> Value | None:
    if len(args) != 2:
        return None
    value, classes = args
    options_ = classes.items if isinstance(classes, Items) else (classes,)
    if not all(isinstance(c, Known) and isinstance(c.object, type) for c in options_):
        return None
    kinds = tuple(c.object for c in options_)
    if isinstance(value, Const):
        return Const(isinstance(value.value, kinds))
    if isinstance(value, Items):
        return Const(issubclass(list if value.is_list else tuple, kinds))
    if isinstance(value, Var) and value.type.kind == "array" and kinds == (np.ndarray,):
        return Const(True)
    return b.opaque(node, [value], Type("scalar", (), "b"))


def _sum(b: Builder, args, options, node) -> Value | None:
    if not args or not isinstance(args[0], Items) or not is_active(args[0]) or options:
        return None
    from srcgrad.frontend.expressions import apply_operator

    total: Value | None = args[1] if len(args) > 1 else None
    for item in args[0].items:
        total = item if total is None else apply_operator(b, operator.add, (total, item), None)
    return Const(0) if total is None else total


def _extremum(fn: Any, reduction: Any):
    """``max(a, b, c)`` is taken two by two; ``max(x)`` of an array is its reduction."""

    def fold(b: Builder, args, options, node) -> Value | None:
        if options or not any(is_active(a) for a in args):
            return None
        parts = args[0].items if len(args) == 1 and isinstance(args[0], Items) else args
        if len(args) == 1 and isinstance(args[0], Var):
            return b.emit(Op(reduction), args, node)
        if len(parts) <= 2 and len(args) == 2:
            return None
        best = parts[0]
        for k, part in enumerate(parts[1:], start=2):
            best = b.emit(Op(fn), (best, part), node if k == len(parts) else None)
        return best

    return fold


def _metadata(name: str):
    def read(b: Builder, args, options, node) -> Value | None:
        if len(args) != 1 or options or not isinstance(args[0], Var):
            return None
        if not args[0].type.is_number:
            return None
        from srcgrad.frontend.attributes import metadata

        return metadata(b, args[0], name, node)

    return read


def _sequence(is_list: bool):
    def convert(b: Builder, args, options, node) -> Value | None:
        if len(args) == 1 and isinstance(args[0], Items):
            return Items(args[0].items, is_list)
        return None

    return convert


def _np_array(b: Builder, args, options, node) -> Value | None:
    """``np.array([a, b])`` of active scalars or arrays is a stack of them."""
    if len(args) != 1 or options or not isinstance(args[0], Items) or not is_active(args[0]):
        return None
    rows = args[0].items
    if any(isinstance(row, Items) for row in rows):
        made = tuple(
            _np_array(b, (row,), {}, None) if isinstance(row, Items) and is_active(row) else row
            for row in rows
        )
        if any(isinstance(row, Items) for row in made):
            raise b.refuse(node, "an array of mixed rows", "build it with np.stack")
        return b.emit(Op(np.stack), (Items(made),), node)
    if not all(isinstance(row, Var | Const) for row in rows):
        raise b.refuse(node, "this argument of np.array", "build it with np.stack")
    first = type_of(rows[0])
    kind = Type("array", None if first.shape is None else (len(rows), *(first.shape or ())), "f")
    if not isinstance(first.shape, tuple):
        kind = Type("array", None, "f")
    return b.emit(Op(np.stack, "call", "array"), (args[0],), node, type_=kind)


def _refused_loop_helper(b: Builder, args, options, node) -> Value | None:
    if any(is_active(a) for a in args):
        raise b.refuse(
            node,
            "this iterator over active values outside of a for statement",
            "put it into the head of a for loop",
        )
    return None


SPECIAL: dict[Any, Any] = {
    len: _len,
    isinstance: _isinstance,
    sum: _sum,
    np.shape: _metadata("shape"),
    np.size: _metadata("size"),
    np.ndim: _metadata("ndim"),
    max: _extremum(max, np.max),
    min: _extremum(min, np.min),
    tuple: _sequence(False),
    list: _sequence(True),
    np.array: _np_array,
    np.asarray: _np_array,
    zip: _refused_loop_helper,
    enumerate: _refused_loop_helper,
    reversed: _refused_loop_helper,
    map: _refused_loop_helper,
    filter: _refused_loop_helper,
}
