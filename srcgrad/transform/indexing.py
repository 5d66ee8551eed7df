"""Reverse rules of reading and writing parts of arrays.

The cotangent of what was read is added to that part of the array's cotangent.
What was written takes its cotangent from there, and what it replaced gets none.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.indices import is_basic, may_repeat, written_entries
from srcgrad.analysis.shapes.results import type_of
from srcgrad.expansion.expand import fold_unbroadcast
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    Const,
    Equation,
    Items,
    Slice,
    Value,
    Var,
    is_active,
)
from srcgrad.runtime import is_last_write
from srcgrad.transform.zeros import cotangent_type, zeros_like


def getitem(r: Any, eq: Equation, bars: list) -> bool:
    """``y = x[k]``: ``x_bar[k] += y_bar``; where a position may repeat, ``np.add.at``."""
    x, index = eq.args
    if not isinstance(x, Var) or x.type.kind != "array":
        return False
    if _takes_all(index):
        r.accumulate(x, bars[0], eq.origin)
        return True
    basic = is_basic(index)
    if _adds_axes(index) and bars[0] is not None:
        back = Items(tuple(Const(0) if e == Const(None) else e for e in written_entries(index)))
        piece = r.emit(operator.getitem, bars[0], back, origin=eq.origin, type_=cotangent_type(x))
        r.accumulate(x, piece, eq.origin)
        return True
    known = basic or (
        type_of(eq.targets[0]).shape is not None
        and not isinstance(type_of(eq.targets[0]).shape, str)
    )
    if not known:
        return False
    buffer = r.bars.get(x)
    if buffer is None:
        like = x if x.named else r.context.template(x)
        r.builder.fixed_origin = eq.origin
        buffer = zeros_like(r.builder, like, cotangent_type(x))
        r.claim(buffer, x)
    repeats = not basic and may_repeat(index, r.unread.made_by)
    fn = ADD_AT if repeats else INDEX_ADD
    made = r.emit(fn, buffer, index, bars[0], origin=eq.origin, type_=cotangent_type(x))
    r.claim(made, x)
    r.bars[x] = made
    return True


def _adds_axes(index: Value) -> bool:
    """Whether an index takes everything, and only adds axes of length 1."""
    entries = written_entries(index)
    whole = Slice(Const(None), Const(None), Const(None))
    return Const(None) in entries and all(e in (Const(None), Const(...), whole) for e in entries)


def _takes_all(index: Value) -> bool:
    """Whether an index is that of the whole array: ``x[...]``, and ``x[()]``."""
    empty = isinstance(index, Items) and not index.is_list and not index.items
    return empty or index in (Const(...), Const(()))


def index_add(r: Any, eq: Equation, bars: list) -> bool:
    """``x[k] += v``: ``v_bar = x_bar[k]``, and ``x_bar`` stays.

    Where a position repeats, the last write counts; by ``np.add.at`` all do.
    """
    base, index, value = eq.args
    if is_active(value):
        piece = bars[0]
        if eq.op.fn is ADD_AT:
            piece = r.emit(operator.getitem, piece, index, origin=eq.origin)
        elif not _takes_all(index):
            piece = _written(r, eq, piece, index)
        r.accumulate(value, _fit(r, piece, value, eq), eq.origin)
    r.accumulate(base, bars[0], eq.origin)
    return True


def index_set(r: Any, eq: Equation, bars: list) -> bool:
    """``x[k] = v``: ``v_bar = x_bar[k]``, then ``x_bar[k] = 0``; the last write counts."""
    base, index, value = eq.args
    if _takes_all(index):  # nothing is left of what was there
        r.accumulate(value, _fit(r, bars[0], value, eq), eq.origin)
        return True
    if type_of(base).ndim == 0:
        if not is_basic(index):  # the cotangent of the array may be a number
            what = "a write to a part of an array without dimensions"
            raise r.refuse(eq.origin, what, "assign a new value to the name")
        piece = r.emit(operator.getitem, bars[0], index, origin=eq.origin)  # all, with new axes
        r.accumulate(value, _fit(r, piece, value, eq), eq.origin)
        return True
    if is_active(value):
        piece = _written(r, eq, bars[0], index)
        if is_basic(index) and not (isinstance(piece, Var) and piece.type.kind == "scalar"):
            piece = r.emit(np.copy, piece, origin=eq.origin, type_=type_of(piece))
        r.accumulate(value, _fit(r, piece, value, eq), eq.origin)
    if is_active(base):
        rest = r.emit(
            INDEX_SET, bars[0], index, Const(0.0), origin=eq.origin, type_=cotangent_type(base)
        )
        r.accumulate(base, rest, eq.origin)
    return True


def _written(r: Any, eq: Equation, bar: Value, index: Value) -> Value:
    """Return the cotangent of what was written at an index: of two writes the last counts."""
    piece = r.emit(operator.getitem, bar, index, origin=eq.origin)
    if not may_repeat(index, r.unread.made_by):
        return piece
    last = r.emit(is_last_write, bar, index, origin=eq.origin)
    return r.emit(np.where, last, piece, Const(0.0), origin=eq.origin)


def _fit(r: Any, piece: Value, value: Value, eq: Equation) -> Value:
    if value in r.context.shaped_as:  # a view that is put back where it was taken from
        return piece
    r.builder.fixed_origin = eq.origin
    return fold_unbroadcast(r.builder, piece, value, None)
