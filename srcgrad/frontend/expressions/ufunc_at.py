"""The method ``at`` of ufuncs, which writes into its first argument.

``np.add.at(x, k, v)`` adds up where places repeat. For others, ``np.f.at(x, k, v)`` becomes
``x[k] = np.f(x[k], v)`` where no place can repeat, and a loop over the places where one may.
"""

from __future__ import annotations

import operator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.indices import is_basic
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.views import mutation
from srcgrad.frontend.expressions.unrolling import is_path
from srcgrad.frontend.expressions.writes import store
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.nodes import ADD_AT, Const, Items, Known, Op, Value, Var, is_active


def lower_at(b: Builder, call: cst.Call, lower: Any) -> bool:
    """Lower a statement that is a call of the method ``at`` of a ufunc; False for any other."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "at":
        return False
    if not isinstance(func.value, cst.Attribute) or len(call.args) not in (2, 3):
        return False
    owner = lower(b, func.value)
    ufunc = owner.object if isinstance(owner, Known) else None
    if not isinstance(ufunc, np.ufunc) or any(a.star or a.keyword for a in call.args):
        return False
    base, index, *values = (lower(b, arg.value) for arg in call.args)
    if len(values) == 1 and ufunc in (np.add, np.subtract):
        if not isinstance(base, Var):
            raise mutation(b, call, f"this target of np.{ufunc.__name__}.at", "write into an array")
        value = values[0]
        if ufunc is np.subtract:
            value = b.emit(Op(operator.neg), (value,), None)
        store(b, base, index, value, Op(ADD_AT), call)
        return True
    if not is_active(base) and not any(map(is_active, values)):
        return False
    if not isinstance(base, Var) or not is_path(call.args[0].value):
        raise mutation(b, call, f"this target of np.{ufunc.__name__}.at", "give the array a name")
    raise Rewriting(lambda statement: [_in_other_words(b, statement, call, base, index, values)])


def _in_other_words(
    b: Builder, statement: Any, call: cst.Call, base: Var, index: Value, values: list[Value]
) -> Any:
    """The statement that does what a call of ``at`` does."""
    target, at, *given = (arg.value for arg in call.args)
    ufunc = call.func.value  # type: ignore[union-attr]
    parts = {"x": target, "k": at, "f": ufunc, "v": given[0] if given else target}
    parts["m"] = ufunc.value  # the module
    if is_basic(index):
        return _text(statement, "x[k] = f(x[k], v)" if given else "x[k] = f(x[k])", parts)
    if not _is_row(index):
        raise b.refuse(
            call, "this index of at", "go through the places in a loop: x[k] = f(x[k], v)"
        )
    place = fresh_name(b, "place")
    if not given or type_of(values[0]).shape == ():
        inside = "f(x[p], v)" if given else "f(x[p])"
        return _text(statement, f"for p in k:\n    x[p] = {inside}", parts, p=place)
    rank = type_of(base).ndim
    if rank is None:
        raise b.refuse(call, "at of an array whose rank is not known", "call it with arrays")
    count = str(len(index.items)) if isinstance(index, Items) else "len(k)"
    others = "".join(f", x.shape[{axis}]" for axis in range(1, rank))
    shape = f"({count}{others})" if others else count
    same = b.context.lengths.same(type_of(values[0]), type_of(base)) and rank == 1
    rows = "v" if same and _length(index) == _length(base) else f"m.broadcast_to(v, {shape})"
    names = {"p": place, "q": fresh_name(b, "part")}
    return _text(statement, f"for p, q in zip(k, {rows}):\n    x[p] = f(x[p], q)", parts, **names)


def _is_row(index: Value) -> bool:
    """Whether an index is a list or an array of whole numbers with one axis."""
    if isinstance(index, Items):
        return index.is_list and all(isinstance(k, Var | Const) for k in index.items)
    return isinstance(index, Var) and index.type.kind == "array" and index.type.ndim == 1


def _length(value: Value) -> Any:
    if isinstance(value, Items):
        return len(value.items)
    shape = type_of(value).shape
    return shape[0] if isinstance(shape, tuple) and shape else None


def _text(statement: Any, text: str, parts: dict[str, Any], **names: str) -> Any:
    """A statement with expressions in the place of the letters in its text."""
    made: Any = cst.parse_statement(text)
    found: dict[int, Any] = {}

    def look(node: Any) -> None:
        for child in node.children:
            if isinstance(child, cst.Name) and child.value in (*parts, *names):
                new = names.get(child.value)
                found[id(child)] = cst.Name(new) if new else parts[child.value].deep_clone()
            else:
                look(child)

    look(made)
    return replaced(made, found).with_changes(leading_lines=statement.leading_lines)


__all__ = ["lower_at"]
