"""What operations on tangents become when the first axis of each tangent is for the directions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.indices import index_kind, written_entries
from srcgrad.analysis.shapes.results import infer, is_elementwise, type_of
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    Const,
    Equation,
    Items,
    Op,
    Slice,
    Value,
    Var,
    variables,
)
from srcgrad.ir.types import Type

ALL = Slice(Const(None), Const(None), Const(None))
_NEW = Const(None)


class Unknown(Exception):
    """There is no rule for an operation, which the text of the exception names."""


def spread(d: Any, value: Value, rank: int, eq: Equation) -> Value:
    """Return an operand as it is broadcast to a result of a rank: behind the directions."""
    if not isinstance(value, Var) or value not in d.moved:
        if len(d.shape(value)) > rank:
            raise Unknown("an operand with more axes than the result")
        return value
    moved, own = d.moved[value], d.shape(value)
    if len(own) > rank:
        raise Unknown("an operand with more axes than the result")
    if len(own) == rank:
        return moved
    more = rank - len(own)
    index = Items((ALL, *[_NEW] * more))
    return d.emit(operator.getitem, (moved, index), d.type_of_moved((*[1] * more, *own)), eq)


def elementwise(d: Any, eq: Equation) -> None:
    """Operators, and functions that work element by element."""
    if not is_elementwise(eq.op.fn) or eq.options:
        raise Unknown(f"{getattr(eq.op.fn, '__name__', eq.op.fn)}")
    _broadcast(d, eq)


def _broadcast(d: Any, eq: Equation) -> None:
    shape = d.shape(eq.targets[0])
    args = tuple(spread(d, arg, len(shape), eq) for arg in eq.args)
    d.emit(eq.op, args, d.type_of_moved(shape), eq)


def _where(d: Any, eq: Equation) -> None:
    if eq.options or len(eq.args) != 3:
        raise Unknown("where")
    _broadcast(d, eq)


def _same(d: Any, eq: Equation) -> None:
    """What is done to each number, whatever the shape."""
    _given(eq)
    _call(d, eq, _moved(d, eq), ())


def _moved(d: Any, eq: Equation) -> Any:
    """The first operand, where it is the only one that is a tangent."""
    first, *rest = eq.args
    others = [v for value in (*rest, *(v for _, v in eq.options)) for v in variables(value)]
    if not isinstance(first, Var) or first not in d.moved or any(v in d.moved for v in others):
        raise Unknown(f"{getattr(eq.op.fn, '__name__', eq.op.fn)}")
    return d.moved[first]


def _given(eq: Equation, *names: str) -> dict[str, Value]:
    """The parameters behind the first one that a call has, by name; no other may have any."""
    given = dict(zip(names, eq.args[1:], strict=False))
    options = dict(eq.options)
    if len(eq.args) - 1 > len(names) or options.keys() - {*names} or options.keys() & given.keys():
        raise Unknown(f"{eq.op.fn.__name__} with options")
    return given | options


def _call(d: Any, eq: Equation, value: Value, names: tuple[str, ...], **new: Value) -> None:
    """Emit a call with other parameters, each of them passed as it was."""
    args = [value]
    for name, arg in zip(names, eq.args[1:], strict=False):
        args.append(new.pop(name, arg))
    options = {name: new.pop(name, v) for name, v in eq.options} | new
    d.emit(eq.op, tuple(args), d.type_of_moved(d.shape(eq.targets[0])), eq, **options)


# indices


def inner_index(index: Value) -> Items:
    """The index behind the axis of the directions."""
    entries = written_entries(index)
    kinds = [index_kind(entry)[0] for entry in entries]
    if "unknown" in kinds:
        raise Unknown("an index of an unknown kind")
    if "gather" in kinds or "mask" in kinds:  # if slices part them, their axes come first
        places = [k for k, kind in enumerate(kinds) if kind != "slice"]
        parted = places[-1] - places[0] >= len(places)
        if parted or "new" in kinds or "ellipsis" in kinds:
            raise Unknown("an index with arrays in several places")
    return Items((ALL, *entries))


def _item(d: Any, eq: Equation) -> None:
    shape = d.shape(eq.targets[0])
    d.emit(eq.op, (_moved(d, eq), inner_index(eq.args[1])), d.type_of_moved(shape), eq)


def rank_at(d: Any, base: Value, index: Value) -> int:
    """Return how many axes a part of an array has."""
    return len(d.shape(Var("item", infer(d.lengths, operator.getitem, (base, index), ()))))


def _store(d: Any, eq: Equation) -> None:
    base, index, value = eq.args
    if not isinstance(base, Var):
        raise Unknown("a write into what is no tangent")
    moved = d.filled(base, eq.targets[0], eq)
    given = spread(d, value, rank_at(d, base, index), eq)
    args = (moved, inner_index(index), given)
    made = d.emit(eq.op, args, d.type_of_moved(d.shape(base)), eq)
    d.block[-1] = Equation((made,), eq.op, args, (), eq.origin, eq.payload)


# products


def _matmul(d: Any, eq: Equation) -> None:
    a, b = eq.args
    left = isinstance(a, Var) and a in d.moved
    if (isinstance(b, Var) and b in d.moved) == left or eq.options:
        raise Unknown("a product of tangents")
    p, q = len(d.shape(a)), len(d.shape(b))
    if not (1 <= p <= 2 and 1 <= q <= 2):
        raise Unknown("a product of stacks of matrices")
    type_ = d.type_of_moved(d.shape(eq.targets[0]))
    if left:
        args = (d.moved[a], b)
    elif q == 2:
        args = (a, d.moved[b])
    else:
        if p == 2:
            turned = Type("array", d.shape(a)[::-1], type_of(a).dtype)
            a = d.emit(np.transpose, (a,), turned, eq)
        args = (d.moved[b], a)
    d.emit(operator.matmul, args, type_, eq)


def _outer(d: Any, eq: Equation) -> None:
    a, b = eq.args
    if any(len(d.shape(v)) != 1 for v in eq.args) or eq.options:
        raise Unknown("an outer product of other than vectors")
    shape = d.shape(eq.targets[0])
    if isinstance(a, Var) and a in d.moved:
        index = Items((ALL, ALL, _NEW))
        a = d.emit(operator.getitem, (d.moved[a], index), d.type_of_moved((shape[0], 1)), eq)
        if isinstance(b, Var) and b in d.moved:
            raise Unknown("a product of tangents")
    else:
        index = Items((ALL, _NEW))
        b = d.emit(operator.getitem, (d.moved[b], index), d.type_of_moved((1, shape[1])), eq)
        column = Type("array", (shape[0], 1), type_of(a).dtype)
        a = d.emit(operator.getitem, (a, Items((ALL, _NEW))), column, eq)
    d.emit(operator.mul, (a, b), d.type_of_moved(shape), eq)


# axes


def _shifted(axis: Value, rank: int) -> Value:
    """An axis, or several, counted behind that of the directions."""
    value: Any = axis.value if isinstance(axis, Const) else ()
    if isinstance(axis, Items):
        value = tuple(v.value if isinstance(v, Const) else None for v in axis.items)
    if type(value) is int:
        return Const(value + 1 if value >= 0 else value)
    if isinstance(value, tuple) and value and all(type(k) is int for k in value):
        return Const(tuple(k + 1 if k >= 0 else k for k in value))
    if value is None and axis == Const(None):
        return Const(tuple(range(1, rank + 1)) if rank > 1 else 1)
    raise Unknown("an axis that is not known")


def _reduced(d: Any, eq: Equation) -> None:
    """Sums and means."""
    value, rank = _moved(d, eq), len(d.shape(eq.args[0]))
    given = _given(eq, "axis", "dtype", "out", "keepdims")
    if given.keys() & {"dtype", "out"} or len(eq.args) > 2:
        raise Unknown("a sum with options")
    if rank == 0:
        d.emit(operator.pos, (value,), d.type_of_moved(d.shape(eq.targets[0])), eq)
        return
    axis = _shifted(given.get("axis", Const(None)), rank)
    _call(d, eq, value, ("axis",), axis=axis)


def _differences(d: Any, eq: Equation) -> None:
    """Differences along an axis, which is the last one where none is given."""
    value, names = _moved(d, eq), ("n", "axis")
    given = _given(eq, *names)
    if "axis" in given:
        _call(d, eq, value, names, axis=_shifted(given["axis"], 1))
    else:
        _call(d, eq, value, names)


def _along(d: Any, eq: Equation, names: tuple[str, ...] = ("axis",)) -> None:
    """What works along an axis, and on all numbers in a row where none is given."""
    value, rank = _moved(d, eq), len(d.shape(eq.args[0]))
    axis = _given(eq, *names).get("axis", Const(None))
    if axis == Const(None) and rank != 1:
        raise Unknown(f"{eq.op.fn.__name__} without an axis")
    _call(d, eq, value, names, axis=Const(1) if axis == Const(None) else _shifted(axis, rank))


def _transpose(d: Any, eq: Equation) -> None:
    value = _moved(d, eq)
    rank, type_ = len(d.shape(eq.args[0])), d.type_of_moved(d.shape(eq.targets[0]))
    axes = _given(eq, "axes").get("axes", Const(None))
    if axes == Const(None):
        order: Any = tuple(range(rank))[::-1]
    else:
        order = axes.value if isinstance(axes, Const) else ()
        if isinstance(axes, Items):
            order = tuple(v.value if isinstance(v, Const) else None for v in axes.items)
        if len(order) != rank or not all(type(k) is int for k in order):
            raise Unknown("an order of axes that is not known")
        order = tuple(k % rank for k in order)
    if rank < 2:
        d.emit(operator.pos, (value,), type_, eq)
    elif rank == 2 and order == (1, 0):
        d.emit(np.swapaxes, (value,), type_, eq, axis1=Const(1), axis2=Const(2))
    else:
        axes = Const((0, *(k + 1 for k in order)))
        d.emit(np.transpose, (value,), type_, eq, axes=axes)


def _two_axes(d: Any, eq: Equation, names: tuple[str, ...] = ("axis1", "axis2")) -> None:
    value, given = _moved(d, eq), _given(eq, *names)
    if len(given) != 2 or Const(None) in given.values():
        raise Unknown(f"{eq.op.fn.__name__} with options")
    _call(d, eq, value, names, **{name: _shifted(axis, 2) for name, axis in given.items()})


def _new_axes(d: Any, eq: Equation) -> None:
    """Axes of length 1 that are added, or left out."""
    value, axis = _moved(d, eq), _given(eq, "axis").get("axis", Const(None))
    if axis == Const(None):
        raise Unknown(f"{eq.op.fn.__name__} without an axis")
    _call(d, eq, value, ("axis",), axis=_shifted(axis, 1))


def _reshaped(d: Any, eq: Equation) -> None:
    value, given = _moved(d, eq), _given(eq, "shape", "order")
    if given.get("order", Const("C")) != Const("C") or "shape" not in given:
        raise Unknown("reshape with options")
    _in_shape(d, eq, value, given["shape"])


def _raveled(d: Any, eq: Equation) -> None:
    value, given = _moved(d, eq), _given(eq, "order")
    if given.get("order", Const("C")) != Const("C"):
        raise Unknown("ravel with options")
    _in_shape(d, eq, value, Const(-1))


def _in_shape(d: Any, eq: Equation, value: Value, shape: Value) -> None:
    """Emit a tangent in another shape."""
    entries: list[Value]
    if isinstance(shape, Const) and type(shape.value) is int:
        entries = [shape]
    elif isinstance(shape, Const) and isinstance(shape.value, tuple):
        entries = [Const(n) for n in shape.value]
    elif isinstance(shape, Items):
        entries = list(shape.items)
    elif isinstance(shape, Var) and shape.type.is_scalar:
        entries = [shape]
    elif isinstance(shape, Var) and shape.type.kind == "shape":
        rank = len(d.shape(eq.targets[0]))
        entries = [
            d.emit(operator.getitem, (shape, Const(k)), Type("scalar", (), "i"), eq)
            for k in range(rank)
        ]
    else:
        raise Unknown("a shape that is not known")
    whole = Items((d.size(eq), *entries))
    d.emit(np.reshape, (value,), d.type_of_moved(d.shape(eq.targets[0])), eq, shape=whole)


# what puts arrays together


def _parts(d: Any, eq: Equation) -> tuple[Value, ...]:
    rows = eq.args[0]
    if not isinstance(rows, Items):
        raise Unknown("a list of tangents")
    return tuple(d.part(row, eq) for row in rows.items)


def _stack(d: Any, eq: Equation) -> None:
    axis = _shifted(_given(eq, "axis").get("axis", Const(0)), 1)
    type_ = d.type_of_moved(d.shape(eq.targets[0]))
    op = Op(np.stack)  # not one of those that stand for a display of numbers
    d.emit(op, (Items(_parts(d, eq)),), type_, eq, axis=axis)


def _concatenate(d: Any, eq: Equation) -> None:
    given = _given(eq, "axis").get("axis", Const(0))
    if given == Const(None):
        raise Unknown("arrays joined in a row")
    axis = _shifted(given, 1)
    _call(d, eq, Items(_parts(d, eq)), ("axis",), axis=axis)


RULES: dict[Any, Callable[[Any, Equation], None]] = {
    np.where: _where,
    np.copy: _same,
    np.real: _same,
    operator.getitem: _item,
    INDEX_ADD: _store,
    INDEX_SET: _store,
    ADD_AT: _store,
    operator.matmul: _matmul,
    np.matmul: _matmul,
    np.dot: _matmul,
    np.outer: _outer,
    np.sum: _reduced,
    np.mean: _reduced,
    np.diff: _differences,
    np.cumsum: _along,
    np.flip: _along,
    np.roll: functools.partial(_along, names=("shift", "axis")),
    np.transpose: _transpose,
    np.swapaxes: _two_axes,
    np.moveaxis: functools.partial(_two_axes, names=("source", "destination")),
    np.expand_dims: _new_axes,
    np.squeeze: _new_axes,
    np.reshape: _reshaped,
    np.ravel: _raveled,
    np.stack: _stack,
    np.concatenate: _concatenate,
}
