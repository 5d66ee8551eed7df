"""Lowering of writes into arrays, and of ``del``.

``x[i] *= v`` is spelled out as ``x[i] = x[i] * v`` where its right side has to have a name. That
is the same for an array. A list or a dict gets another element by it, which is not what
``p["w"] *= v`` does to an array in a dict: what is changed has to be known first.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import MutationError
from srcgrad.frontend.arrays import views
from srcgrad.frontend.arrays.ambiguous import require_one_name
from srcgrad.frontend.arrays.stacking import as_array
from srcgrad.frontend.arrays.views import mutation
from srcgrad.frontend.containers import indexing, lists
from srcgrad.frontend.containers.structures import is_dict, key_of, without_part, write_part
from srcgrad.frontend.desugar.expand import calls
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.lowering import apply_operator, lower
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, choice_written_out
from srcgrad.frontend.text.operators import IN_PLACE
from srcgrad.frontend.text.templates import is_path
from srcgrad.frontend.text.unnamed import kind_of
from srcgrad.ir.demands import What
from srcgrad.ir.nodes import (
    INDEX_SET,
    Const,
    Equation,
    Items,
    MemoryNote,
    Op,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.types import Type
from srcgrad.ir.unassigned import UNDEFINED, is_open


def augment_array(b: Builder, node: cst.AugAssign, fn: Any, old: Var, value: Value) -> None:
    """``x += v`` on an array writes into it; every name of the array sees that."""
    value = as_array(b, value)
    if is_active(old) or is_active(value):
        _require_known_element(b, old, node)
    if views.parent(b, old) is not None:
        _augment_view(b, node, fn, old, value)
        return
    only = ""
    if old.type.kind == "numeric" and isinstance(node.target, cst.Name):
        only = node.target.value
        require_one_name(b, node, {only}, old)
    result = apply_operator(b, fn, (old, value), node)
    assert isinstance(result, Var)
    equation = b.block[-1]
    assert isinstance(equation, Equation)
    kept = result.type
    if old.type.kind == "array" and isinstance(old.type.shape, tuple):
        kept = Type("array", old.type.shape, old.type.dtype, result.type.active)
    new = Var(old.name, kept)
    b.define(new, None)
    b.block[-1] = Equation(
        (new,), equation.op, equation.args, equation.options, equation.origin, MemoryNote.IN_PLACE
    )
    b.layout.definitions.pop(result, None)
    views.replaced(b, old, new, only)


def _augment_view(b: Builder, node: cst.AugAssign, fn: Any, old: Var, value: Value) -> None:
    """``v += w`` on a view writes into the array behind it."""
    result = apply_operator(b, fn, (old, value), None)
    if isinstance(result, Var):
        b.context.shaped_as[result] = old
    store(b, old, views.WHOLE, result, Op(INDEX_SET), node)
    if isinstance(result, Var) and isinstance(node.target, cst.Name):
        b.layout.bind(result, node.target.value, (), b.frame)


def augmented_part(
    b: Builder, node: cst.AugAssign, fn: Any, old: Value, value: Value
) -> Value | None:
    """``p["w"] += v``: a number gets another value, an array is written in place.

    Returns:
        What to put there; None where what is there was written.
    """
    known = isinstance(old, Const) or (isinstance(old, Var) and old.type.kind == "scalar")
    if isinstance(old, Var) and old.type.kind == "array":
        augment_array(b, node, fn, old, value)
        return None
    if not known and (is_active(Items((old, value))) or _has_other_name(b, old)):
        raise mutation(
            b, node.target, "a number or an array in a container is changed", "write p = p + v"
        )
    if not known:
        views.may_write(b, old)
    return apply_operator(b, fn, (old, value), None)


def _has_other_name(b: Builder, value: Value) -> bool:
    """Whether a part of a container, which may be an array, is known by itself as well."""
    return any(held is value for name, held in b.env.items() if kind_of(name) != "object")


def store_at(b: Builder, target: cst.Subscript, index: Value, value: Value, op: Op) -> None:
    """Lower a write into what the target of an assignment names."""
    store_into(b, target, lower(b, target.value), index, value, op)


def store_into(
    b: Builder, target: cst.Subscript, base: Value, index: Value, value: Value, op: Op
) -> None:
    """Lower a write into an array, a list or a dict."""
    if isinstance(base, Struct):
        write_part(b, base, index, value, target)
        return
    if isinstance(base, Items) and base.is_list and b.formula is None:
        if known_lists.set_known(b, base, index, value, target):
            return
    if isinstance(base, Items) and base.is_list and isinstance(target.value, cst.Name):
        base = lists.promote(b, base, target)
    if isinstance(base, Var) and base.type.kind == "list" and is_path(target.value):
        lists.set_item(b, base, index, value, target)
        return
    if not isinstance(base, Var) or base.type.kind not in ("array", "opaque", "numeric"):
        raise mutation(b, target, "this container is written in place", "build a new one")
    store(b, base, index, value, op, target)


def store(b: Builder, base: Var, index: Value, value: Value, op: Op, node: Any) -> None:
    """Lower a write into an array at an index."""
    if base.type.kind != "opaque" and not _is_namespace(node):  # others hold what they are given
        value = as_array(b, value)
    elif not is_active(value):
        kept_text.note_kept(b, [value])
    kind = base.type
    if kind.kind == "numeric":  # of the two that this may be, a number has no items
        kind = Type("array", kind.shape, kind.dtype, kind.active)
    if (is_active(base) or is_active(value)) and kind.kind != "array":
        raise mutation(
            b,
            node,
            "an object that may not be a local array is written in place",
            "build the result with np.where, np.concatenate or np.stack",
        )
    if (isinstance(value, Struct) and is_active(value)) or is_open(value):
        raise b.refuse(node, "an object in the place of a number", "write float(v)")
    if is_active(base) or is_active(value):
        _require_known_element(b, base, node)
    views.write(b, base, index, value, op, node)


def _is_namespace(node: Any) -> bool:
    """Whether what is written at an index is the table of the attributes of an object."""
    table = node.value if isinstance(node, cst.Subscript) else None
    if isinstance(table, cst.Call):
        return isinstance(table.func, cst.Name) and table.func.value == "vars"
    return isinstance(table, cst.Attribute) and table.attr.value == "__dict__"


def _require_known_element(b: Builder, base: Var, node: Any) -> None:
    """Let the loop be written out in which an array is written that is one of several."""
    root, _ = views.chain(b, base)
    made = b.made.get(root) if isinstance(root, Var) else None
    if made is None or not (root in b.several or made.args[0] in b.of_known_start):
        return
    error = MutationError(
        "an array is written in place that is one of several",
        spots=[b.source.spot(node)],
        why="Which of them it is differs from one iteration of a loop to the next.",
        fixes=["write the iterations out", "keep the rows in one array: a[k] += v"],
    )
    raise choice_written_out(b, made, error)


def may_be_spelled_out(b: Builder, statement: Any) -> bool:
    """Whether a statement may have to be written as an assignment."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    small = statement.body[0]
    if not isinstance(small, cst.AugAssign) or not isinstance(small.target, cst.Subscript):
        return False
    return b.context.demands.asks_of(What.STATEMENTS, b.source)


def spell_out(b: Builder, node: cst.AugAssign) -> None:
    """Have a write into an array written as an assignment, in functions that need it."""
    if calls(node.target) or not may_be_spelled_out(b, b.statement):
        return
    raise as_assignment(node)


def as_assignment(node: cst.AugAssign) -> Rewriting:
    """Return what writes ``a += v`` as ``a = a + v``."""
    right = node.value
    if not isinstance(right, cst.Name | cst.Integer | cst.Float | cst.Subscript | cst.Call):
        right = right.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    read = node.target.deep_clone()  # each place of the text is a node of its own
    value = cst.BinaryOperation(read, IN_PLACE[type(node.operator)](), right)
    new = cst.Assign([cst.AssignTarget(node.target)], value)
    return Rewriting(lambda statement: [statement.with_changes(body=[new])])


def delete(b: Builder, target: Any) -> None:
    """Lower ``del`` of a name, or of an element of a list or a dict."""
    if isinstance(target, cst.Name):
        b.layout.tick()
        b.layout.write(target.value, b.frame)
        b.env[target.value] = UNDEFINED
        return
    base = lower(b, target.value)
    index = indexing.lower_index(b, target.slice, lower)
    if isinstance(base, Items) and base.is_list:
        known_lists.delete(b, base, index, target)
        return
    if is_dict(base):
        k = base.form.position(key_of(index))  # type: ignore[union-attr]
        if k is not None:
            without_part(b, base, k, target)  # type: ignore[arg-type]
            return
    raise b.refuse(target, "del of this element", "build a new container without it")
