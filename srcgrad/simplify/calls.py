"""Simplification of calls whose arguments were computed in a way that is known."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.indices import entries_of
from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import Const, Equation, Items, Op, Slice, Value, Var
from srcgrad.ir.types import INTEGER
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.matrices import cross_like
from srcgrad.simplify.algebra import NEG, Algebra
from srcgrad.simplify.numbers import number
from srcgrad.simplify.spectra import half_transform

SHAPE = Op(METADATA["shape"], "attribute", "shape")
_ALL = Slice(Const(None), Const(None), Const(None))
_PRODUCTS = (np.matmul, operator.matmul)
LINEAR: dict[Any, tuple[int, ...]] = {  # the arguments whose sign is the sign of the result
    np.sum: (0,),
    np.mean: (0,),
    np.transpose: (0,),
    np.expand_dims: (0,),
    np.diag: (0,),
    np.outer: (0, 1),
    np.matmul: (0, 1),
    np.dot: (0, 1),
    np.linalg.solve: (1,),
    operator.matmul: (0, 1),
    operator.getitem: (0,),
    unbroadcast: (0,),
}


def in_shape(s: Algebra, fn: Any, value: Value, shape: Value) -> Value | None:
    """A value that is brought into the shape that it has, or None."""
    if fn is np.broadcast_to and shape == Items(()):
        return value
    is_array = type_of(value).kind == "array" and type_of(value).ndim
    if fn is np.reshape and is_array and isinstance(shape, Var) and s.same(value, shape):
        return value
    return None


def with_axes(s: Algebra, value: Value, axis: Value) -> Value | None:
    """``x[:, 0][:, None]``, and its like, is ``x``, if that has one column."""
    part = s.computed.get(value) if isinstance(value, Var) else None
    if part is None or part.op.fn is not operator.getitem:
        return None
    array = part.args[0]
    shape = s.lengths.resolve(type_of(array).shape)
    if not isinstance(shape, tuple) or type_of(array).kind != "array":
        return None
    dropped = _axes_at(part.args[1], len(shape))
    if not dropped or dropped != _counted(_axes(axis), len(shape)):
        return None
    return array if all(shape[k] == 1 for k in dropped) else None


def simplify_call(s: Algebra, eq: Equation) -> Equation | None:
    """Return a simpler equation for the same target, or None; others may be made before it."""
    try:
        positions = LINEAR.get(eq.op.fn, ())
    except TypeError:
        return None
    if len(eq.targets) != 1:
        return None
    if getattr(eq.op.fn, "__module__", None) == "numpy.fft":
        real = s.parts(eq.args[0], operator.add)
        if real is not None and real[1] == Const(0j):  # a transform makes it complex itself
            return Equation(eq.targets, eq.op, (real[0],), eq.options, eq.origin)
    for k in positions:
        if k < len(eq.args) and s.parts(eq.args[k], NEG) is not None:
            if s.once(eq.args[k]) and s.once(eq.targets[0]):
                return _pull_sign(s, eq, k)
    if eq.op.fn is np.expand_dims:
        return _inside_scale(s, eq)
    if eq.op.fn is np.sum and eq.options:
        return _sum_of_product(s, eq) or _sum_as_product(s, eq)
    if eq.op.fn in _PRODUCTS:
        return _with_known_product(s, eq)
    if eq.op.fn is cross_like:
        return _cross(s, eq)
    if eq.op.fn is np.real and half_transform(s, eq.args[0]) is not None:
        made = s.made.pop()
        return Equation(eq.targets, made.op, made.args, made.options, eq.origin)
    if eq.op.fn is np.transpose and len(eq.args) == 1 and not eq.options:
        return _transposed_product(s, eq)
    if eq.op.fn is operator.getitem:
        entry = _item_of_slices(s, eq)
        if entry is not None:
            return entry
        return _without_kept_axes(s, eq, lambda rank: _axes_at(eq.args[1], rank))
    if eq.op.fn is np.squeeze:
        axis = dict(eq.options).get("axis")
        return _without_kept_axes(s, eq, lambda rank: _counted(_axes(axis), rank))
    if eq.op.fn is np.swapaxes and type_of(eq.args[0]).ndim == 2:
        axes = (*eq.args[1:], *(v for k, v in eq.options if k in ("axis1", "axis2")))
        if _counted(_axes(Items(axes)), 2) == {0, 1}:
            return _turned(s, eq)
    return None


def _cross(s: Algebra, eq: Equation) -> Equation | None:
    """A cross product of vectors of three entries that nothing was broadcast for."""
    z_bar, y, x = eq.args
    shapes = [s.lengths.resolve(type_of(v).shape) for v in (y, x)]
    plain = all(isinstance(shape, tuple) and shape and shape[-1] == 3 for shape in shapes)
    if not plain or eq.options or not s.same(z_bar, x):
        return None
    return Equation(eq.targets, Op(np.cross), (z_bar, y), (), eq.origin)


def _pull_sign(s: Algebra, eq: Equation, k: int) -> Equation:
    """``f(-x)`` is ``-f(x)``, which may be subtracted where it was added."""
    inner = s.parts(eq.args[k], NEG)
    assert inner is not None
    args = (*eq.args[:k], inner[0], *eq.args[k + 1 :])
    positive = Var(eq.targets[0].name, eq.targets[0].type)
    s.made.append(Equation((positive,), eq.op, args, eq.options, eq.origin, eq.payload))
    return Equation(eq.targets, Op(NEG), (positive,), (), eq.origin)


def _item_of_slices(s: Algebra, eq: Equation) -> Equation | None:
    """``x[:2][0]`` is ``x[0]``, and ``x[1:][:, :-1]`` is ``x[1:, :-1]``."""
    part, place = eq.args
    inner = s.computed.get(part) if isinstance(part, Var) else None
    if inner is None or inner.op.fn is not operator.getitem or not s.once(part):
        return None
    first, second = entries_of(inner.args[1]), entries_of(place)
    if not all(isinstance(entry, Slice) for entry in first):
        return None
    pairs: Any = list(itertools.zip_longest(first, second, fillvalue=_ALL))
    found = [_taken_twice(entry, other) for entry, other in pairs]
    entries = tuple(entry for entry in found if entry is not None)
    if len(entries) < len(pairs):
        return None
    index = entries[0] if len(entries) == 1 else Items(entries)
    return Equation(eq.targets, inner.op, (inner.args[0], index), (), eq.origin)


def _taken_twice(part: Slice, place: Value) -> Value | None:
    """What ``x[part][place]`` takes of ``x``, None where that depends on its length."""
    if place == _ALL:
        return part
    number = place.value if isinstance(place, Const) else None
    if part == _ALL:
        return place if isinstance(place, Slice) or type(number) is int else None
    start, step = (getattr(bound, "value", ...) for bound in (part.lower, part.step))
    start = 0 if start is None else start
    if type(number) is not int or number < 0 or step not in (None, 1) or type(start) is not int:
        return None
    if start < 0 and not (start == -1 and number == 0 and part.upper == Const(None)):
        return None
    return Const(start + number)


def _transposed_product(s: Algebra, eq: Equation) -> Equation | None:
    """``(a.T @ b).T`` is ``b.T @ a``, and ``np.outer(a, b).T`` is ``np.outer(b, a)``."""
    factor = s.parts(eq.args[0], operator.mul) if s.once(eq.args[0]) else None
    if factor is not None and number(factor[0]) is not None:
        turned = Var(eq.targets[0].name, eq.targets[0].type)
        inner = Equation((turned,), eq.op, factor[1:], (), eq.origin)
        s.made.append(_transposed_product(s, inner) or inner)
        return Equation(eq.targets, Op(operator.mul), (factor[0], turned), (), eq.origin)
    product = s.computed.get(eq.args[0])  # type: ignore[arg-type]
    if product is not None and product.op.fn is np.outer and not product.options:
        return Equation(eq.targets, product.op, product.args[::-1], (), eq.origin)
    if product is None or product.op.fn not in _PRODUCTS or not s.once(eq.args[0]):
        return None
    a, b = product.args
    if type_of(a).ndim != 2 or type_of(b).ndim != 2:
        return None
    if s.parts(a, np.transpose) is None and s.parts(b, np.transpose) is None:
        return None
    swapped = (s.make(np.transpose, b), s.make(np.transpose, a))
    return Equation(eq.targets, product.op, swapped, (), eq.origin)


def _inside_scale(s: Algebra, eq: Equation) -> Equation | None:
    """Add axes to an array before it is scaled by a number, or divides one."""
    (array,) = eq.args
    for fn in (operator.mul, operator.truediv):
        parts = s.parts(array, fn)
        if parts is not None and number(parts[0]) is not None and s.once(array):
            wide = Var(array.name, eq.targets[0].type)  # type: ignore[union-attr]
            s.made.append(Equation((wide,), eq.op, (parts[1],), eq.options, eq.origin))
            return Equation(eq.targets, Op(fn), (parts[0], wide), (), eq.origin)
    return None


def _with_known_product(s: Algebra, eq: Equation) -> Equation | None:
    """``a @ p.T @ h.T`` is ``a @ (h @ p).T``, where the forward part computes ``h @ p``."""
    if len(eq.args) != 2 or any(type_of(x).ndim != 2 for x in eq.args):
        return None
    for k in (0, 1):  # which factor is a product itself
        inner = next((p for p in (s.parts(eq.args[k], fn) for fn in _PRODUCTS) if p), None)
        if inner is None or not s.once(eq.args[k]) or any(type_of(x).ndim != 2 for x in inner):
            continue
        pair = (inner[1], eq.args[1]) if k == 0 else (eq.args[0], inner[0])
        known = _known_product(s, pair)
        if known is not None:
            args = (inner[0], known) if k == 0 else (known, inner[1])
            return Equation(eq.targets, eq.op, args, (), eq.origin)
    return None


def _known_product(s: Algebra, pair: tuple[Value, Value]) -> Value | None:
    """The product of two matrices that the forward part computes, or that of their transposes."""
    found = s.products.get(pair) if all(isinstance(x, Var) for x in pair) else None
    if found is not None:
        return found
    turned = [s.parts(x, np.transpose) for x in pair]
    if any(t is None or len(t) != 1 for t in turned):
        return None
    factors = turned[1][0], turned[0][0]  # type: ignore[index]
    found = s.products.get(factors) if all(isinstance(x, Var) for x in factors) else None
    return None if found is None else s.make(np.transpose, found)


def _sum_of_product(s: Algebra, eq: Equation) -> Equation | None:
    """Sum before what is the same along the summed axes is multiplied."""
    named = isinstance(eq.args[0], Var) and eq.args[0].named  # it stays under its name
    parts = s.parts(eq.args[0], operator.mul) if s.once(eq.args[0]) and not named else None
    axes, rank = axes_of(eq), type_of(eq.args[0]).ndim
    if parts is None or not axes or rank is None or type_of(eq.targets[0]).dtype not in ("f", "c"):
        return None
    for wide, other in (parts, parts[::-1]):
        own = type_of(other).ndim
        leading = axes == set(range(len(axes)))
        if own is None or (own and not (leading and own <= rank - len(axes))):
            continue
        if s.same(wide, eq.args[0]) and type_of(wide).dtype in ("f", "c"):
            total = Var(eq.targets[0].name, eq.targets[0].type)
            s.made.append(Equation((total,), eq.op, (wide,), eq.options, eq.origin))
            return Equation(eq.targets, Op(operator.mul), (total, other), (), eq.origin)
    return None


def _sum_as_product(s: Algebra, eq: Equation) -> Equation | None:
    """``(a[..., None] * b).sum(axis=(0, 1))`` is ``a.reshape(-1) @ b.reshape(-1, n)``.

    That goes through memory once, and a sum along the first axes of an array is slow.
    """
    named = isinstance(eq.args[0], Var) and eq.args[0].named
    parts = s.parts(eq.args[0], operator.mul) if s.once(eq.args[0]) and not named else None
    rank = type_of(eq.args[0]).ndim
    if parts is None or rank is None or rank < 2 or "keepdims" in dict(eq.options):
        return None
    if axes_of(eq) != set(range(rank - 1)) or any(type_of(x).dtype != "f" for x in parts):
        return None
    for wide, column in (parts, parts[::-1]):
        whole, shape = (s.lengths.resolve(type_of(x).shape) for x in (wide, column))
        if not isinstance(whole, tuple) or not isinstance(shape, tuple) or None in whole:
            continue
        if len(shape) != rank or shape != (*whole[:-1], 1):
            continue
        if not isinstance(wide, Var) or not s.lengths.at_least(whole[-1], 1):
            continue  # an array without columns has no shape (-1, 0)
        return _product_of_rows(s, eq, column, wide)
    return None


def _product_of_rows(s: Algebra, eq: Equation, column: Value, wide: Var) -> Equation:
    """The product of a column and what stands beside its entries, both of many axes."""

    def made(fn: Any, value: Value, **options: Value) -> Value:
        type_ = infer(s.lengths, fn, (value,), tuple(options.items()))
        var = Var(value.name if isinstance(value, Var) else "rows", type_.with_active(True))
        s.made.append(Equation((var,), Op(fn), (value,), tuple(options.items()), eq.origin))
        return var

    if wide.type.ndim == 2:
        row = s.make(operator.getitem, column, Items((_ALL, Const(0))))
        return Equation(eq.targets, Op(operator.matmul), (row, wide), (), eq.origin)
    shape = Var("shape", infer(s.lengths, SHAPE.fn, (wide,), ()))
    size = Var("size", INTEGER)
    s.made.append(Equation((shape,), SHAPE, (wide,), (), eq.origin))
    at = Op(operator.getitem)
    s.made.append(Equation((size,), at, (shape, Const(-1)), (), eq.origin))
    row = made(np.reshape, column, shape=Const(-1))
    rows = made(np.reshape, wide, shape=Items((Const(-1), size)))
    return Equation(eq.targets, Op(operator.matmul), (row, rows), (), eq.origin)


def _turned(s: Algebra, eq: Equation) -> Equation | None:
    """``np.swapaxes(x, -1, -2)`` of a matrix is ``x.T``."""
    new = Equation(eq.targets, Op(np.transpose), eq.args[:1], (), eq.origin, eq.payload)
    return simplify_call(s, new) or new


def _without_kept_axes(
    s: Algebra, eq: Equation, dropped: Callable[[int], set[int] | None]
) -> Equation | None:
    """``x.sum(axis=1, keepdims=True)[:, 0]`` is ``x.sum(axis=1)``."""
    array = eq.args[0]
    if not isinstance(array, Var):
        return None
    source = s.computed.get(array)
    if source is None or source.op.fn is not np.sum or not s.once(array):
        return None
    options = dict(source.options)
    axes, rank = _axes(options.get("axis")), array.type.ndim
    if options.pop("keepdims", None) != Const(True) or axes is None or rank is None:
        return None
    if _counted(axes, rank) != dropped(rank):
        return None
    return Equation(eq.targets, source.op, source.args, tuple(options.items()), eq.origin)


def _axes_at(index: Value, rank: int) -> set[int] | None:
    """The axes that an index of zeros and whole slices leaves out; None for another index."""
    entries = list(index.items) if isinstance(index, Items) else [index]
    if Const(...) in entries:
        place = entries.index(Const(...))
        entries[place : place + 1] = [_ALL] * (rank - len(entries) + 1)
    if any(entry != Const(0) and entry != _ALL for entry in entries):
        return None
    return {k for k, entry in enumerate(entries) if entry == Const(0)}


def _counted(axes: set[int] | None, rank: int) -> set[int] | None:
    """Axes counted from the first one."""
    return None if axes is None else {axis % rank for axis in axes}


def axes_of(eq: Equation) -> set[int] | None:
    """The axes along which an equation sums, counted from the first one; None if unknown."""
    options, rank = dict(eq.options), type_of(eq.args[0]).ndim
    if rank is None or not options.keys() <= {"axis", "keepdims"}:
        return None
    if options.get("axis", Const(None)) == Const(None):
        return set(range(rank))
    return _counted(_axes(options["axis"]), rank)


def new_axes(eq: Equation, rank: int) -> set[int] | None:
    """The axes that ``np.expand_dims``, or an index that does nothing else, adds to an array."""
    if eq.op.fn is np.expand_dims:
        return _counted(_axes(dict(eq.options).get("axis")), rank)
    entries = eq.args[1].items if isinstance(eq.args[1], Items) else ()
    if any(entry not in (_ALL, Const(None)) for entry in entries):
        return None
    return {k for k, entry in enumerate(entries) if entry == Const(None)}


def _axes(axis: Value | None) -> set[int] | None:
    parts = axis.items if isinstance(axis, Items) else (axis,)
    numbers = [p.value for p in parts if isinstance(p, Const) and type(p.value) is int]
    return set(numbers) if len(numbers) == len(parts) else None
