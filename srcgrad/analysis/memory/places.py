"""Which places of an array the iterations of a loop over a range mean by an index."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping

from srcgrad.analysis.shapes.indices import written_entries
from srcgrad.ir.nodes import RANGE_ITEM, Const, Equation, Loop, Slice, Value, Var

Span = tuple[float, float]  # the first and the last place, from where the loop stands


class Places:
    """Compares indices that are made of what a loop over a range stands at."""

    def __init__(self, equations: Mapping[Var, Equation]) -> None:
        self.equations = equations

    def apart(self, loop: Loop, once: Value, later: Value, sign: int, again: bool) -> bool:
        """Whether an index in an iteration and another one later on never mean the same place.

        Args:
            loop: the loop.
            once: the index in the one iteration.
            later: the index in those that follow.
            sign: 1 for the iterations of the loop, -1 for those that go back through it.
            again: whether ``later`` comes behind ``once`` in the same iteration, too.
        """
        least = self._least(loop)
        if least is None:
            return False
        step = loop.header.values[2].value
        for one, other in zip(written_entries(once), written_entries(later), strict=False):
            if not all(isinstance(e, Slice) or self._is_place(e) for e in (one, other)):
                return False  # from here on, entries do not belong to one axis each
            here, there = self._span(one, loop, least), self._span(other, loop, least)
            if here is None or there is None:
                continue
            ahead = 0 if again else abs(step)
            up = step * sign > 0
            if (there[0] + ahead > here[1]) if up else (there[1] - ahead < here[0]):
                return True
        return False

    def _least(self, loop: Loop) -> int | None:
        """The least number that a loop over a range stands at; None if it is unknown."""
        if loop.header.kind != "range":
            return None
        first, stop, step = (getattr(v, "value", None) for v in loop.header.values)
        if type(step) is not int or step == 0:
            return None
        least = first if step > 0 else stop + 1 if type(stop) is int else None
        return least if type(least) is int else None

    def before(self, loop: Loop, once: Value, place: Value) -> bool:
        """Whether an index of numbers means a place before all those that a loop means."""
        least = self._least(loop)
        for one, other in zip(written_entries(once), written_entries(place), strict=False):
            if least is None or not isinstance(other, Const) or not self._is_place(other):
                return False  # from here on, entries do not belong to one axis each
            span = self._span(one, loop, least) if self._is_place(one) else None
            if span is not None and 0 <= other.value < least + span[0]:
                return True
        return False

    def _is_place(self, entry: Value) -> bool:
        number = isinstance(entry, Const) and type(entry.value) is int
        return number or (
            isinstance(entry, Var) and entry.type.is_scalar and entry.type.dtype == "i"
        )

    def _span(self, entry: Value, loop: Loop, least: int) -> Span | None:
        """The places of one axis that an entry of an index means, from that of the loop on."""
        if not isinstance(entry, Slice):
            place = self.offset(entry, loop)
            return None if place is None or least + place < 0 else (place, place)
        if entry.step not in (Const(None), Const(1)):
            return None
        bounds: list[float] = []
        for bound, open_ in ((entry.lower, -math.inf), (entry.upper, math.inf)):
            place = open_ if bound == Const(None) else self.offset(bound, loop)
            if place is None or (least + place < 0 and bound != Const(None)):
                return None  # negative places count from the end
            bounds.append(place)
        return bounds[0], bounds[1] - 1

    def offset(self, value: Value, loop: Loop) -> int | None:
        """How far a whole number is from what a loop over a range stands at; None if unknown."""
        eq = self.equations.get(value) if isinstance(value, Var) else None
        if eq is None:
            return None
        if eq.op.fn is RANGE_ITEM:
            return 0 if eq.args[1] is loop.index else None
        if eq.op.fn not in (operator.add, operator.sub) or eq.options:
            return None
        base, more = eq.args
        if isinstance(base, Const) and eq.op.fn is operator.add:
            base, more = more, base
        inner = self.offset(base, loop)
        if inner is None or not isinstance(more, Const) or type(more.value) is not int:
            return None
        return inner + more.value if eq.op.fn is operator.add else inner - more.value


def apart(one: Value, other: Value) -> bool:
    """Whether two indices never mean the same place, as their numbers tell.

    Args:
        one: the index in one place.
        other: that in another one.

    Example:
        >>> apart(Const(0), Const(1)), apart(Const(0), Const(-1))
        (True, False)
    """
    for here, there in zip(written_entries(one), written_entries(other), strict=False):
        one_span, other_span = _numbers(here), _numbers(there)
        if one_span is None or other_span is None:
            return False  # from here on, entries may not belong to one axis each
        (first, last), (lower, upper) = one_span, other_span
        if (first < 0) == (lower < 0) and (last < lower or upper < first):
            return True
    return False


def _numbers(entry: Value) -> Span | None:
    """The first and the last place that numbers in an entry mean, all from one end of an axis."""
    if isinstance(entry, Const) and type(entry.value) is int:
        return entry.value, entry.value
    if not isinstance(entry, Slice) or entry.step not in (Const(None), Const(1)):
        return None
    lower, upper = (getattr(bound, "value", ...) for bound in (entry.lower, entry.upper))
    first = 0 if lower is None else lower
    if type(first) is not int or (upper is not None and type(upper) is not int):
        return -math.inf, math.inf
    if first >= 0:
        return first, upper - 1 if upper is not None and upper >= 0 else math.inf
    if upper is None or upper == 0:
        return first, -1
    return (first, upper - 1) if upper < 0 else None
