"""Cotangents that are zero by construction, since shares of a total sum up to it.

The entries of ``g * e / sum(e)`` sum up to ``g``. So the cotangent of what is subtracted from
all entries first, as the largest one is in ``top + log(sum(exp(x - top)))``, is
``g - sum(g * e / sum(e))``: zero, but for rounding, which would be spread over ties.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import INDEX_ADD, Const, Equation, Value, Var
from srcgrad.simplify.algebra import Algebra
from srcgrad.simplify.calls import LINEAR, axes_of, new_axes
from srcgrad.simplify.numbers import number

_LINEAR = {**LINEAR, operator.mul: (0, 1), operator.truediv: (0,), operator.neg: (0,)}


class Zeros:
    """The values that are zero by construction."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.found: set[Value] = set()

    def note(self, eq: Equation) -> None:
        """Note whether an equation gives zeros."""
        places = _LINEAR.get(eq.op.fn, ()) if type(eq.op.fn).__hash__ else ()
        found = self.found
        zero = found and any(k < len(eq.args) and eq.args[k] in found for k in places)
        if zero or self._cancels(eq):
            self.found.update(eq.targets)

    def without(self, eq: Equation) -> Value | None:
        """The operand that is left of a sum or a difference without its zeros; or None."""
        if not self.found or len(eq.targets) != 1 or not eq.args:
            return None
        first, last = eq.args[0], eq.args[-1]
        if last in self.found and eq.op.fn in (operator.add, operator.sub):
            return first if self._is_whole(first, eq) else None
        if first in self.found and eq.op.fn is operator.add:
            return last if self._is_whole(last, eq) else None
        return first if last in self.found and eq.op.fn is INDEX_ADD else None

    def _is_whole(self, value: Value, eq: Equation) -> bool:
        return isinstance(value, Var) and self.algebra.same(value, eq.targets[0])

    def _cancels(self, eq: Equation) -> bool:
        """Whether shares are summed, and their total is subtracted."""
        s = self.algebra
        if eq.op.fn is operator.sub:
            total = self._made(eq.args[1])
            if total is None or total.op.fn is not np.sum:
                return False
            whole = self._whole(total.args[0], axes_of(total))
            if whole is not None and number(whole) is not None:
                return number(whole) == number(s.spread(eq.args[0], total.targets[0]) or eq.args[0])
            return whole is not None and whole is eq.args[0]
        if eq.op.fn is not np.sum:
            return False
        if any(self._balances(e, rest, axes_of(eq)) for e, rest in self._factors(eq.args[0])):
            return True
        parts = s.parts(eq.args[0], operator.sub)
        for shares, others in (parts, parts[::-1]) if parts is not None else ():
            whole = self._whole(shares, axes_of(eq))
            total = self._made(whole)
            if total is not None and total.op.fn is np.sum and total.args == (others,):
                return axes_of(total) == axes_of(eq)
        return False

    def _balances(self, e: Value, rest: Value, axes: set[int] | None) -> bool:
        """Whether each of some values lacks their mean, weighted with the shares of ``e``."""
        s = self.algebra
        parts = s.parts(rest, operator.sub)
        if parts is None:
            return False
        values, mean = parts
        made = self._made(self._narrow(mean, axes, type_of(e).ndim))
        if made is None or made.op.fn not in (np.sum, np.dot) or axes != axes_of(made):
            return False
        product = made.args if made.op.fn is np.dot else s.parts(made.args[0], operator.mul) or ()
        shares = self._made(next((v for v in product if v is not values), None))
        if values not in product or shares is None or shares.op.fn is not operator.truediv:
            return False
        total = self._narrow(shares.args[1], axes, type_of(e).ndim)
        return shares.args[0] is e and self._is_total(total, e, axes)

    def _whole(self, shares: Value, axes: set[int] | None) -> Value | None:
        """What shares of it sum up to along some axes; None where they are none."""
        s = self.algebra
        for e, part in self._factors(shares):
            ratio = s.parts(self._narrow(part, axes, type_of(e).ndim), operator.truediv)
            if ratio is not None and self._is_total(ratio[1], e, axes):
                return ratio[0]
        parts = s.parts(shares, operator.truediv)
        if parts is not None:
            total = self._narrow(parts[1], axes, type_of(parts[0]).ndim)
            if self._is_total(total, parts[0], axes):
                return Const(1.0)
        return None

    def _made(self, value: Value | None) -> Equation | None:
        """How a value of the backward or of the forward part was computed."""
        if not isinstance(value, Var):
            return None
        return self.algebra.computed.get(value) or self.algebra.primal.get(value)

    def _factors(self, product: Value) -> tuple[tuple[Value, ...], ...]:
        parts = self.algebra.parts(product, operator.mul)
        return (parts, parts[::-1]) if parts is not None else ()

    def _narrow(self, value: Value, axes: set[int] | None, rank: int | None) -> Any:
        """The sums along some axes that a value has one of for each entry; or None."""
        eq = self._made(value)
        if eq is not None and rank and eq.op.fn in (np.expand_dims, operator.getitem):
            added = new_axes(eq, rank)
            return eq.args[0] if added and axes == added else None
        own = type_of(value).ndim
        if axes is None or rank is None or own is None:
            return None
        if own == rank and own:
            shape = self.algebra.lengths.resolve(type_of(value).shape)
            return value if all(shape[axis] == 1 for axis in axes) else None  # type: ignore
        return value if axes == set(range(len(axes))) and own == rank - len(axes) else None

    def _is_total(self, total: Value, e: Value, axes: set[int] | None) -> bool:
        """Whether a value is the sum of an array along some axes."""
        eq = self._made(total)
        summed = eq is not None and eq.op.fn is np.sum and eq.args == (e,)
        return summed and axes is not None and axes_of(eq) == axes  # type: ignore[arg-type]
