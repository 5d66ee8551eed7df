"""Lowering of subscripts: what an index is, and what reading with it gives."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Callable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.constants import type_of, type_of_constant
from srcgrad.analysis.shapes.contents import element_type
from srcgrad.analysis.shapes.joins import common_type
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.models import note_part
from srcgrad.analysis.shapes.subscripts import index_shape, type_of_item
from srcgrad.frontend.containers.effects import forget, shows
from srcgrad.frontend.containers.lists import promote
from srcgrad.frontend.containers.overloading import lower_item
from srcgrad.frontend.containers.structures import any_objects, key_of, read_part, sequence
from srcgrad.frontend.state import kept_text, recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import holds_function
from srcgrad.frontend.state.outer_names import (
    any_number,
    entry_type,
    found_outside,
    has_words,
    in_code,
    keeps_items,
    rely_on,
    type_held,
)
from srcgrad.frontend.state.recursion import slice_of_list
from srcgrad.frontend.state.sparse import is_sparse
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.forms import is_spelled
from srcgrad.ir.nodes import (
    LIST_ITEM,
    LIST_REVERSED,
    Const,
    Items,
    Known,
    Op,
    Slice,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.structures import holds_complex, is_object
from srcgrad.ir.types import ELEMENT, INTEGER, Type
from srcgrad.program import facts

Lower = Callable[[Builder, Any], Value]
NONE = Const(None)
_TABLES = (list, tuple, dict)


def lower_index(b: Builder, nodes: Any, lower: Lower) -> Value:
    """Lower what stands between the brackets of a subscript."""
    items: list[Value] = []
    several = len(nodes) > 1 or isinstance(nodes[-1].comma, cst.Comma)
    for element in nodes:
        item = _index_item(b, element.slice, lower)
        if not isinstance(element.slice, cst.Index) or not element.slice.star:
            items.append(item)
            continue
        parts, several = sequence(item), True
        if parts is None:
            raise b.refuse(element, "a star in an index, before this value", "write its parts")
        items += parts
    return Items(tuple(items)) if several else items[0]


def _index_item(b: Builder, node: Any, lower: Lower) -> Value:
    if isinstance(node, cst.Index):
        value = lower(b, node.value)
        if is_active(value):
            raise b.refuse(node.value, "an active value as an index", "round it to an integer")
        return value
    parts = [NONE if p is None else lower(b, p) for p in (node.lower, node.upper, node.step)]
    if any(is_active(part) for part in parts):
        raise b.refuse(node, "an active value as the bound of a slice", "round it to an integer")
    return Slice(*parts)


def of_known_text(text: Any, name: str, args: tuple[Value, ...]) -> Const | None:
    """Return what a method of a known string gives, if it is text, a number or a truth value."""
    given = [arg.value for arg in args if isinstance(arg, Const)]
    if not isinstance(text, str) or len(given) < len(args):
        return None
    try:
        found = getattr(text, name)(*given)
    except (
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):  # it is the program's own, which is raised when the call runs
        return None
    return Const(found) if type(found) in (str, int, bool) else None


@recursion.read_item.define
def read_item(b: Builder, value: Value, index: Value, node: Any) -> Value:
    """Lower ``value[index]``."""
    if isinstance(index, Const) and has_words(b, value, index.value):
        value = in_code(b, value)
    if isinstance(value, Items):
        return _read_items(b, value, index, node)
    if isinstance(value, Struct):
        made = lower_item(b, value, index, node) if isinstance(node, cst.Subscript) else None
        return read_part(b, value, index, node) if made is None else made
    if isinstance(index, Const) and isinstance(index.value, str) and is_active(value):
        raise b.refuse(
            node,
            "reading a key of a value of which it is not known that it is a dict",
            "call the derivative once with a dict, and ask for its source then",
        )
    if not isinstance(value, Var):
        if isinstance(value, Const):
            return of_known_text(value.value, "__getitem__", (index,)) or b.opaque(node, [index])
        if isinstance(value, Known) and isinstance(index, Var) and _holds_callables(value.object):
            number = needed_number(b, index)
            index = index if number is None else Const(number)
        key = key_of(index) if isinstance(value, Known) else NotImplemented
        member = index.object if isinstance(index, Known) else None
        member = b.members.get(index) if isinstance(index, Var) else member
        key = member if isinstance(member, enum.Enum) else key
        if isinstance(value, Known) and key is not NotImplemented and b.formula is None:
            part = _of_known(b, value, key)
            if part is not None:
                return part
            known = entry_type(b, value, key)
            if known is None and "[" in value.name and keeps_items(b):
                held = type_held(b, value.object, key, _entry(value, key))
                known = held if held.is_number and is_spelled(key) else None
                if known is not None:
                    facts.entry(value.object, key)
            if known is not None:
                return b.opaque(node, [index], known)
        made = _built(b.context.lengths, value, index) if isinstance(value, Known) else None
        if made is not None:
            return b.opaque(node, [index], made)
        if isinstance(value, Known) and b.formula is None:
            own = facts.in_class(facts.class_of(value.object), "__getitem__")
            if isinstance(own, types.FunctionType) and shows(b, own):
                b.layout.impure.add(id(node))
            if isinstance(own, types.FunctionType) and kept_text.text_writes(b, own):
                recursion.may_write_outside(b)
        if isinstance(index, Var) and (type_ := found_outside(b, value, index)) is not None:
            return b.opaque(node, [index], type_)
        dtype = "c" if isinstance(value, Known) and holds_complex(value.object) else "?"
        return b.opaque(node, [index], Type("numeric", None, dtype))
    type_ = value.type
    if type_.kind == "list":
        return _read_list(b, value, index, node)
    if type_.kind == "shape":
        if isinstance(index, Const) and isinstance(index.value, int):
            made = b.emit(Op(operator.getitem), (value, index), node, type_=INTEGER, active=False)
            if type_.ndim and -type_.ndim <= index.value < type_.ndim:
                b.context.lengths.values[made] = type_.shape[index.value]  # type: ignore[index]
            return made
        if isinstance(index, Slice) and isinstance(type_.shape, tuple):
            bounds = [getattr(p, "value", ...) for p in (index.lower, index.upper, index.step)]
            if ... not in bounds:
                part = Type("shape", type_.shape[slice(*bounds)])
                return b.emit(Op(operator.getitem), (value, index), node, type_=part, active=False)
        return b.opaque(node, [value, index])
    if not type_.is_number:
        if type_.active:
            raise b.refuse(node, "reading a part of this active value", "keep it in an array")
        part = b.opaque(node, [value, index], element_type(type_.element, index))
        note_part(b.context.lengths, part, value, index)
        return part
    shape = index_shape(type_.shape, index, b.context.lengths)
    if is_sparse(value) and shape is not None and len(shape) != type_.ndim:
        shape = (
            None if shape else shape
        )  # a row of a matrix may be a matrix, other than of an array
    result = type_of_item(type_, index, shape, b.context.lengths)
    result = ELEMENT if type_ == ELEMENT else result
    return b.emit(Op(operator.getitem), (value, index), node, type_=result)


def _built(lengths: Lengths, builder: Known, index: Value) -> Type | None:
    """The type of the array that NumPy builds of an index; None for what is no such builder."""
    if builder.object is np.mgrid:
        return _grid(lengths, index)
    if builder.object is not np.r_ and builder.object is not np.c_:
        return None
    parts = index.items if isinstance(index, Items) else (index,)
    bounds = [b for p in parts if isinstance(p, Slice) for b in (p.lower, p.upper, p.step)]
    types = [type_of(v) for v in (*bounds, *parts) if v != NONE and not isinstance(v, Slice)]
    if not all(t.is_number and t.ndim in (0, 1) for t in types):
        return None
    rank = 1 if builder.object is np.r_ else 2
    kinds = {t.dtype for t in types}
    return Type("array", (None,) * rank, "c" if "c" in kinds else "i" if kinds == {"i"} else "?")


def _grid(lengths: Lengths, index: Value) -> Type:
    """The type of ``np.mgrid[0:n, 0:m]``."""
    axes = index.items if isinstance(index, Items) else (index,)
    ends = [end for axis in axes if isinstance(axis, Slice) for end in (axis.lower, axis.upper)]
    if len(ends) != 2 * len(axes) or any(axis.step != NONE for axis in axes):  # type: ignore
        return Type("numeric", None, "?")
    whole = [0 if end == NONE else lengths.whole(end) for end in ends]
    dims = [lengths.total([(b, 1), (a, -1)]) for a, b in zip(whole[::2], whole[1::2], strict=True)]
    shape = (len(dims), *dims) if isinstance(index, Items) else tuple(dims)
    return Type("array", shape, "?" if None in whole else "i")


def needed_number(b: Builder, value: Value) -> int | None:
    """Return a whole number that goes into the code, and rely on it; None if nothing tells it."""
    number = b.context.lengths.number(value)
    if number is None and b.context.demands.may_ask(What.OPTIONS):
        raise Specialise(What.OPTIONS)  # numbers from outside are known then
    return number


def _holds_callables(table: Any) -> bool:
    """Whether a list or tuple from outside holds functions, or rows in which some may be."""
    return type(table) in (list, tuple) and any(callable(p) or type(p) in _TABLES for p in table)


def _entry(value: Known, key: Any) -> Any:
    """What a list, tuple or dict holds under a key; None where there is nothing."""
    if type(value.object) not in _TABLES:
        return None
    try:
        return value.object[key]
    except (IndexError, KeyError, TypeError):
        return None


def _of_known(b: Builder, value: Known, key: Any) -> Value | None:
    """What a global list, tuple or dict holds, unless that is a number or an array."""
    part = _entry(value, key)
    if part is None:
        return None
    nested = "[" in value.name  # what it holds is relied on already
    plain = isinstance(part, str | bool) or (nested and type(part) is int)
    if not plain and not callable(part) and not is_object(part) and type(part) not in _TABLES:
        return None
    rely_on(b, value)
    name = f"{value.name}[{key!r}]" if is_spelled(key) else ""
    return Const(part) if plain else Known(part, name)


def part_of_known(b: Builder, value: Known, key: Any) -> Value:
    """Return what a global list, tuple or dict, which is relied on, holds under a key."""
    found = _of_known(b, value, key)
    if found is not None:
        return found
    if value.object[key] is None or (type(value.object[key]) is int and not is_fixed(value)):
        return Const(value.object[key])
    type_ = type_of_constant(value.object[key])
    if not type_.is_number:
        return Known(value.object[key], f"{value.name}[{key!r}]")
    if not is_fixed(value):
        kept = keeps_items(b)
        return b.opaque(None, [value], type_ if kept else any_number(type_))
    return b.emit(Op(operator.getitem), (value, Const(key)), None, type_=type_, active=False)


def entries_of_known(b: Builder, value: Value) -> dict[Any, Value] | None:
    """Return what a global dict with plain keys holds, which is relied on; None for others."""
    if not isinstance(value, Known) or type(value.object) is not dict:
        return None
    if not all(isinstance(key, str) or type(key) is int for key in value.object):
        return None
    rely_on(b, value)
    return {key: part_of_known(b, value, key) for key in value.object}


def is_fixed(value: Known) -> bool:
    """Tell whether something from outside holds the same as long as a name stands for it."""
    return type(value.object) is tuple and "[" not in value.name


def parts_of_known(b: Builder, value: Value) -> tuple[Value, ...] | None:
    """Return what a global list or tuple holds, which is relied on; None for anything else."""
    if not isinstance(value, Known) or type(value.object) not in (list, tuple):
        return None
    rely_on(b, value)
    return tuple(part_of_known(b, value, k) for k in range(len(value.object)))


def _read_items(b: Builder, value: Items, index: Value, node: Any) -> Value:
    known = b.context.lengths.index(index)
    index = index if known is None else Const(known)
    if isinstance(index, Const) and isinstance(index.value, int):
        if -len(value.items) <= index.value < len(value.items):
            return value.items[index.value]
        raise b.refuse(node, "an index outside of the tuple", "check the index")
    if isinstance(index, Slice):
        bounds = [getattr(p, "value", ...) for p in (index.lower, index.upper, index.step)]
        if ... not in bounds:
            token = object() if value.is_list else None
            return Items(value.items[slice(*bounds)], value.is_list, token)
    if holds_function(value):
        number = needed_number(b, index)
        if number is not None:
            return _read_items(b, value, Const(number), node)
        raise b.refuse(
            node, "taking a function at a place that is not known", "go through them in a loop"
        )
    if is_active(value):
        return _read_list(b, promote(b, value, node), index, node)
    if any(map(any_objects, value.items)):  # what is read may be written into
        forget(b, *value.items)
    known = isinstance(index, Var) and index.type.kind == "scalar"
    type_ = common_type(value.items) if known else ELEMENT
    return b.one_of(node, value, index, type_)


def _read_list(b: Builder, value: Var, index: Value, node: Any) -> Value:
    if isinstance(index, Slice):
        if index == Slice(NONE, NONE, Const(-1)):
            return b.emit(Op(LIST_REVERSED), (value,), node, type_=value.type)
        raise slice_of_list(b, node)
    if value.type.element is None:
        error = b.refuse(node, "reading an empty list", "append to it first")
        error.later = ""
        raise error
    return b.emit(Op(LIST_ITEM), (value, index), node, type_=value.type.element)
