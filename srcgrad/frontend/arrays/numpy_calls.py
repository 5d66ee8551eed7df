"""Calls of NumPy that are others, by what they are given."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import call_formula
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.nodes import Const, Items, Value, Var, is_active
from srcgrad.registry import find_formula
from srcgrad.runtime.choosing import choose_row
from srcgrad.runtime.scipy.special import unit
from srcgrad.runtime.transposes import gradient_along

REWRITTEN = frozenset({np.block, getattr(np, "unstack", np.block)})  # these need no formula


def lower_block(b: Builder, args, options, node) -> Value | None:
    """``np.block`` is written as ``np.concatenate``, the innermost lists along the last axis."""
    if len(args) != 1 or options or not isinstance(args[0], Items) or not is_active(args[0]):
        return None
    depth, first = 0, args[0]
    while isinstance(first, Items):
        depth, first = depth + 1, first.items[0] if first.items else Const(None)
    ranks = {type_of(leaf).ndim for leaf in _leaves(args[0])}
    if len(ranks) != 1 or None in ranks or min(ranks) < depth:
        raise b.refuse(
            node,
            "np.block of arrays whose numbers of dimensions differ or are not known",
            "use np.concatenate",
        )

    func = node.func
    if not isinstance(func, cst.Attribute):
        raise b.refuse(node, "np.block under a name of its own", "write np.block")

    def joined(display: Any, level: int) -> Any:
        if level == 0:
            return display
        parts = [joined(element.value, level - 1) for element in display.elements]
        if len(parts) == 1:
            return parts[0]
        call = func.with_changes(attr=cst.Name("concatenate"))
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        elements = [cst.Element(part, comma=comma) for part in parts]
        axis = cst.Arg(
            cst.parse_expression(str(-level)),
            keyword=cst.Name("axis"),
            equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
        )
        arrays = cst.Arg(cst.Tuple(elements), comma=comma)
        return cst.Call(call, [arrays, axis])

    lists = node.args[0].value
    if not _is_display(lists, depth):
        raise b.refuse(node, "np.block of lists that are not written out", "use np.concatenate")
    new = joined(lists, depth)
    raise Rewriting(lambda statement: [replaced(statement, {id(node): new})])


def _is_display(node: Any, depth: int) -> bool:
    """Whether lists in lists are written out to a depth."""
    if depth == 0:
        return True
    if not isinstance(node, cst.List | cst.Tuple) or not node.elements:
        return False
    return all(_is_display(element.value, depth - 1) for element in node.elements)


def _leaves(value: Value) -> list[Value]:
    if isinstance(value, Items):
        return [leaf for part in value.items for leaf in _leaves(part)]
    return [value]


def of_rows(fn: Any, of_lists: Any = None) -> Any:
    """The rule of functions of a list of arrays: a single array in its place is refused."""

    def rule(b: Builder, args, options, node) -> Value | None:
        rows = args[0] if args else None
        is_array = isinstance(rows, Var) and rows.type.kind in ("array", "numeric")
        if b.formula is not None or not is_array or not is_active(rows):
            return of_lists(b, args, options, node) if of_lists is not None else None
        name = getattr(fn, "__name__", "")
        ways = "list(x)" if of_lists is not None else "[x[0], x[1]]"
        raise b.refuse(
            node, f"np.{name} of an array", f"pass a list of its rows: np.{name}({ways})"
        )

    return rule


def lower_choose(b: Builder, args, options, node) -> Value | None:
    """``np.choose`` from an array, which holds the choices along its first axis."""
    if b.formula is None and len(args) > 1 and isinstance(args[1], Var) and is_active(args[1]):
        if args[1].type.kind != "list":
            formula = find_formula(choose_row)
            return call_formula(b, choose_row, formula, args, options, node)
    return None


def lower_sign(b: Builder, args, options, node) -> Value | None:
    """``np.sign`` of complex numbers, which turns with them; that of real ones is constant."""
    complex_one = len(args) == 1 and is_active(args[0]) and type_of(args[0]).dtype == "c"
    if b.formula is not None or not complex_one:
        return None
    return call_formula(b, unit, find_formula(unit), args, options, node)


def lower_gradient(b: Builder, args, options, node) -> Value | None:
    """``np.gradient`` along an axis whose coordinates are given."""
    if not any(isinstance(v, Var) and type_of(v).ndim == 1 for v in args[1:]):
        return None
    if not any(is_active(v) for v in args):
        return None
    rank, axis = type_of(args[0]).ndim, options.get("axis", Const(None))
    if len(args) > 2:
        raise b.refuse(node, "np.gradient with several spacings", "give it one axis at a time")
    if isinstance(axis, Const) and axis.value is None and rank == 1:
        options = {**options, "axis": Const(0)}
    elif not (isinstance(axis, Const) and isinstance(axis.value, int)):
        return None
    return call_formula(b, gradient_along, find_formula(gradient_along), args, options, node)
