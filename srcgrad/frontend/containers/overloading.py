"""Operators on objects: which method of the user's class an operator or an index calls."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import InternalError, SrcgradError
from srcgrad.frontend.checks.purity import is_own
from srcgrad.frontend.containers.structures import is_dict
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.recursion import call_own
from srcgrad.ir.forms import NamedTuple, Registered, View
from srcgrad.ir.nodes import Const, Items, Known, Slice, Struct, Value, Var, is_active
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_TAKEN_APART = ("__len__", "__iter__", "__getitem__", "__array__", "__array_ufunc__")


def lower_operator(
    b: Builder, fn: Callable[..., Any], args: tuple[Value, ...], node: Any
) -> Value | None:
    """Lower an operator on objects as the call of a method; None where no class has one."""
    name = fn.__name__.strip("_")
    first = args[0]
    found = _method(first, f"__{name}__")
    last, goes_first = args[-1], _goes_first(args, f"__r{name}__")
    if found is not None and not goes_first:
        return _call(b, found, first, args[1:], node, "operator")
    found = _method(last, f"__r{name}__") if len(args) == 2 else None
    if found is None or not (goes_first or _leaves_to(first, last)):
        return None
    return _call(b, found, last, (first,), node, "reflected")


def lower_item(b: Builder, value: Value, index: Value, node: Any) -> Value | None:
    """Lower ``value[index]`` where the class of an object says what it is; else None."""
    found = _method(value, "__getitem__")
    if found is None or isinstance(index, Slice) or _holds_slice(index):
        return None
    return _call(b, found, value, (index,), node, "operator")


def lower_builtin(b: Builder, name: str, value: Value, node: Any) -> Value | None:
    """Lower ``len(value)`` or ``abs(value)`` where the class of an object has it; else None."""
    found = _method(value, f"__{name}__")
    return None if found is None else _call(b, found, value, (), node, "call")


def require_of_numbers(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse functions without a slope of objects whose class may say otherwise.

    ``round``, ``math.floor`` and the like, the functions of ``operator``, and ufuncs ask it.
    """
    name = getattr(fn, "__name__", "")
    asks = name in _ROUNDING or isinstance(fn, np.ufunc) or home(fn) == "_operator"
    if not asks or fn in (operator.is_, operator.is_not):
        return
    for value in args:
        if _is_of_user(value) and (name not in _ROUNDING or _says(value, name)):
            raise b.refuse(
                node, f"{name} of an object whose class says what it is", "call a method"
            )


_ROUNDING = ("round", "floor", "ceil", "trunc")


def _is_of_user(value: Value) -> bool:
    """Whether a value is an object of a class of the program's."""
    if not isinstance(value, Struct | Known) or is_dict(value):
        return False
    return is_own(_class_of(value))


def _says(value: Any, name: str) -> bool:
    return facts.in_class(_class_of(value), f"__{name}__") is not MISSING


def has_operator(value: Value, fn: Callable[..., Any]) -> bool:
    """Tell whether the class of an object says what an operator does with it on the left."""
    return _method(value, f"__{fn.__name__.strip('_')}__") is not None


def _method(value: Value, name: str) -> types.FunctionType | None:
    """The method of the user's class that an object has under a name."""
    if not isinstance(value, Struct | Known) or is_dict(value):
        return None
    if isinstance(value, Struct) and isinstance(value.form, NamedTuple | Registered | View):
        return None
    found = facts.in_class(_class_of(value), name)
    own = isinstance(found, types.FunctionType) and not is_of_library(found)
    return found if own else None


def _class_of(value: Any) -> type:
    return value.form.cls if isinstance(value, Struct) else facts.class_of(value.object)


def _goes_first(args: tuple[Value, ...], reflected: str) -> bool:
    """Whether Python asks the second operand first: its class is derived from the first one's."""
    if not all(isinstance(arg, Struct | Known) for arg in args) or is_dict(args[0]):
        return False
    if len(args) != 2 or _method(args[1], reflected) is None:
        return False
    left, right = _class_of(args[0]), _class_of(args[1])
    return left is not right and left in facts.mro(right)


def _leaves_to(left: Value, right: Value) -> bool:
    """Whether an operator on a number and an object is certainly the object's.

    NumPy's numbers and arrays take apart what they can make an array of.
    """
    if isinstance(left, Const | Struct):
        return True
    if not isinstance(left, Var) or left.type.kind != "scalar":
        return False
    return all(facts.in_class(_class_of(right), name) is MISSING for name in _TAKEN_APART)


def _holds_slice(index: Value) -> bool:
    return isinstance(index, Items) and any(isinstance(part, Slice) for part in index.items)


def _call(
    b: Builder, fn: Any, value: Value, args: tuple[Value, ...], node: Any, style: str
) -> Value | None:
    try:
        made = call_own(b, fn, (value, *args), {}, node, style)
    except InternalError:
        raise
    except SrcgradError:
        if is_active(Items((value, *args))):
            raise
        return None
    if isinstance(made, Known) and made.object is NotImplemented:
        raise b.refuse(
            node, "an operator that leaves it to the other operand", "call the method that is meant"
        )
    return made
