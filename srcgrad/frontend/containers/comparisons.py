"""Truth values that are known when code is generated."""

from __future__ import annotations

import operator
import types
from typing import Any

import libcst as cst

from srcgrad.frontend.containers.structures import is_dict, key_of
from srcgrad.ir.nodes import Closure, Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.types import OPTIONAL
from srcgrad.ir.unassigned import is_open
from srcgrad.program import facts

COMPARE: dict[type, Any] = {
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
}


def fold_comparison(kinds: list[type], values: list[Value]) -> bool | None:
    """Decide a comparison of things that are known when code is generated."""
    for kind, left, right in zip(kinds, values, values[1:], strict=False):
        if kind in (cst.Is, cst.IsNot):
            known = _identical(left, right)
        elif isinstance(left, Const) and isinstance(right, Const) and kind in COMPARE:
            try:
                known = COMPARE[kind](left.value, right.value)
            except TypeError:  # text and a number: this is for the program to raise
                return None
        elif kind in (cst.In, cst.NotIn) and isinstance(left, Const) and isinstance(right, Const):
            if not isinstance(left.value, str) or not isinstance(right.value, str):
                return None
            known = (left.value in right.value) == (kind is cst.In)
        elif kind in (cst.In, cst.NotIn) and is_dict(right):
            key = key_of(left)
            if key is NotImplemented:
                return None
            inside = right.form.position(key) is not None  # type: ignore[union-attr]
            known = inside if kind is cst.In else not inside
        elif kind in (cst.In, cst.NotIn) and isinstance(left, Const) and isinstance(right, Items):
            if not all(isinstance(item, Const) for item in right.items):
                return None
            inside = left in right.items
            known = inside if kind is cst.In else not inside
        else:
            return None
        if known is None:
            return None
        if kind is cst.IsNot:
            known = not known
        if not known:
            return False
    return True


_ANY = ("numeric", "?")


def _identical(left: Value, right: Value) -> bool | None:
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value is right.value
    if isinstance(left, Known) and isinstance(right, Known):
        return left.object is right.object
    for a, c in ((left, right), (right, left)):
        if isinstance(a, Const) and a.value is None:
            if isinstance(c, Compound | Known | Closure):
                return False
            if isinstance(c, Var) and c.type.element is OPTIONAL:
                return None
            # Of an argument or result that nothing is known of, this is not known either.
            if isinstance(c, Var) and c.type.is_number and (c.type.kind, c.type.dtype) != _ANY:
                return False
        if isinstance(a, Const) and isinstance(a.value, bool):
            if isinstance(c, Var) and c.type.kind == "array":
                return False
    return None


def truth(value: Value) -> bool | None:
    """The truth of a value, if it is known when code is generated."""
    if isinstance(value, Var) and value.type.kind == "list" and value.type.element is None:
        return False  # nothing was put into it
    if is_open(value):
        return None
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Items) or is_dict(value):
        return bool(value.items)  # type: ignore[union-attr]
    if isinstance(value, Closure):
        return True
    if isinstance(value, Struct):
        return _truth_of_class(value.form.cls)
    if isinstance(value, Known):
        return _truth_of_known(value.object)
    return None


_ALWAYS_TRUE = types.FunctionType | types.BuiltinFunctionType | types.MethodType | types.ModuleType


def _truth_of_known(thing: Any) -> bool | None:
    """The truth of an object from outside; what containers hold may be other things later."""
    if isinstance(thing, _ALWAYS_TRUE):
        return True
    return _truth_of_class(facts.class_of(thing))


def _truth_of_class(cls: type) -> bool | None:
    says = (facts.in_class(cls, name) is not facts.MISSING for name in ("__bool__", "__len__"))
    return None if any(says) else True
