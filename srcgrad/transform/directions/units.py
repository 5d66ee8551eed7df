"""Tangents along the units: a loop that reads one entry of an argument in each iteration.

Along the units, ``x_dot`` is the identity. In ``for k in range(n)``, where iteration ``k`` reads
``x[k]`` and nothing else of ``x``, what the loop hands on depends on ``x[0]`` to ``x[k]`` only.
So only the first ``k + 1`` directions have begun, and the tangents along the others are zero: the
lines of the loop are about ``turn_dot[: k + 1]``. What depends on ``x[k]`` and on nothing that was
read before has a tangent along direction ``k`` alone: it is computed as along one direction, with
the tangent 1 for ``x[k]``.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.memory.places import Places
from srcgrad.analysis.shapes.indices import is_plain
from srcgrad.ir.nodes import (
    INDEX_ADD,
    INDEX_SET,
    RETURNED,
    Carried,
    Const,
    Equation,
    Function,
    Items,
    Loop,
    Op,
    Slice,
    Value,
    Var,
    equations,
    uses,
    variables,
)
from srcgrad.ir.types import INTEGER, Type
from srcgrad.transform.directions.rules import Unknown, inner_index, rank_at, spread
from srcgrad.transform.directions.sweep import BEGUN, Directions, along_directions
from srcgrad.transform.forward_parts import Forwarded, PairTangent
from srcgrad.transformation.context import Context

_SET, _ADD = Op(INDEX_SET), Op(INDEX_ADD)
_NONE = Const(None)


def along_units(context: Context, function: Function, forwarded: Forwarded) -> Forwarded:
    """Return tangents along all units of one argument, in the order of its entries.

    All numbers must be of double precision.

    Args:
        context: the transformation.
        function: the lowered function.
        forwarded: its tangents along one direction, simplified.

    Raises:
        UnsupportedSyntaxError: where a statement has no rule.
    """
    try:
        return _Units(context, function, forwarded).made()
    except Unknown:
        return along_directions(context, forwarded)


class _Units(Directions):
    """See ``Directions``."""

    def __init__(self, context: Context, function: Function, forwarded: Forwarded) -> None:
        self.stop: Var | None = None  # how many directions have begun; None outside of such loops
        super().__init__(context, forwarded)
        self.places = Places({t: eq for eq in equations(function.body) for t in eq.targets})
        self.place: Value = _NONE  # the direction that begins in an iteration
        self.single: dict[Var, Value] = {}  # values that are tangents along that direction alone
        # arrays that have a tangent for each direction, also those that have not begun
        self.whole: dict[Var, Var] = {}
        self.owners: dict[Var, Var] = {}  # what the loop carries each of them on as
        self.shown: set[Value] = set()  # parts of these, which nothing may be handed on as
        self.left: dict[Var, int] = {}

    def loop(self, node: Loop) -> None:
        place = self.entry_of(node)
        if place is None:
            super().loop(node)
            return
        starts = [self.filled(c.init, c.param, node) for c in node.carried]
        params = [self.give(c.param) for c in node.carried]
        around, self.block = self.block, []
        self.place, self.left = place, count_uses(node.body, [c.next for c in node.carried])
        self.stop = self.emit(operator.add, (place, Const(1)), INTEGER, node)
        self.stop.name = "stop"
        for c, param in zip(node.carried, params, strict=True):
            self.keep(c.param, param, c.param, node)
        for statement in node.body:
            assert isinstance(statement, Equation)
            self.begun(statement)
        ends = [self.end(c, node) for c in node.carried]
        body, self.block = tuple(self.block), around
        self.stop, self.single, self.whole, self.owners = None, {}, {}, {}
        outs = [self.give(c.out) for c in node.carried]
        rows = zip(params, starts, ends, outs, strict=True)
        self.block.append(replace(node, carried=tuple(Carried(*row) for row in rows), body=body))

    def entry_of(self, node: Loop) -> Value | None:
        """The place that each iteration reads, where a loop is one that is spoken of above."""
        header = getattr(node.header, "header", None)
        if len(self.seeds) != 1 or header is None or header.kind != "range":
            return None
        ((_, seed),) = self.forwarded.seeds.items()
        first, _, step = header.values
        start = first.value if isinstance(first, Const) else -1
        if step != Const(1) or type(start) is not int or start < 0 or seed.type.ndim != 1:
            return None
        if not all(isinstance(s, Equation) for s in node.body):
            return None
        if not all(c.init == Const(0.0) or c.init in self.empty for c in node.carried):
            return None
        found: set[Value] = set()
        mine = {c.param for c in node.carried}
        for eq in equations(node.body):
            if eq.op.fn is RETURNED or isinstance(eq.op.fn, PairTangent):
                return None
            if seed in uses(eq):
                if eq.op.fn is not operator.getitem:
                    return None
                found.add(eq.args[1])
            elif any(v in self.moved and v not in mine for v in uses(eq)):
                return None  # it is of directions that have not begun
        (place,) = found if len(found) == 1 else (None,)
        known = place is not None and self.places.offset(place, node.header) == 0
        return place if known else None

    @property
    def begun_so_far(self) -> Slice:
        """The directions that have begun."""
        assert self.stop is not None
        return Slice(_NONE, self.stop, _NONE)

    def type_of_moved(self, shape: tuple[Any, ...]) -> Type:
        made = super().type_of_moved(shape)
        return made if self.stop is None else replace(made, shape=(BEGUN, *shape))

    def size(self, eq: Any) -> Var:
        if self.stop is not None:
            raise Unknown("the number of directions")
        return super().size(eq)

    def keep(self, var: Var, whole: Var, owner: Var, eq: Any) -> None:
        """Let a tangent stand for the part of an array that has begun."""
        self.whole[var], self.owners[var] = whole, owner
        type_ = self.type_of_moved(self.shape(var))
        part = self.emit(operator.getitem, (whole, self.begun_so_far), type_, eq)
        self.moved[var] = part
        self.shown.add(part)

    def begun(self, eq: Equation) -> None:
        """A statement of such a loop."""
        operands = list(uses(eq))
        for v in operands:
            self.left[v] = self.left.get(v, 1) - 1
        if eq.op.fn is operator.getitem and eq.args[0] in self.forwarded.seeds.values():
            self.single[eq.targets[0]] = Const(1.0)
        elif not any(v in self.single for v in operands):
            if eq.op.fn in (INDEX_SET, INDEX_ADD) and eq.args[0] in self.whole:
                self.store(eq, *eq.args)
            elif eq.op.fn is operator.add and self.is_sum(eq):
                self.change(eq, eq.args[0], self.begun_so_far, self.moved[eq.args[1]], _ADD)  # type: ignore[index]
            else:
                self.equation(eq)
        elif not any(v in self.moved for v in operands):
            args = tuple(self.along_one(a) for a in eq.args)
            options = tuple((name, self.along_one(v)) for name, v in eq.options)
            self.block.append(replace(eq, args=args, options=options))
            self.single |= {t: t for t in eq.targets}
        elif eq.op.fn in (INDEX_SET, INDEX_ADD) and eq.args[0] in self.whole:
            self.store_one(eq, *eq.args)
        else:
            self.joined(eq)

    def along_one(self, value: Value) -> Value:
        if isinstance(value, Var):
            return self.single.get(value, value)
        if any(v in self.single for v in variables(value)):
            raise Unknown("a part of one direction")
        return value

    def is_sum(self, eq: Equation) -> bool:
        """Whether a tangent that is handed on is added to, and not read again as it was."""
        first, second = eq.args
        return (
            first in self.whole
            and second in self.moved
            and second not in self.whole
            and self.left.get(first, 0) == 0  # type: ignore[arg-type]
            and self.shape(first) == self.shape(eq.targets[0]) == self.shape(second)
        )

    def change(
        self, eq: Equation, base: Value, index: Value, value: Value, op: Op | None = None
    ) -> None:
        """Change a part of an array that has a tangent for each direction."""
        assert isinstance(base, Var)
        whole = self.whole[base]
        new = Var(whole.name, whole.type, whole.named)
        args = (whole, index, value)
        self.block.append(replace(eq, targets=(new,), op=op or eq.op, args=args))
        self.keep(eq.targets[0], new, self.owners[base], eq)

    def store(self, eq: Equation, base: Value, index: Value, value: Value) -> None:
        """Write into a part of an array that has a tangent for each direction."""
        if self.left.get(base, 0):  # type: ignore[arg-type]
            raise Unknown("an array that is read again as it was")
        entries = inner_index(index).items[1:]
        given = spread(self, value, rank_at(self, base, index), eq)
        self.change(eq, base, Items((self.begun_so_far, *entries)), given)

    def store_one(self, eq: Equation, base: Value, index: Value, value: Value) -> None:
        """Write what is along one direction into an array that has a tangent for each."""
        if self.left.get(base, 0) or value not in self.single or not is_plain(index):  # type: ignore[arg-type]
            raise Unknown("an array that is read again as it was")
        entries = inner_index(index).items[1:]
        if eq.op.fn is INDEX_SET:  # nothing is left of what was there along the others
            self.change(eq, base, Items((self.begun_so_far, *entries)), Const(0.0))
            base = eq.targets[0]
        self.change(eq, base, Items((self.place, *entries)), self.single[value])  # type: ignore[index]

    def joined(self, eq: Equation) -> None:
        """A sum of a tangent along one direction with others."""
        if eq.op.fn not in (operator.add, operator.sub) or eq.options:
            raise Unknown("one direction beside others")
        first, second = eq.args
        opposite = first in self.single and eq.op.fn is operator.sub
        if first in self.single:
            first, second = second, first
        value = self.single[second]  # type: ignore[index]
        shape = self.shape(eq.targets[0])
        if not self.shape(first) == self.shape(value) == shape:
            raise Unknown("parts of other shapes")
        if eq.op.fn is operator.sub and not opposite:
            value = self.emit(operator.neg, (value,), second.type, eq)  # type: ignore[union-attr]
        if first in self.whole and not opposite:
            if self.left.get(first, 0):  # type: ignore[arg-type]
                raise Unknown("a sum of which a part is read again")
            self.change(eq, first, self.place, value, _ADD)
            return
        others: Value = self.moved[first]  # type: ignore[index]
        last = next((e for e in self.block if others in e.targets), None)
        if opposite:
            others = self.emit(operator.neg, (others,), self.type_of_moved(shape), eq)
        elif last is None or not is_fresh(last):
            others = self.emit(np.copy, (others,), self.type_of_moved(shape), eq)
        made = self.give(eq.targets[0])
        self.block.append(replace(eq, targets=(made,), op=_ADD, args=(others, self.place, value)))

    def end(self, c: Carried, node: Loop) -> Value:
        """What an iteration hands on: a tangent for each direction."""
        if self.owners.get(c.next) is c.param:  # type: ignore[arg-type]
            return self.whole[c.next]  # type: ignore[index]
        made = self.moved.get(c.next)  # type: ignore[arg-type]
        if made is None or made in self.shown or self.left.get(c.param, 0):
            raise Unknown("what is handed on")
        whole = self.whole[c.param]
        new = Var(whole.name, whole.type, whole.named)
        args = (whole, self.begun_so_far, made)
        self.block.append(Equation((new,), _SET, args, (), node.origin))
        return new
