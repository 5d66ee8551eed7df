"""Calls that write into an array they are given: ``out=``, ``sort``, ``fill`` and their kind.

Each is lowered as what it computes, followed by a write of the whole array; ``np.add.at(x, k, v)``,
which adds up where places repeat, as a write of its own.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.effects import WRITING_METHODS
from srcgrad.frontend.arrays.views import WHOLE, mutation
from srcgrad.frontend.expressions.writes import store
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.unnamed import Unnamed, is_named
from srcgrad.ir.nodes import ADD_AT, INDEX_SET, Items, Known, Op, Value, Var, is_active
from srcgrad.runtime import with_diagonal
from srcgrad.runtime.overwriting import with_masked, with_placed, with_put, with_put_along

_METHODS = {"sort": np.sort, "fill": None}
# What each of these leaves behind, and the names of its parameters
_LEFT: dict[Any, tuple[Any, tuple[str, ...]]] = {
    np.copyto: (None, ("dst", "src", "where")),
    np.fill_diagonal: (with_diagonal, ("a", "val", "wrap")),
    np.put: (with_put, ("a", "ind", "v", "mode")),
    np.put_along_axis: (with_put_along, ("arr", "indices", "values", "axis")),
    np.place: (with_placed, ("arr", "mask", "vals")),
    np.putmask: (with_masked, ("a", "mask", "values")),
}
_NAMES = {fn.__name__ for fn in _LEFT}
_NEEDLESS = {"casting"}
_REFUSED = WRITING_METHODS - {*_METHODS, "put", "setflags"}


def write_out(b: Builder, out: Value, value: Value, node: Any) -> Value:
    """Lower the writing of a call's result into the array that ``out=`` names."""
    if isinstance(out, Items) and len(out.items) == 1:
        out = out.items[0]
    if not isinstance(out, Var):
        raise mutation(b, node, "this value of out=", "pass the name of an array")
    b.layout.writing.add(id(node))
    b.env[Unnamed("out")] = out  # so that it is known what becomes of it
    store(b, out, WHOLE, value, Op(INDEX_SET), node)
    new = b.env.pop(Unnamed("out"))
    names = [name for name, held in b.env.items() if held is new and is_named(name)]
    whole = isinstance(value, Var) and b.context.lengths.same(out.type, value.type)
    if names and whole and not value.named:
        b.attach(names[0], value, ())
    return new


def call_mutator(b: Builder, call: cst.Call, lower: Callable[[Builder, Any], Value]) -> bool:
    """Lower a statement that is a call for its effect on an array.

    Returns:
        Whether it was such a call.
    """
    if not isinstance(call.func, cst.Attribute):
        return False
    name = call.func.attr.value
    if name in _NAMES:
        callee = lower(b, call.func)
        if isinstance(callee, Known):
            return _call_function(b, callee.object, call, lower)
    if name not in _METHODS and name not in _REFUSED and name != "put":
        return False
    receiver = lower(b, call.func.value)
    if not isinstance(receiver, Var) or not receiver.type.is_number:
        return False
    if name == "put" and receiver.type.active:
        return _left_behind(b, np.put, [receiver], call, lower)
    if name == "fill" and len(call.args) == 1:
        value = lower(b, call.args[0].value)
    elif name == "sort" and receiver.type.active and _sorts_along(call):
        options = tuple(("axis", lower(b, a.value)) for a in call.args)
        value = b.emit(Op(np.sort), (receiver,), None, options)
    elif receiver.type.active:
        raise mutation(
            b,
            call,
            f"the array method .{name} writes in place",
            "use the NumPy function that returns a new array",
        )
    else:
        return False
    _write(b, receiver, value, call)
    return True


def _sorts_along(call: cst.Call) -> bool:
    """Whether a call of the method ``sort`` gives no more than an axis."""
    return all(a.keyword is not None and a.keyword.value == "axis" for a in call.args)


def _call_function(b: Builder, fn: Any, call: cst.Call, lower: Any) -> bool:
    """Lower a call of a function that writes into its first argument, such as ``np.put``."""
    try:
        known = fn in _LEFT
    except TypeError:
        return False
    return known and _left_behind(b, fn, [], call, lower)


def _left_behind(b: Builder, fn: Any, given: list[Value], call: cst.Call, lower: Any) -> bool:
    """Lower a call as a write of what it leaves behind; return whether that could be done."""
    left, names = _LEFT[fn]
    bound = dict(zip(names, given, strict=False))
    for arg in call.args:
        if arg.star:
            return False
        if arg.keyword is None and len(bound) == len(names):
            return False
        name = names[len(bound)] if arg.keyword is None else arg.keyword.value
        if name in _NEEDLESS:
            continue
        if name not in names or name in bound:
            return False
        bound[name] = lower(b, arg.value)
    places = [n for n in names if n not in ("mode", "axis", "where", "wrap")]
    if any(n not in bound for n in places):
        return False
    target, *rest = (bound[n] for n in places)
    active = is_active(Items(tuple(bound.values())))
    if not isinstance(target, Var) or not (active or target.type.is_number):
        if active:
            raise mutation(b, call, "this is written in place", "write into an array")
        return False
    kept = replace(target.type, active=active)
    if left is None and "where" in bound:
        value = b.emit(Op(np.where), (bound["where"], rest[0], target), None, type_=kept)
    elif left is None:
        value = rest[0]
    else:
        options = tuple((n, bound[n]) for n in ("mode", "axis", "wrap") if n in bound)
        value = b.emit(Op(left), (target, *rest), None, options, type_=kept)
    _write(b, target, value, call)
    return True


def _write(b: Builder, target: Value, value: Value, node: Any) -> None:
    if not isinstance(target, Var):
        raise mutation(b, node, "this is written in place", "write into an array")
    write_out(b, target, value, node)


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
    raise mutation(
        b, call, f"np.{ufunc.__name__}.at writes", "go through the places: x[k] = f(x[k], v)"
    )
