"""Entries of arrays that nothing reads, where the slope of a function is infinite.

The cotangent of an entry that no path reads is zero, whatever its slope: that of
``np.sqrt(x)`` at 0 in ``np.where(x > 0, np.sqrt(x), 0.0)`` for example. Zero times an
infinite slope would be ``nan``. So the backward part of such a function computes with
another number there, as a careful author does: ``np.where((x > 0) | (z > 0), z, 1.0)``.
What is read is told by what chooses it, and not by its cotangent: that of ``np.sqrt(x)``
in ``np.sqrt(x)[1:] ** 2`` is 0 where ``x`` is, and the slope is 1 there. Where the value is
infinite as well, or what is read stands in another block, a cotangent that is not 0 tells.
Entries whose cotangent is zero by chance keep theirs, if it is a regular one: second
derivatives need it.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import is_elementwise
from srcgrad.frontend.containers.lists import leaves
from srcgrad.ir.blocks import carried_of, inner_blocks, merges_of, statements
from srcgrad.ir.nodes import (
    INDEX_SET,
    Block,
    Const,
    Equation,
    Function,
    Items,
    Slice,
    Value,
    Var,
    equations,
    is_active,
    variables,
)

# Functions with infinite slopes, and a number at which the slope is finite
_STEEP: dict[Any, float] = {
    **dict.fromkeys((operator.pow, np.power, np.float_power, np.sqrt, np.cbrt), 1.0),
    np.arcsin: 0.0,
    np.arccos: 0.0,
    np.arccosh: 2.0,
}
# Functions with infinite values, and a number at which slope and value are finite
_INFINITE: dict[Any, float] = {
    **dict.fromkeys((operator.truediv, np.divide, np.reciprocal), 1.0),
    **dict.fromkeys((np.log, np.log2, np.log10, np.log1p), 1.0),
    **dict.fromkeys((np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.arctanh), 0.0),
}
_DIVIDING = (operator.truediv, np.divide)
_POWERS = (operator.pow, np.power, np.float_power)
_PRODUCTS = (operator.mul, np.multiply)
_REGULAR = {**_STEEP, **_INFINITE, **dict.fromkeys(_PRODUCTS, 1.0)}
# Where an operand is regular: of its size or of itself, how it compares with a number
_REGULAR_WHERE: dict[Any, tuple[bool, Any, float]] = {
    **dict.fromkeys((*_DIVIDING, *_POWERS, np.reciprocal), (False, operator.ne, 0)),
    **dict.fromkeys((np.log, np.log2, np.log10), (False, operator.ne, 0)),
    np.log1p: (False, operator.ne, -1),
    **dict.fromkeys((np.arcsin, np.arccos, np.arctanh), (True, operator.lt, 1)),
    np.arccosh: (False, operator.gt, 1),
}
_WHOLE = (Slice(Const(None), Const(None), Const(None)), Const(None), Const(...))  # all entries
_CHOOSING = (np.where, np.select, np.choose, np.extract, np.compress)
_TRIANGLES = (np.triu, np.tril)


class Unread:
    """What is read of the arrays of a function.

    Args:
        function: the function.
    """

    def __init__(self, function: Function) -> None:
        self.uses: dict[Var, list[Equation]] = {}
        self.whole = {v for leaf in leaves(function.result) for v in variables(leaf)}
        for eq in equations(function.body):
            for value in (*eq.args, *(v for _, v in eq.options)):
                for var in variables(value):
                    self.uses.setdefault(var, []).append(eq)
        self._regions(function.body)
        self.home: dict[Equation, int] = {}
        self._note_homes(function.body)
        self.infinite: set[Value] = set()
        for eq in equations(function.body):
            self._note_infinite(eq)
        self.known: dict[tuple[Var, bool], bool] = {}

    def _regions(self, block: Block) -> None:
        """Note what branches and iterations hand on: all of it may be read."""
        for statement in statements(block):
            handed = [v for m in merges_of(statement) for v in (m.then, m.orelse)]
            handed += [v for c in carried_of(statement) for v in (c.init, c.next)]
            self.whole.update(var for value in handed for var in variables(value))

    def _note_homes(self, block: Block) -> None:
        """Note in which block each equation stands."""
        for statement in block:
            if isinstance(statement, Equation):
                self.home[statement] = id(block)
            for inner in () if isinstance(statement, Equation) else inner_blocks(statement):
                self._note_homes(inner)

    def read(self, pass_: Any, eq: Equation, var: Var) -> Value | None:
        """Emit what tells which entries of an array are read; None where nothing can.

        Args:
            pass_: the pass that emits.
            eq: the equation whose backward part needs to know.
            var: its result, or what is computed from that, element by element.
        """
        uses = [use for use in self.uses.get(var, ()) if any(t.type.active for t in use.targets)]
        found: Value | None = None
        for use in uses:
            if self.home.get(use) != self.home.get(eq):
                return None
            part = self._read_by(pass_, eq, use, var)
            if part is None:
                return None
            if found is not None:
                part = pass_.emit(operator.or_, found, part, origin=eq.origin)
            found = part
        return found

    def _read_by(self, pass_: Any, eq: Equation, use: Equation, var: Var) -> Value | None:
        """Emit which entries of an array an equation reads."""
        fn, args = use.op.fn, use.args
        alike = pass_.context.lengths.alike
        if fn is operator.getitem:
            return self._read_at(pass_, eq, args[1], var, True)
        if fn is INDEX_SET:
            rest = self._read_at(pass_, eq, args[1], var, False)
            if not self.in_part(use.targets[0], False):
                return rest
            later = self.read(pass_, eq, use.targets[0])
            return later and pass_.emit(operator.and_, rest, later, origin=eq.origin)
        if fn is np.where:
            if not alike(args[0], var) or args[1] is args[2]:
                return None
            if args[1] is var:
                return args[0]
            return pass_.emit(np.logical_not, args[0], origin=eq.origin)
        if _is_one_of(fn, _TRIANGLES):
            return self._read_in_triangle(pass_, eq, use)
        if not is_elementwise(fn) or not all(alike(t, var) for t in use.targets):
            return None
        return self.read(pass_, eq, use.targets[0])

    def _read_at(self, pass_: Any, eq: Equation, index: Value, var: Var, inside: bool) -> Value:
        """Emit which entries stand at an index, or elsewhere."""
        origin = eq.origin
        if isinstance(index, Var) and index.type.dtype == "b" and _is_of_all_axes(index, var):
            return index if inside else pass_.emit(np.logical_not, index, origin=origin)
        dtype = replace(var.type, active=False)
        whole = pass_.emit(np.full_like, var, Const(float(not inside)), origin=origin, type_=dtype)
        if isinstance(whole, Var):
            whole.name = "read"
        marked = pass_.emit(
            INDEX_SET, whole, index, Const(float(inside)), origin=origin, type_=dtype
        )
        return pass_.emit(operator.ne, marked, Const(0), origin=origin)

    def _read_in_triangle(self, pass_: Any, eq: Equation, use: Equation) -> Value:
        """Emit which entries stand in the triangle that an equation reads."""
        alike, origin = eq.targets[0], eq.origin
        dtype = replace(alike.type, active=False)
        whole = pass_.emit(np.ones_like, alike, origin=origin, type_=dtype)
        place = dict(use.options)
        marked = pass_.emit(use.op.fn, whole, origin=origin, type_=dtype, **place)
        return pass_.emit(operator.ne, marked, Const(0), origin=origin)

    def in_part(self, var: Var, chosen: bool) -> bool:
        """Whether each use of an array reads, or may read, some of its entries only.

        Args:
            var: the array.
            chosen: whether only entries count that are chosen by values, as ``np.where``
                and masks choose them, and not those of slices and other places.
        """
        key = (var, chosen)
        if key not in self.known:
            self.known[key] = False
            uses = [eq for eq in self.uses.get(var, ()) if any(t.type.active for t in eq.targets)]
            read = bool(uses) and all(self._reads_part(eq, var, chosen) for eq in uses)
            self.known[key] = var not in self.whole and read
        return self.known[key]

    def _reads_part(self, eq: Equation, var: Var, chosen: bool) -> bool:
        fn = eq.op.fn
        if fn is operator.getitem or fn is INDEX_SET:
            entries = eq.args[1].items if isinstance(eq.args[1], Items) else eq.args[1:2]
            if fn is operator.getitem and all(entry in _WHOLE for entry in entries):
                return all(self.in_part(t, chosen) for t in eq.targets)
            mask = any(isinstance(k, Var) and k.type.dtype == "b" for k in entries)
            return eq.args[0] is var and (mask or not chosen)
        if _is_one_of(fn, _CHOOSING):
            return True
        if _is_one_of(fn, _TRIANGLES):
            return not chosen
        return is_elementwise(fn) and all(self.in_part(t, chosen) for t in eq.targets)

    def _note_infinite(self, eq: Equation) -> None:
        """Note what is computed, element by element, from infinite values."""
        if is_elementwise(eq.op.fn) and (
            eq.op.fn in _INFINITE or any(isinstance(v, Var) and v in self.infinite for v in eq.args)
        ):
            self.infinite.update(filter(is_active, eq.targets))

    def singular(self, eq: Equation) -> bool:
        """Whether an equation may have infinite slopes where nothing reads its result."""
        fn, target = eq.op.fn, eq.targets[0]
        if not is_elementwise(fn) or fn not in _REGULAR or target.type.is_scalar:
            return False
        if fn in _DIVIDING and not (is_active(eq.args[1]) and _is_array(eq.args[1])):
            return False
        if fn in _POWERS and isinstance(eq.args[1], Const) and eq.args[1].value >= 1:
            return False
        if fn in _PRODUCTS and not any(isinstance(v, Var) and v in self.infinite for v in eq.args):
            return False
        return self.in_part(target, fn not in _STEEP)


def _is_of_all_axes(mask: Var, var: Var) -> bool:
    """Whether a mask is one of all axes of an array."""
    ranks = [len(v.type.shape) if isinstance(v.type.shape, tuple) else None for v in (mask, var)]
    return ranks[0] is not None and ranks[0] == ranks[1]


def _is_one_of(fn: Any, functions: tuple[Any, ...]) -> bool:
    return any(fn is one for one in functions)


def _is_array(value: Value) -> bool:
    return isinstance(value, Var) and value.type.is_number and not value.type.is_scalar


def keep_regular(pass_: Any, eq: Equation, z_bar: Value, mark: int) -> None:
    """Let the backward part of an equation compute with regular numbers where nothing is read."""
    block = pass_.block
    written = block[mark:]
    del block[mark:]
    own = dict.fromkeys(v for v in (*eq.args, *eq.targets) if _is_array(v))
    if eq.op.fn in _PRODUCTS:
        own = dict.fromkeys(v for v in own if v in pass_.unread.infinite)
    read = pass_.unread.read(pass_, eq, eq.targets[0]) if eq.op.fn in _STEEP else None
    if read is None:
        read = pass_.emit(operator.ne, z_bar, Const(0), origin=eq.origin)
    used: dict[Value, Value] = {}
    made: list[Any] = []
    for statement in written:
        if isinstance(statement, Equation) and is_elementwise(statement.op.fn):
            for value in statement.args:
                if value in own and value not in used:
                    used[value] = _regular(pass_, eq, read, value)
            args = tuple(used.get(value, value) for value in statement.args)
            statement = replace(statement, args=args)
        made.append(statement)
    block.extend(made)


def _regular(pass_: Any, eq: Equation, read: Value, value: Any) -> Value:
    """An operand or the result of an equation, with a regular number in unread entries."""

    def emit(fn: Any, *args: Value) -> Value:
        return pass_.emit(fn, *args, origin=eq.origin)

    fn, is_result = eq.op.fn, value in eq.targets
    number = 1.0 if is_result else _REGULAR[fn]
    if is_result and fn in (np.sqrt, np.cbrt):
        real = fn is np.sqrt and value.type.dtype != "c"
        fine = emit(operator.gt if real else operator.ne, value, Const(0))
    elif is_result or fn not in _REGULAR_WHERE:
        fine = emit(np.isfinite, value)
    else:
        size, compare, bound = _REGULAR_WHERE[fn]
        fine = emit(compare, emit(np.abs, value) if size else value, Const(bound))
    return emit(np.where, emit(operator.or_, read, fine), value, Const(number))
