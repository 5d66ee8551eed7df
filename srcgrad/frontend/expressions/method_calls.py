"""Lowering of calls of methods: of arrays, lists, and objects."""

from __future__ import annotations

import numpy as np

from srcgrad.analysis.shapes import contents
from srcgrad.analysis.shapes.draws import note_size, type_of_draw
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MissingFormulaError
from srcgrad.formulas.numpy.arrays.methods import (
    METHODS,
    NONDIFFERENTIABLE_METHODS,
    REFUSED_METHODS,
    SECOND_METHODS,
)
from srcgrad.frontend.arrays.formula_calls import call_formula
from srcgrad.frontend.containers import indexing, lists, objects
from srcgrad.frontend.containers.effects import is_logger
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.mutators import write_out
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.sparse import is_sparse, type_of_method
from srcgrad.frontend.text.out_arguments import out_by_name, without_out
from srcgrad.ir.nodes import Const, Items, Method, Op, Struct, Value, Var, is_active
from srcgrad.ir.types import COMMUNICATOR, ELEMENT, GENERATOR, INTEGER, UNKNOWN
from srcgrad.library.communicators import ASKING, COUNTING
from srcgrad.registry import find_formula, is_nondifferentiable

_RECEIVER_LISTS = {"reshape", "transpose"}
_TAKING = frozenset({"pop", "popleft", "setdefault"})  # of containers, which give an element


def call_method(b: Builder, callee: Method, args, options, node) -> Value:
    """Lower a call of a method of a value."""
    receiver, name = callee.receiver, callee.name
    everything = [receiver, *args, *options.values()]
    if isinstance(receiver, Struct):
        return objects.call_method(b, receiver, name, args, options, node)
    if isinstance(receiver, Var) and receiver.type.kind == "list":
        return known_lists.call_varying(b, receiver, name, args, node)
    if isinstance(receiver, Items) and receiver.is_list and b.formula is None:
        return known_lists.call_method(b, receiver, name, args, node)
    if isinstance(receiver, Items) and receiver.is_list and any(is_active(v) for v in args):
        if name == "append":
            return lists.call_method(b, lists.promote(b, receiver, node), name, args, node)
    if b.formula is None and name in METHODS and isinstance(receiver, Var):
        given, options = out_by_name(METHODS[name], (receiver, *args), options)
        args = given[1:]
    out = options.get("out")
    if (
        b.formula is None
        and name in METHODS
        and isinstance(receiver, Var)
        and isinstance(out, Var | Items)
    ):
        rest = {n: value for n, value in options.items() if n != "out"}
        made = call_method(b, callee, args, rest, without_out(b, node, METHODS[name], 1))
        return write_out(b, out, made, node)
    if isinstance(receiver, Const) and not options:
        known = indexing.of_known_text(receiver.value, name, args)
        if known is not None:
            return known
    if not is_active(receiver) or isinstance(receiver, Const):
        number = isinstance(receiver, Var) and receiver.type.is_number
        array = isinstance(receiver, Var) and number and receiver.type.kind == "array"
        if not any(is_active(v) for v in (*args, *options.values())):
            if is_sparse(receiver):
                b.layout.impure.add(id(node))
                return b.opaque(node, everything, type_of_method(name, receiver))
            if array and name == "item" and args:
                return _item(b, receiver, args, node)
            if array and name in METHODS:
                return _array_method(b, METHODS[name], name, receiver, args, options, node)
            b.layout.impure.add(id(node))
            if type_of(receiver) == COMMUNICATOR and name.startswith(ASKING):
                return b.opaque(node, everything, INTEGER if name in COUNTING else UNKNOWN)
            if not (number or isinstance(receiver, Const) or is_logger(receiver)):
                known_lists.forget(b, *args, *options.values())
            kept_text.note_method(b, name, everything, options)
            draws = type_of(receiver).element is GENERATOR
            drawn = type_of_draw(b.context.lengths, name, tuple(args), options) if draws else None
            taken = ELEMENT if name in _TAKING else UNKNOWN
            told = drawn or contents.type_of_method(type_of(receiver).element, name, tuple(args))
            made = b.opaque(node, everything, told or taken)
            if drawn is not None:
                note_size(b.context.lengths, made, name, tuple(args), options)
            return made
        if isinstance(receiver, Const) or is_logger(receiver):
            return b.opaque(node, everything)
        if not (number and name in METHODS):
            raise objects.unknown_method(b, name, node)
    if isinstance(receiver, Items) and receiver.is_list and name in ("append", "pop"):
        return lists.call_method(b, lists.promote(b, receiver, node), name, args, node)
    if isinstance(receiver, Items):
        raise b.refuse(node, f"the method .{name} of a tuple or list", "use indexing and loops")
    if name in SECOND_METHODS and args:
        fn = SECOND_METHODS[name]
        return call_formula(b, fn, find_formula(fn), (args[0], receiver, *args[1:]), options, node)
    if name == "item" and args:
        return _item(b, receiver, args, node)
    if name in METHODS:
        return _array_method(b, METHODS[name], name, receiver, args, options, node)
    if name in NONDIFFERENTIABLE_METHODS:
        return b.opaque(node, everything, UNKNOWN)
    raise MissingFormulaError(
        f"no formula for the array method .{name}",
        spots=[b.source.spot(node)],
        why=REFUSED_METHODS.get(name, ""),
        fixes=["use the NumPy function instead"],
    )


def _item(b: Builder, receiver: Value, args: tuple[Value, ...], node) -> Value:
    """``x.item(k)`` counts through all elements, ``x.item(i, j)`` takes an index."""
    index = args[0] if len(args) == 1 else Items(args)
    if isinstance(index, Items) or type_of(receiver).ndim == 1:
        return indexing.read_item(b, receiver, index, node)
    return call_formula(b, np.take, find_formula(np.take), (receiver, index), {}, node)


def _array_method(b: Builder, fn, name, receiver, args, options, node) -> Value:
    if name in _RECEIVER_LISTS and (len(args) > 1 or (name == "reshape" and _integer(args))):
        args = (Items(tuple(args)),)
    formula = find_formula(fn)
    if formula is None or (b.formula is not None and not is_active(receiver)):
        return b.emit(
            Op(fn, "method", name),
            (receiver, *args),
            node,
            tuple(options.items()),
            active=b.formula is not None and not is_nondifferentiable(fn) and None,
        )
    b.style = ("method", name)
    try:
        return call_formula(b, fn, formula, (receiver, *args), options, node)
    finally:
        b.style = ("call", "")


def _integer(args) -> bool:
    return len(args) == 1 and (
        (isinstance(args[0], Const) and isinstance(args[0].value, int))
        or (isinstance(args[0], Var) and args[0].type.dtype == "i" and args[0].type.shape == ())
    )
