"""Lowering of writes into arrays."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import MutationError
from srcgrad.frontend import lists
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.builtins import as_array
from srcgrad.frontend.expressions import apply_operator, lower
from srcgrad.frontend.structures import write_part
from srcgrad.ir.nodes import Const, Equation, Items, Op, Struct, Value, Var, is_active
from srcgrad.ir.types import Type


def augment_array(b: Builder, node: cst.AugAssign, fn: Any, old: Var, value: Value) -> None:
    """``x += v`` on an array writes into it; every name of the array sees that."""
    result = apply_operator(b, fn, (old, as_array(b, value)), node)
    assert isinstance(result, Var)
    equation = b.block[-1]
    assert isinstance(equation, Equation)
    kept = result.type
    if old.type.kind == "array" and isinstance(old.type.shape, tuple):
        kept = Type("array", old.type.shape, old.type.dtype, result.type.active)
    new = Var(old.name, kept)
    b.define(new, None)
    b.block[-1] = Equation(
        (new,), equation.op, equation.args, equation.options, equation.origin, "in place"
    )
    b.layout.definitions.pop(result, None)
    lists.replace_everywhere(b, old, new)


def augmented_part(b: Builder, node: cst.AugAssign, fn: Any, old: Value, value: Value) -> Value:
    """``p["w"] += v``: a number gets another value, an array is written in place."""
    known = isinstance(old, Const) or (isinstance(old, Var) and old.type.kind == "scalar")
    if not known and is_active(Items((old, value))):
        raise mutation(
            b, node.target, "an array in a dict or an object is written", "write p = p + v"
        )
    return apply_operator(b, fn, (old, value), None)


def store_at(b: Builder, target: cst.Subscript, index: Value, value: Value, op: Op) -> None:
    """Lower a write into what the target of an assignment names."""
    base = lower(b, target.value)
    if isinstance(base, Struct):
        write_part(b, base, index, value, target)
        return
    if isinstance(base, Items) and base.is_list and isinstance(target.value, cst.Name):
        base = lists.promote(b, base, target)
    if isinstance(base, Var) and base.type.kind == "list" and isinstance(target.value, cst.Name):
        lists.set_item(b, base, index, value, target)
        return
    if (
        not isinstance(target.value, cst.Name)
        or not isinstance(base, Var)
        or base.type.kind not in ("array", "opaque", "numeric")
    ):
        raise mutation(b, target, "this container is written in place", "build a new one")
    store(b, base, index, value, op, target)


def store(b: Builder, base: Var, index: Value, value: Value, op: Op, node: Any) -> None:
    """Lower a write into an array at an index."""
    value = as_array(b, value)
    active = is_active(base) or is_active(value)
    kind = base.type
    if kind.kind == "numeric":  # of the two that this may be, a number has no items
        kind = Type("array", kind.shape, kind.dtype, kind.active)
    if active and kind.kind != "array":
        raise mutation(
            b,
            node,
            "an object that may not be a local array is written in place",
            "build the result with np.where, np.concatenate or np.stack",
        )
    new = Var(base.name, kind.with_active(active))
    b.define(new, None)
    b.block.append(Equation((new,), op, (base, index, value), (), b.origin(node), "in place"))
    lists.replace_everywhere(b, base, new)


def mutation(b: Builder, node: Any, what: str, fix: str) -> MutationError:
    """Return the error for an in-place write."""
    return MutationError(
        f"{what}, which is not supported yet",
        spots=[b.source.spot(node)],
        why="Only arrays that the function itself made, and that have one name, may be written.",
        fixes=[fix],
    )
