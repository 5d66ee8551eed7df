"""Algebra: identities, signs, constants, and broadcasting that multiplication does anyway."""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.models import fits, note_model
from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import INDEX_SET, LIST_REVERSED, Const, Equation, Op, Value, Var
from srcgrad.ir.types import INTEGER, Type
from srcgrad.runtime.numpy.determinants import cofactors
from srcgrad.runtime.transposes import resized
from srcgrad.simplify.numbers import imaginary, is_modulus, is_short, number, times

ADD, SUB, MUL, DIV = operator.add, operator.sub, operator.mul, operator.truediv
NEG, POW = operator.neg, operator.pow
ARITHMETIC = (ADD, SUB, MUL, DIV, NEG, POW)
_ONE, _IMAGINARY_ZERO = Const(1.0), Const(0j)


@dataclass(frozen=True)
class Choice:
    """What ``np.where`` chooses beside zeros."""

    condition: Value  # its condition
    values: Value  # what is chosen
    side: int  # 1 for what stands where the condition holds, 2 for what stands elsewhere


class Algebra:
    """Rewrites one equation at a time, knowing how its operands were computed."""

    def __init__(
        self,
        lengths: Lengths,
        computed: dict[Var, Equation],
        counts: dict[Var, int],
        primal: dict[Var, Equation],
        double: bool = False,
        fast: bool = False,
    ) -> None:
        self.lengths = lengths
        self.fast = fast  # numbers are put together before they meet an array
        self.double = double  # so that truth values may be weighted by numbers of Python's
        self.primal = primal  # arithmetic of the forward part, only compared with what is here
        self.products = {
            eq.args: var
            for var, eq in reversed(primal.items())  # the first of equal ones
            if eq.op.fn is operator.matmul or eq.op.fn is np.matmul
        }
        self.computed = dict(computed)
        self.counts = counts
        self.made: list[Equation] = []
        self.left_out: set[Value] = set()  # choices that were moved behind products
        self.origin: Any = None
        self.home = 0
        self.homes: dict[Var, int] = {}  # the region in which each variable is computed
        self.spare = True  # whether a sign in front of the result may join what reads it

    def same(self, a: Value, b: Value) -> bool:
        """Whether two values certainly have the same shape."""
        return self.lengths.same(type_of(a), type_of(b)) or self.lengths.alike(a, b)

    def parts(self, value: Value, fn: Any) -> tuple[Value, ...] | None:
        """The operands of a value that an operation ``fn`` computed."""
        eq = self.computed.get(value) if type(value) is Var else None
        if eq is None or eq.op.fn is not fn or eq.options:
            return None
        if value.type.dtype in ("i", "b"):  # type: ignore[union-attr]
            return None  # whole numbers may wrap around: what is computed with them stays
        if fn is NEG and value.named:  # type: ignore[union-attr]
            if not self.once(value) or self.homes.get(value) != self.home:  # type: ignore[arg-type]
                return None  # it stays under its name anyway
        return eq.args

    def operations(self, *values: Value) -> set[Any]:
        """Return the operations that computed some values, as far as they are known."""
        found = [self.computed[v].op.fn for v in values if type(v) is Var and v in self.computed]
        return {fn for fn in found if type(fn).__hash__ is not None}

    def once(self, value: Value) -> bool:
        """Whether a value is read only once, so that rewriting its reader replaces it."""
        return not isinstance(value, Var) or self.counts.get(value, 1) <= 1

    def stands_for(self, new: Value, old: Var) -> None:
        """Note that a value is read where one was that is computed of it."""
        if isinstance(new, Var):
            self.counts[new] = max(self.counts.get(new, 1), self.counts.get(old, 1))

    def read_as_well(self, new: Value, olds: Iterable[Value], fewer: int = 0) -> None:
        """Note that a value is read where others were, and in so many places fewer."""
        if isinstance(new, Var):
            more = sum(self.counts.get(old, 0) for old in olds)  # type: ignore[arg-type]
            self.counts[new] = self.counts.get(new, 1) + more - fewer

    def alike(self, a: Value, b: Value) -> bool:
        """Whether two values are computed in the same way of the same operands."""
        if a is b:
            return isinstance(a, Var)
        if not isinstance(a, Var) or not isinstance(b, Var):
            return False
        p = self.computed.get(a) or self.primal.get(a)
        q = self.computed.get(b) or self.primal.get(b)
        if p is None or q is None or p.options or q.options:
            return False
        return p.op.fn is q.op.fn and p.op.fn in ARITHMETIC and p.args == q.args

    def scaled(self, value: Value) -> tuple[Value | None, Value]:
        """The number that a product, read just once, is scaled by, None for none; and the rest."""
        named = isinstance(value, Var) and value.named  # it stays under its name
        parts = self.parts(value, MUL) if self.once(value) and not named else None
        for x, y in (parts, parts[::-1]) if parts is not None else ():
            if type_of(y).dtype not in ("f", "c") or type_of(y).is_scalar:
                continue
            if type_of(x).is_scalar:
                return x, y
            scale, rest = self.scaled(x)
            if scale is not None:
                return scale, self.make(MUL, *((rest, y) if x is parts[0] else (y, rest)))  # type: ignore[index]
        return None, value

    def over(self, value: Value) -> tuple[Value, Value] | None:
        """What an array, read just once, is over a number that is no constant, and the number."""
        if not isinstance(value, Var) or not self.once(value):
            return None
        if value.named and self.homes.get(value) != self.home:
            return None  # it stays under its name
        ratio = self.parts(value, DIV)
        if ratio is not None and value.type.dtype == "f" and not value.type.is_scalar:
            above, below = ratio
            if isinstance(below, Var) and type_of(below).is_scalar:
                return (above, below) if type_of(above).dtype == "f" else None
            first = self.parts(above, DIV) if type_of(above).is_scalar else None
            if first is not None and number(first[0]) is not None and isinstance(first[1], Var):
                return self.make(DIV, first[0], below), first[1]
        product = self.parts(value, MUL)
        for x, y in (product, product[::-1]) if product is not None else ():
            found = self.over(x)
            if found is not None and value.type.dtype == "f":
                rest = (found[0], y) if x is product[0] else (y, found[0])  # type: ignore[index]
                return self.make(MUL, *rest), found[1]
        return None

    def over_one(self, fn: Any, a: Value, b: Value) -> Value | None:
        """``a / n + b / n`` is ``(a + b) / n``, for a number ``n``."""
        if number(a) is not None or number(b) is not None:
            return None
        first = self.over(a)
        second = self.over(b) if first is not None else None
        if first is None or second is None or first[1] is not second[1]:
            return None
        return self.make(DIV, self.make(fn, first[0], second[0]), first[1])

    def opposite(self, value: Value) -> Value | None:
        """The value without its minus sign, if it is written with one and read just once."""
        eq = self.computed.get(value) if isinstance(value, Var) else None
        if eq is None or eq.options or not self.once(value):
            return None
        if value.named and self.homes.get(value) != self.home:  # type: ignore[union-attr,arg-type]
            return None
        first = number(eq.args[0]) if eq.args else None
        if eq.op.fn is NEG:
            return eq.args[0]
        if eq.op.fn in (MUL, DIV) and first is not None and first < 0:
            return self.make(eq.op.fn, Const(-first), eq.args[1])
        return None

    def make(self, fn: Any, *args: Value) -> Value:
        """Append an operation, simplified itself, and return its value."""
        spare, self.spare = self.spare, True
        simple = self.apply(fn, args)
        self.spare = spare
        if simple is not None:
            return simple
        type_ = infer(self.lengths, fn, args, ())
        var = Var(
            getattr(fn, "__name__", "value").strip("_"),
            type_.with_active(type_.dtype not in ("i", "b")),
        )
        op = Op(fn, "attribute", fn.__name__) if fn in (np.real, np.imag) else Op(fn)
        eq = Equation((var,), op, args, (), self.origin)
        note_model(self.lengths, eq)
        self.made.append(eq)
        self.computed[var] = eq
        self.homes[var] = self.home
        return var

    def apply(self, fn: Any, args: tuple[Value, ...]) -> Value | None:
        """Return a simpler value for ``fn(*args)``, or None."""
        rule = _RULES.get(fn)
        if fn in (ADD, SUB, MUL, DIV, NEG, POW) and None not in (numbers := [*map(number, args)]):
            try:
                return Const((times if fn is MUL else fn)(*numbers))  # pyright: ignore[reportArgumentType]
            except (ArithmeticError, ValueError):
                return None
        simple = rule(self, *args) if rule is not None and len(args) in (1, 2) else None
        return None if self.loses_fraction(simple, args) else simple

    def loses_fraction(self, simple: Value | None, args: tuple[Value, ...]) -> bool:
        """Whether a simpler value is one of integers where the operation gives real numbers."""
        if not isinstance(simple, Var) or simple.type.dtype not in ("i", "b"):
            return False
        return any(type_of(a).dtype not in ("i", "b") for a in args)

    def spread(self, value: Value, other: Value) -> Value | None:
        """The operand of a ``broadcast_to`` that meeting ``other`` would do anyway."""
        eq = self.computed.get(value) if isinstance(value, Var) else None
        if eq is not None and eq.op.fn is np.expand_dims and type_of(eq.args[0]).ndim:
            inner = self.spread(eq.args[0], eq.args[0])
            meets = isinstance(other, Var) and fits(self.lengths, other, eq.targets[0])
            return inner if meets and inner is not None and type_of(inner).is_scalar else None
        if eq is not None and eq.op.fn is np.broadcast_to and self.same(value, other):
            if isinstance(eq.args[0], Var | Const):
                return eq.args[0]
        return None

    def widened(self, value: Value) -> Equation | None:
        """How a value that is read just once was given more axes, None if it was not."""
        eq = self.computed.get(value) if isinstance(value, Var) and self.once(value) else None
        return eq if eq is not None and eq.op.fn is np.expand_dims else None

    def choice(self, value: Value) -> Choice | None:
        """What ``np.where`` chooses beside zeros, read just once."""
        parts = self.parts(value, np.where) if self.once(value) else None
        if parts is None or Const(0) not in parts[1:]:
            return None
        side = 1 if parts[2] == Const(0) else 2
        return Choice(parts[0], parts[side], side)

    def chosen(self, value: Value) -> Choice | None:
        """The same, where products and quotients may be computed with the values.

        What its factors are in the entries that it leaves out may be nan. So these are left out
        last, behind products and quotients, where the values are one number in front of them.
        """
        choice = self.choice(value)
        if choice is None:
            return None
        made = self.computed.get(choice.values)  # type: ignore[arg-type]
        filled = made is not None and made.op.fn in (np.ones_like, np.full_like, np.broadcast_to)
        shared = made is not None and made.op.fn is DIV and number(made.args[0]) is not None
        plain = type_of(choice.values).is_scalar or filled or shared or value in self.left_out
        return choice if plain else None

    def leave_out(self, choice: Choice, values: Value) -> Value:
        """The same choice behind what is computed with the values."""
        arms = (values, Const(0)) if choice.side == 1 else (Const(0), values)
        made = self.make(np.where, choice.condition, *arms)
        self.left_out.add(made)
        return made

    def unguarded(self, choice: Choice, value: Value) -> Value:
        """A value without the regular numbers that stand where a choice leaves it out anyway."""
        parts = self.parts(value, np.where)
        guard = self.computed.get(parts[0]) if parts is not None else None  # type: ignore[arg-type]
        if parts is None or guard is None or guard.op.fn is not operator.or_:
            return value
        for read in guard.args:
            opposite = self.computed.get(read) if isinstance(read, Var) else None
            of_other = opposite is not None and opposite.op.fn is np.logical_not
            side, condition = (2, opposite.args[0]) if of_other else (1, read)  # type: ignore
            if (condition, side) == (choice.condition, choice.side) and self.same(value, parts[1]):
                return parts[1]
        return value

    def under_mask(self, fn: Any, value: Value, other: Value) -> Value | None:
        """What a mask lets into zeros, multiplied or divided there and not elsewhere.

        What the other operand is in the entries that the mask leaves out may be nan.
        """
        eq = self.computed.get(value) if isinstance(value, Var) else None
        if eq is None or eq.op.fn is not INDEX_SET or not isinstance(value, Var):
            return None
        zeros, mask, written = eq.args
        made = self.computed.get(zeros)  # type: ignore[arg-type]
        if made is None or made.op.fn is not np.zeros_like or type_of(mask).dtype != "b":
            return None
        if number(other) is None:
            if type_of(other).is_scalar or not self.same(value, other):
                return None
            other = self.make(operator.getitem, other, mask)
        spread = self.computed.get(written)  # type: ignore[arg-type]
        if spread is not None and spread.op.fn is np.broadcast_to:
            if type_of(spread.args[0]).is_scalar:
                written = spread.args[0]  # a write spreads it, too
        zeros, product = self.make(np.zeros_like, *made.args), self.make(fn, written, other)
        var = Var("masked", value.type)
        self.made.append(Equation((var,), eq.op, (zeros, mask, product), (), self.origin))
        self.lengths.models[var] = value  # it has the same shape
        self.computed[var] = self.made[-1]
        return var

    def narrowed(self, value: Value, other: Value) -> Value | None:
        """What was made complex by adding ``0j``, which meeting a complex number does anyway."""
        parts = self.parts(value, ADD)
        if parts is None or parts[1] != _IMAGINARY_ZERO or type_of(other).dtype != "c":
            return None
        return parts[0]

    def inside_spread(self, fn: Any, a: Value, b: Value) -> Value | None:
        """Scale a number before it is broadcast, not after."""
        ways: list[Any] = [(a, b, lambda small: self.make(fn, small, b))]
        if fn is not DIV:
            ways.append((b, a, lambda small: self.make(fn, a, small)))
        for x, y, scaled in ways:
            made = self.respread_as(x, scaled) if type_of(y).is_scalar else None
            if made is not None:
                return made
        return None

    def respread_as(self, value: Value, change: Callable[[Value], Value]) -> Value | None:
        """Change what was broadcast, and perhaps given more axes, before that."""
        eq = self.computed.get(value) if isinstance(value, Var) else None
        if eq is None or not isinstance(eq.args[0], Var | Const):
            return None
        small: Value | None = None
        if eq.op.fn is np.broadcast_to:
            small = change(eq.args[0])
        elif eq.op.fn is np.expand_dims:
            small = self.respread_as(eq.args[0], change)
        return None if small is None else self.respread(eq, small, type_of(value))

    def size_of(self, array: Value) -> Var:
        """How many entries an array has."""
        size = Var("size", INTEGER)
        op = Op(METADATA["size"], "attribute", "size")
        self.made.append(Equation((size,), op, (array,), (), self.origin))
        self.computed[size] = self.made[-1]
        return size

    def reshaped(self, value: Value, shape: Any, like: Var) -> Var:
        """A value in a shape, which is that of a variable."""
        type_ = replace(like.type, dtype=type_of(value).dtype, active=type_of(value).active)
        var = Var("reshaped", type_)
        self.lengths.models[var] = like
        options = (("shape", shape),)
        self.made.append(Equation((var,), Op(np.reshape), (value,), options, self.origin))
        self.computed[var] = self.made[-1]
        return var

    def respread(self, eq: Equation, small: Value, type_: Type) -> Value:
        """Broadcast another value like the one of an equation."""
        var = Var("spread", type_)
        self.lengths.models[var] = eq.targets[0]  # it has the same shape
        made = Equation((var,), eq.op, (small, *eq.args[1:]), eq.options, self.origin)
        self.made.append(made)
        self.computed[var] = made
        return var


# what computes factors of products that are written in other words
_MOVED_OUT = {ADD, NEG, np.broadcast_to, np.expand_dims}
_INSIDE_SUMS = {*_MOVED_OUT, MUL, DIV}
_INSIDE_PRODUCTS = {*_MOVED_OUT, MUL, DIV, POW, np.reshape, np.where, INDEX_SET}


def _mul(s: Algebra, a: Value, b: Value) -> Value | None:
    left, right = number(a), number(b)
    if right is not None and left is None:
        return s.make(MUL, b, a)
    if left is not None and imaginary(b):
        return Const(complex(0, left * b.value.imag))  # type: ignore
    if imaginary(b) and not isinstance(a, Const):
        return s.make(MUL, b, a)
    turned = s.parts(b, MUL)
    if left is not None and turned is not None and imaginary(turned[0]):
        return s.make(MUL, Const(complex(0, a.value * turned[0].value.imag)), turned[1])  # type: ignore
    if left in (1, -1) and type_of(b).dtype in ("i", "b"):
        return None  # the product is a real number: it has a sign, and never wraps around
    if left == 1:
        return b
    if left == -1:
        return s.make(NEG, b)
    made = s.operations(a, b)
    if made.isdisjoint(_INSIDE_PRODUCTS):
        return None
    for x, y in () if made.isdisjoint(_MOVED_OUT) else ((a, b), (b, a)):
        real = s.narrowed(x, y)
        if real is not None:
            return s.make(MUL, *((real, y) if x is a else (y, real)))
        sum_ = s.parts(x, ADD)
        if sum_ is not None and sum_[1] == _IMAGINARY_ZERO and type_of(y).dtype == "f":
            scaled = s.make(MUL, *((sum_[0], y) if x is a else (y, sum_[0])))
            return s.make(ADD, scaled, Const(0j))
        inner = s.parts(x, NEG)
        if inner is not None and s.spare:
            return s.make(NEG, s.make(MUL, *((inner[0], y) if x is a else (y, inner[0]))))
        small = s.spread(x, y)
        if small is not None:
            return s.make(MUL, *((small, y) if x is a else (y, small)))
    if not made.isdisjoint((np.broadcast_to, np.expand_dims, np.reshape)):
        moved = s.inside_spread(MUL, a, b) or _in_other_shape(s, a, b)
        if moved is not None:
            return moved
    for x, y in () if made.isdisjoint((np.where, INDEX_SET)) else ((a, b), (b, a)):
        parts = s.parts(x, np.where)
        if parts is not None and parts[0] is y and number(parts[2]) == 0 and s.same(x, y):
            return x  # 0 where the condition is, already
        chosen = s.chosen(x)
        if chosen is not None:
            z, y = chosen.values, s.unguarded(chosen, y)
            return s.leave_out(chosen, s.make(MUL, *((z, y) if x is a else (y, z))))
        masked = s.under_mask(MUL, x, y)
        if masked is not None:
            return masked
    for x, y in ((a, b), (b, a)) if POW in made else ():
        power = s.parts(x, POW)
        if power is not None and number(power[1]) == 0 and s.same(power[0], y):
            return y
    ratio = s.parts(b, DIV) if s.once(b) else None
    if left and ratio is not None:
        cancelled = _cancelled(s, left, *ratio)  # type: ignore[arg-type]
        if cancelled is not None:
            return cancelled
    wide = s.widened(b) if left else None
    if wide is not None:
        ratio = s.parts(wide.args[0], DIV) if s.once(wide.args[0]) else None
        cancelled = _cancelled(s, left, *ratio) if ratio is not None else None  # type: ignore[arg-type]
        if cancelled is not None:
            return s.respread(wide, cancelled, type_of(b))
    factor = s.parts(b, MUL)
    if left is not None and factor is not None and number(factor[0]) is not None:
        folded = times(a.value, factor[0].value)  # type: ignore
        return s.make(MUL, Const(folded), factor[1]) if s.once(b) or is_short(folded) else None
    if left is None and factor is not None and number(factor[0]) is not None:
        if type_of(a).dtype in ("i", "b"):
            return s.make(MUL, factor[0], s.make(MUL, a, factor[1]))
        return s.make(MUL, s.make(MUL, factor[0], a), factor[1])
    for x, y in ((a, b), (b, a)) if MUL in made else ():
        once = s.parts(x, MUL)
        if once is not None and once[0] == _ONE and type_of(once[1]).kind == "scalar":
            if type_of(y).dtype == "f":  # the product with a whole number is real anyway
                return s.make(MUL, *((once[1], y) if x is a else (y, once[1])))
    if not made.isdisjoint((MUL, DIV)):
        cancelled = _fixed_times(s, a, b) or _fixed_times(s, b, a)
        if cancelled is not None:
            return cancelled
    factor = s.parts(a, MUL)
    if right is None and factor is not None and number(factor[0]) is not None:
        return None
    for x, y in ((a, b), (b, a)) if DIV in made else ():
        ratio = s.parts(x, DIV)
        kinds = {type_of(v).dtype for v in (y, ratio[1])} if ratio is not None else set()
        if ratio is not None and number(ratio[0]) in (1, -1) and kinds & {"f", "c"}:
            quotient = s.make(DIV, y, ratio[1])
            return quotient if number(ratio[0]) == 1 else s.make(NEG, quotient)
        if ratio is not None and s.fast and _is_at_least_one(s, ratio[1]):
            continue
        if ratio is not None and number(ratio[0]) is not None and type_of(ratio[1]).is_scalar:
            if number(y) is not None or not type_of(y).is_scalar:
                return s.make(DIV, s.make(MUL, ratio[0], y), ratio[1])
    return None


def _in_other_shape(s: Algebra, a: Value, b: Value) -> Value | None:
    """What is spread out, and then reshaped, is multiplied before: it is never made as a whole."""
    for x, y in ((a, b), (b, a)):
        eq = s.computed.get(x) if isinstance(x, Var) and s.once(x) else None
        if eq is None or eq.op.fn is not np.reshape or not isinstance(y, Var):
            continue
        assert isinstance(x, Var)
        wide = s.computed.get(eq.args[0])  # type: ignore[arg-type]
        if wide is None or wide.op.fn is not np.broadcast_to or not s.once(eq.args[0]):
            continue
        shape = dict(wide.options).get("shape")
        if shape is None or not s.same(x, y) or type_of(y).dtype not in ("f", "b"):
            continue
        other = s.reshaped(y, shape, wide.targets[0])
        product = s.make(MUL, *((wide.targets[0], other) if x is a else (other, wide.targets[0])))
        return s.reshaped(product, dict(eq.options).get("shape"), x)
    return None


def _div(s: Algebra, a: Value, b: Value) -> Value | None:
    if number(b) == 1:
        return a
    real = s.narrowed(a, b)
    if real is not None:
        return s.make(DIV, real, b)
    product = _without_modulus(s, a, b) or _without_determinant(s, a, b)
    product = product or _without_fixed(s, _factors(s, a), b)
    if product is not None:
        return product
    inner = s.parts(a, NEG)
    if inner is not None and s.spare:
        return s.make(NEG, s.make(DIV, inner[0], b))
    above = s.parts(a, DIV) if s.once(a) else None
    ratio = s.primal.get(above[1]) if above is not None else None  # type: ignore[arg-type]
    if above is not None and ratio is not None and ratio.op.fn is DIV and ratio.args[1] is b:
        if s.same(above[1], ratio.args[0]) and type_of(ratio.args[0]).dtype == "f":
            return s.make(DIV, above[0], ratio.args[0])  # x / (p / b) / b
    factors = s.parts(a, MUL)
    if factors is not None and number(factors[0]) == 1 and type_of(factors[1]).kind == "scalar":
        if type_of(b).dtype == "f":  # and a whole number need not be made real before
            return s.make(DIV, factors[1], b)
    if factors is not None and number(factors[0]) and s.once(a):
        cancelled = _cancelled(s, number(factors[0]), factors[1], b)  # type: ignore[arg-type]
        if cancelled is not None:
            return cancelled
        size = _at_least_one(s, factors[1], b) if s.fast and number(factors[0]) != 1 else None
        if size is not None:
            return s.make(MUL, s.make(DIV, factors[0], size), factors[1])
    if factors is not None and number(factors[0]) and number(b):
        ratio = number(factors[0]) / number(b)  # type: ignore[operator]
        if ratio == int(ratio) and ratio * number(b) == number(factors[0]):  # type: ignore[operator]
            return s.make(MUL, Const(int(ratio)), factors[1])
    chosen = s.chosen(a)
    if chosen is not None:
        return s.leave_out(chosen, s.make(DIV, chosen.values, b))
    masked = s.under_mask(DIV, a, b)
    if masked is not None:
        return masked
    moved = s.inside_spread(DIV, a, b)
    if moved is not None:
        return moved
    for x, y in ((a, b), (b, a)):
        small = s.spread(x, y)
        if small is not None:
            return s.make(DIV, *((small, y) if x is a else (y, small)))
    return None


def _at_least_one(s: Algebra, array: Value, size: Value) -> Value | None:
    """The size of an array, or 1 where it has no entries; None for another number."""
    made = s.computed.get(size) if isinstance(size, Var) else None
    if made is None or made.op.fn is not METADATA["size"] or not s.same(made.args[0], array):
        return None
    return s.make(max, size, Const(1))


def _is_at_least_one(s: Algebra, size: Value) -> bool:
    made = s.computed.get(size) if isinstance(size, Var) else None
    return made is not None and made.op.fn is max


def _cancelled(s: Algebra, scale: float, num: Value, den: Value) -> Value | None:
    """``2 * (x / (2 * y))`` and ``2 * (x / 2)`` without numbers that have a factor in common."""
    if number(den):
        whole = scale / number(den)  # type: ignore[operator]
        return s.make(MUL, Const(int(whole)), num) if whole == int(whole) else None
    below = s.parts(den, MUL) if s.once(den) else None
    if below is None or not number(below[0]):
        return None
    ratio = scale / number(below[0])  # type: ignore[operator]
    if ratio == int(ratio):
        return s.make(MUL, Const(int(ratio)), s.make(DIV, num, below[1]))
    inverse = number(below[0]) / scale  # type: ignore[operator]
    if inverse == int(inverse):
        return s.make(DIV, num, s.make(MUL, Const(int(inverse)), below[1]))
    return None


def _without_fixed(s: Algebra, above: list[Value], den: Value) -> Value | None:
    """``np.pi * x / (2 * np.pi * y)`` is ``0.5 * x / y``: of a number that is never 0."""
    below = _factors(s, den, {**s.primal, **s.computed})
    common = [f for f in above if f in below and s.lengths.fixed.get(f)]  # type: ignore[arg-type]
    if not common:
        return None
    for factor in common:
        above.remove(factor)
        below.remove(factor)
    scale = math.prod(number(f) or 1 for f in above) / math.prod(number(f) or 1 for f in below)
    if not is_short(scale) or Const(0) in (*above, *below):
        return None
    parts = ([f for f in side if number(f) is None] or [Const(1)] for side in (above, below))
    num, rest = (functools.reduce(lambda p, q: s.make(MUL, p, q), part) for part in parts)
    return s.make(DIV, s.make(MUL, Const(scale), num), rest)


def _fixed_times(s: Algebra, a: Value, b: Value) -> Value | None:
    """``np.pi`` times a quotient with ``np.pi`` below."""
    factors = _factors(s, b) if s.once(b) else []
    ratio = next((f for f in factors if s.parts(f, DIV) is not None and s.once(f)), None)
    if ratio is None or not any(s.lengths.fixed.get(f) for f in _factors(s, a)):  # type: ignore
        return None
    num, den = s.parts(ratio, DIV)  # type: ignore[misc]
    factors.remove(ratio)
    return _without_fixed(s, [*_factors(s, a), *factors, *_factors(s, num)], den)


def _without_modulus(s: Algebra, a: Value, b: Value) -> Value | None:
    """``z * conj(x) / (z + (z == 0))`` with ``z = abs(x)`` is ``conj(x)``, 0 where z is."""
    sum_ = s.parts(b, ADD)
    if sum_ is None:
        return None
    test = s.computed.get(sum_[1])  # type: ignore[arg-type]
    if test is None or test.op.fn is not operator.eq or test.args != (sum_[0], Const(0)):
        return None
    modulus = s.computed.get(sum_[0])  # type: ignore[arg-type]
    factors = _factors(s, a)
    if modulus is None or not is_modulus(modulus.op.fn) or sum_[0] not in factors:
        return None
    made = [s.computed.get(f) for f in factors]  # type: ignore[arg-type]
    if not any(m and m.op.fn is np.conjugate and m.args == modulus.args for m in made):
        return None
    factors.remove(sum_[0])
    return functools.reduce(lambda p, q: s.make(MUL, p, q), factors)


def _without_determinant(s: Algebra, a: Value, b: Value) -> Value | None:
    """``cofactors(x) / det(x)``, which the logarithm asks for, is ``inv(x).T``."""
    det = s.primal.get(b)  # type: ignore[arg-type]
    if det is None or det.op.fn is not np.linalg.det or type_of(det.args[0]).ndim != 2:
        return None
    factors = _factors(s, a)
    for factor in factors:
        made = s.computed.get(factor)  # type: ignore[arg-type]
        if made is not None and made.op.fn is cofactors and made.args == det.args:
            factors[factors.index(factor)] = s.make(np.transpose, s.make(np.linalg.inv, *det.args))
            return functools.reduce(lambda p, q: s.make(MUL, p, q), factors)
    return None


def _factors(s: Algebra, value: Value, known: Any = None) -> list[Value]:
    """The factors of a product of products, as far as it is known how these are computed."""
    eq = (s.computed if known is None else known).get(value) if isinstance(value, Var) else None
    if eq is None or eq.op.fn is not MUL or eq.options:
        return [value]
    return [f for part in eq.args for f in _factors(s, part, known)]


def _add(s: Algebra, a: Value, b: Value) -> Value | None:
    if b == _IMAGINARY_ZERO:
        return a if type_of(a).dtype == "c" else None
    if s.alike(a, b):
        return s.make(MUL, Const(2), a if a.named else b)  # type: ignore[union-attr]
    p, q = s.parts(a, MUL), s.parts(b, MUL)
    if p is not None and q is not None and all(isinstance(v, Var) for v in q):
        if p[0] is q[1] and p[1] is q[0]:
            return s.make(MUL, Const(2), b)
    made = s.operations(a, b)
    for fn in () if made.isdisjoint((ADD, SUB)) else (ADD, SUB):
        left = s.parts(a, fn)
        if left is not None and s.alike(left[0], b):
            return s.make(fn, s.make(MUL, Const(2), b), left[1])
        if left is not None and fn is ADD and s.alike(left[1], b):
            return s.make(ADD, left[0], s.make(MUL, Const(2), b))
    for x, y in ((a, b), (b, a)):
        if number(x) == 0:
            return y
        if made.isdisjoint(_INSIDE_SUMS):
            continue
        real = s.narrowed(x, y)
        if real is not None:
            return s.make(ADD, *((real, y) if x is a else (y, real)))
        inner = s.opposite(x)
        if inner is not None:
            return s.make(SUB, y, inner)
        small = s.spread(x, y)
        if small is not None:
            return s.make(ADD, *((small, y) if x is a else (y, small)))
    made = s.over_one(ADD, a, b) or _of_one_matrix(s, ADD, a, b) or _weighted(s, a, b)
    return made or _either(s, a, b) or _like_terms(s, a, b)


def _like_terms(s: Algebra, a: Value, b: Value) -> Value | None:
    """``z * (0.5 * x) + 0.5 * z * x`` is ``z * x``: products of the same values."""
    if not s.double or not s.once(a) or not s.once(b):
        return None
    (p, left), (q, right) = _scaled_values(s, a), _scaled_values(s, b)
    if len(right) < 2 or Counter(left) != Counter(right):
        return None
    return s.make(MUL, Const(p + q), functools.reduce(lambda x, y: s.make(MUL, x, y), right))


def _scaled_values(s: Algebra, value: Value) -> tuple[float, list[Value]]:
    """The number in a product of real numbers and arrays, and what else is multiplied in it."""
    known = number(value)
    if known is not None:
        return known, []
    eq = s.computed.get(value) if s.once(value) else None  # type: ignore[arg-type]
    eq = eq or s.primal.get(value)  # type: ignore[arg-type]
    if eq is None or eq.op.fn is not MUL or eq.options or type_of(value).dtype != "f":
        return 1, [value]
    (p, left), (q, right) = (_scaled_values(s, part) for part in eq.args)
    return p * q, [*left, *right]


def _either(s: Algebra, a: Value, b: Value) -> Value | None:
    """``np.where(c, x, 0) + 2 * np.where(c, 0, y)`` is ``np.where(c, x, 2 * y)``."""
    p, q = _scaled_choice(s, a), _scaled_choice(s, b)
    if p is None or q is None or p[1].condition is not q[1].condition:
        return None
    if p[1].side == q[1].side:
        return None
    x, y = (s.make(MUL, Const(k), choice.values) for k, choice in (p, q))
    y = s.spread(y, x) or y
    x = s.spread(x, y) or x
    return s.make(np.where, p[1].condition, *((x, y) if p[1].side == 1 else (y, x)))


def _scaled_choice(s: Algebra, value: Value) -> tuple[float, Choice] | None:
    """A number and a choice beside zeros whose product a value is, both read just once."""
    factors = s.parts(value, MUL) if s.once(value) else None
    known = number(factors[0]) if factors is not None else None
    scale, rest = (1, value) if factors is None or known is None else (known, factors[1])
    choice = s.choice(rest)
    return None if choice is None else (scale, choice)


def _weighted(s: Algebra, a: Value, b: Value) -> Value | None:
    """``z * p + 0.5 * z * q`` is ``z * (p + 0.5 * q)``, for truth values p and q."""
    p, q = s.parts(a, MUL) if s.once(a) else None, s.parts(b, MUL) if s.once(b) else None
    if not s.double or p is None or q is None or any(type_of(x).dtype != "b" for x in (p[1], q[1])):
        return None
    scaled = s.parts(q[0], MUL)
    if scaled is None or number(scaled[0]) is None or scaled[1] is not p[0]:
        return None
    return s.make(MUL, p[0], s.make(ADD, p[1], s.make(MUL, scaled[0], q[1])))


def _of_one_matrix(s: Algebra, fn: Any, a: Value, b: Value) -> Value | None:
    """``x @ a + x @ b`` is ``x @ (a + b)``, for matrices: one product in the place of two."""
    p = s.parts(a, operator.matmul) if s.once(a) else None
    q = s.parts(b, operator.matmul) if s.once(b) and p is not None else None
    if p is None or q is None or any(type_of(x).ndim != 2 for x in (*p, *q)):
        return None
    for k in (0, 1):
        turned = [s.parts(factors[k], np.transpose) for factors in (p, q)]
        one = p[k] is q[k] or (turned[0] is not None and turned[0] == turned[1])
        if one and s.same(p[1 - k], q[1 - k]):
            total = s.make(fn, p[1 - k], q[1 - k])
            return s.make(operator.matmul, *((p[0], total) if k == 0 else (total, p[1])))
    return None


def _sub(s: Algebra, a: Value, b: Value) -> Value | None:
    if number(b) == 0:
        return a
    if number(a) == 0:
        return s.make(NEG, b)
    for x, y in ((a, b), (b, a)):
        real = s.narrowed(x, y)
        if real is not None:
            return s.make(SUB, *((real, y) if x is a else (y, real)))
    inner = s.opposite(b)
    if inner is not None:
        return s.make(ADD, a, inner)
    for x, y in ((a, b), (b, a)):
        small = s.spread(x, y)
        if small is not None:
            return s.make(SUB, *((small, y) if x is a else (y, small)))
    return s.over_one(SUB, a, b) or _of_one_matrix(s, SUB, a, b)


def _neg(s: Algebra, a: Value) -> Value | None:
    inner = s.parts(a, NEG)
    if inner is not None:
        return inner[0]
    difference = s.parts(a, SUB) if s.once(a) else None
    if difference is not None:
        return s.make(SUB, difference[1], difference[0])
    factor = s.parts(a, MUL) if s.once(a) else None
    if factor is not None and number(factor[0]) is not None:
        return s.make(MUL, Const(-factor[0].value), factor[1])  # type: ignore[union-attr]
    ratio = s.parts(a, DIV) if s.once(a) else None
    if ratio is not None and number(ratio[0]) is not None:
        return s.make(DIV, Const(-ratio[0].value), ratio[1])  # type: ignore[union-attr]
    spread = s.computed.get(a) if isinstance(a, Var) else None
    if spread is not None and spread.op.fn is np.broadcast_to:
        small = spread.args[0]
        if isinstance(small, Var | Const):
            return s.respread(spread, s.make(NEG, small), type_of(a))
    return None


def _pow(s: Algebra, a: Value, b: Value) -> Value | None:
    return a if number(b) == 1 else None


def _sum(s: Algebra, a: Value) -> Value | None:
    """The sum of a scaled array is the scaled sum, that of a product of vectors a product."""
    if type_of(a).is_scalar:
        return a
    if isinstance(a, Var) and a.named:
        return None  # it stays under its name
    spread = s.computed.get(a) if isinstance(a, Var) and s.double else None
    if spread is not None and spread.op.fn is np.broadcast_to and type_of(a).dtype == "f":
        small, shape = spread.args[0], dict(spread.options).get("shape", spread.args[-1])
        owner = s.computed.get(shape) if isinstance(shape, Var) else None
        if owner is not None and owner.op.fn is METADATA["shape"] and type_of(small).is_scalar:
            return s.make(MUL, small, s.size_of(owner.args[0]))
    scale, rest = s.scaled(a)
    if scale is not None and s.same(rest, a):
        return s.make(MUL, scale, s.make(np.sum, rest))
    ratio = s.parts(a, DIV) if s.once(a) else None
    if ratio is not None and type_of(ratio[1]).is_scalar and s.same(ratio[0], a):
        return s.make(DIV, s.make(np.sum, ratio[0]), ratio[1])
    over = s.over(a)
    if over is not None and s.same(over[0], a):
        return s.make(DIV, s.make(np.sum, over[0]), over[1])
    parts = s.parts(a, MUL) if s.once(a) else None
    if parts is None or not all(type_of(x).dtype in ("f", "c") for x in parts):
        return None
    if all(type_of(x).kind == "array" and type_of(x).ndim == 1 for x in parts) and s.same(*parts):
        return s.make(np.dot, *parts)
    return None


def _real(s: Algebra, a: Value) -> Value | None:
    turned = s.parts(a, MUL)
    if turned is not None and imaginary(turned[0]) and type_of(turned[1]).dtype == "c":
        part = s.make(np.imag, turned[1])
        return s.make(MUL, Const(-turned[0].value.imag), part)  # type: ignore[union-attr]
    return s.narrowed(a, a)


def _resized(s: Algebra, a: Value, shape: Value) -> Value | None:
    return a if isinstance(shape, Var) and s.same(a, shape) else None


def _matrix(s: Algebra, a: Value) -> Value | None:
    return a if type_of(a).kind == "array" and (type_of(a).ndim or 0) >= 2 else None


def _transpose(s: Algebra, a: Value) -> Value | None:
    inner = s.parts(a, np.transpose)
    return inner[0] if inner is not None and len(inner) == 1 else None


def _reversed(s: Algebra, a: Value) -> Value | None:
    inner = s.parts(a, LIST_REVERSED)
    return inner[0] if inner is not None else None


def _or(s: Algebra, a: Value, b: Value) -> Value | None:
    """A truth value that is there already is not asked for again."""
    if type_of(a).dtype != "b" or type_of(b).dtype != "b":
        return None
    if a is b:
        return a
    for x, y in ((a, b), (b, a)):
        small = s.spread(x, y)
        if small is not None:
            return s.make(operator.or_, small, y)
        eq = s.computed.get(x) if isinstance(x, Var) else None
        if eq is not None and eq.op.fn in (operator.or_, np.broadcast_to) and y in eq.args:
            return x
    return None


_RULES: dict[Any, Any] = {
    MUL: _mul,
    DIV: _div,
    ADD: _add,
    SUB: _sub,
    NEG: _neg,
    operator.or_: _or,
    POW: _pow,
    np.sum: _sum,
    np.real: _real,
    resized: _resized,
    np.atleast_2d: _matrix,
    np.transpose: _transpose,
    LIST_REVERSED: _reversed,
}
