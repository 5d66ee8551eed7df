"""Arrays and tuples with a star in a call, and dicts with two: ``model(t, *theta)``."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import operator
import types
from collections.abc import Iterable
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.constants import type_of_constant
from srcgrad.frontend.containers import indexing
from srcgrad.frontend.containers.parameters import parameters_of
from srcgrad.frontend.containers.structures import is_dict
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import rely_on
from srcgrad.frontend.state.rewriting import in_place_of
from srcgrad.frontend.text.templates import expression, text_of
from srcgrad.ir.nodes import Closure, Const, Known, Method, Op, Struct, Value, Var
from srcgrad.ir.types import Type
from srcgrad.library.libraries import is_of_library
from srcgrad.program import facts

_MOST = 16  # more elements than these, each with a line of its own, are no text to be read
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def elements(b: Builder, value: Value) -> tuple[Value, ...] | None:
    """Return the elements of what has a star, where the call at hand tells how many there are.

    Returns:
        The elements; None where their number is not known. How long an array is, is relied on.
    """
    if isinstance(value, Known) and type(value.object) in (tuple, list):
        return None if _may_change(b, value) else indexing.parts_of_known(b, value)
    if not isinstance(value, Var) or not isinstance(value.type.shape, tuple):
        return None
    shape = value.type.shape
    if value.type.kind == "shape":
        count: int | None = len(shape)
    elif value.type.kind == "array" and shape:
        count = b.context.lengths.exactly(shape[0])
    else:
        return None
    if count is None or count > _MOST:
        return None
    return tuple(indexing.read_item(b, value, Const(k), None) for k in range(count))


def spread_array(
    b: Builder, callee: Value, value: Value, before: int, call: cst.Call, arg: cst.Arg
) -> list[Value] | None:
    """Return the elements that an array or a tuple with a star passes to a function.

    How many an array or an argument has, the function says: the call stays in the text as it
    is written, and is an error of Python's where there are more or fewer.

    Returns:
        The elements; None where the value is neither, or the function may be called with
        more than one number of arguments.
    """
    if isinstance(value, Known):
        return _held(b, callee, value, call, arg)
    is_array = isinstance(value, Var) and value.type.kind == "array" and value.type.ndim
    is_array = is_array or (isinstance(value, Var) and _is_list(value.type))
    if not is_array and not (isinstance(value, Var) and _is_data(value.type)):
        return None
    behind = call.args[[id(a) for a in call.args].index(id(arg)) + 1 :]
    if any(a.keyword is None for a in behind):
        return None
    count = _places(b, callee, {a.keyword.value for a in call.args if a.keyword is not None})
    if count is None:
        return None
    if is_array:
        return [indexing.read_item(b, value, Const(k), None) for k in range(count - before)]
    op, number = Op(operator.getitem), Type("numeric", None, "?")
    return [
        b.emit(op, (value, Const(k)), None, type_=number, active=False)
        for k in range(count - before)
    ]


def _is_data(type_: Type) -> bool:
    """Whether something may be a tuple of which nothing is known, and is not differentiated."""
    unknown = type_.kind == "numeric" and not isinstance(type_.shape, tuple)
    return type_.kind == "opaque" or (unknown and not type_.active)


def _is_list(type_: Type) -> bool:
    """Whether something is a list of varying length that is not empty, or not at all times."""
    return type_.kind == "list" and type_.element is not None


def _held(
    b: Builder, callee: Value, value: Known, call: cst.Call, arg: cst.Arg
) -> list[Value] | None:
    """The elements of a tuple or list from outside of the function, which is relied on."""
    if type(value.object) not in (tuple, list):
        return None
    numbers = all(type_of_constant(part).kind != "array" for part in value.object)
    handed = type(value.object) is tuple and numbers and _is_of_user(callee)  # it keeps its own
    if _may_change(b, value) and not handed:
        rely_on(b, value)
        _write_out(call, arg, "{held}[{key}]", range(len(value.object)))
    return list(indexing.parts_of_known(b, value) or ())


def _may_change(b: Builder, value: Known) -> bool:
    """Whether a number that a tuple, list or dict holds may be another when the call is over."""
    held = value.object
    parts = list(held.values() if type(held) is dict else held)
    types_ = [type_of_constant(part) for part in parts if not isinstance(part, bool)]
    inside = b.formula is not None  # the text of a formula is not what runs
    fixed = indexing.is_fixed(value) and not any(type_.kind == "array" for type_ in types_)
    return not inside and not fixed and any(type_.is_number for type_ in types_)


def _write_out(call: cst.Call, arg: cst.Arg, item: str, keys: Iterable[Any]) -> None:
    """Write ``f(x, *held)`` as ``f(x, held[0], held[1])``, so that what is read has a place."""
    held = text_of(arg.value)
    written = ", ".join(item.format(held=held, key=key) for key in keys)
    k = [id(a) for a in call.args].index(id(arg))
    args = [*call.args[:k], *expression(f"f({written})").args, *call.args[k + 1 :]]
    new = call.with_changes(args=[a.with_changes(comma=_COMMA) for a in args[:-1]] + args[-1:])
    raise in_place_of(call, new)


def spread_options(b: Builder, value: Value, call: cst.Call, arg: cst.Arg) -> dict[str, Value]:
    """Return the options that a dict with two stars passes to a function."""
    if is_dict(value):
        return dict(zip(value.form.names, value.items, strict=True))
    if not isinstance(value, Known) or type(value.object) is not dict:
        raise b.refuse(arg.value, "** of what is no known dict", "write the keywords out")
    rely_on(b, value)
    if twice := {a.keyword.value for a in call.args if a.keyword} & value.object.keys():
        raise b.refuse(arg, f"an option that is given twice, {min(twice)!r},", "give it once")
    names = all(isinstance(key, str) and key.isidentifier() for key in value.object)
    if names and _may_change(b, value):
        _write_out(call, arg, '{key}={held}["{key}"]', value.object)
    return {key: indexing.part_of_known(b, value, key) for key in value.object}


def _bound(callee: Value) -> Known | None:
    """The function of a method of a known object, or of one that is given."""
    found = None
    if isinstance(callee, Method) and isinstance(callee.receiver, Struct):
        found = facts.in_class(callee.receiver.form.cls, callee.name)
    elif isinstance(callee, Known) and isinstance(callee.object, types.MethodType):
        found = callee.object.__func__
    return Known(found) if isinstance(found, types.FunctionType) else None


def _is_of_user(callee: Value) -> bool:
    """Whether a function or class is called whose text is transformed."""
    if not isinstance(callee, Known):
        return isinstance(callee, Closure)
    own = isinstance(callee.object, types.FunctionType | type)
    return own and not is_of_library(callee.object)


def _places(b: Builder, callee: Value, named: set[str]) -> int | None:
    """How many arguments a function takes by position, where that is one number."""
    bound = _bound(callee)
    own = isinstance(bound or callee, Known) and isinstance(
        (bound or callee).object,
        types.FunctionType,
    )
    if not own and not isinstance(callee, Closure):
        return None
    parameters: list[Any] = parameters_of(b, bound or callee)[0][bound is not None :]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    taken = [p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD]
    taken = [p for p in taken if p.name not in named]
    return len(taken) if all(p.default is p.empty for p in taken) else None
