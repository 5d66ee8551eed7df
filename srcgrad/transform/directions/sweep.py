"""Tangents along many directions in one sweep: the directions are the first axis of each tangent.

The tangents of a function are linear in those that it is given, statement by statement. So a
statement that carries one tangent along carries many, once its axes are counted behind that of
the directions: ``x_dot[i]`` is ``x_dot[:, i]`` then, and ``x_dot.sum(axis=0)`` is
``x_dot.sum(axis=1)``. Primal values have no such axis, and are computed once.

What there is no rule for is left to one sweep for each direction.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.ir.leaves import leaves
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    RETURNED,
    WRITES,
    Block,
    Carried,
    Const,
    Equation,
    If,
    Items,
    Loop,
    Merge,
    Op,
    Value,
    Var,
    equations,
    uses,
)
from srcgrad.ir.types import INTEGER, Type
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.simplify.passes import remove_dead
from srcgrad.transform.directions.rules import RULES, Unknown, elementwise
from srcgrad.transform.forward_parts import Forwarded, ForwardPair, PairTangent
from srcgrad.transformation.context import Context

AXIS = "directions"  # the name of the length of the first axis
BEGUN = "begun"  # that of tangents along the directions that have begun: see ``units``
_SHAPE = Op(METADATA["shape"], "attribute", "shape")
_GETITEM = Op(operator.getitem)
_LISTS = (LIST_NEW, LIST_APPEND, LIST_ITEM, LIST_POP, LIST_REVERSED)


def along_directions(context: Context, forwarded: Forwarded) -> Forwarded:
    """Return tangents of which each has a first axis, for the directions.

    All numbers must be of double precision.

    Args:
        context: the transformation.
        forwarded: the tangents along one direction, simplified.

    Raises:
        UnsupportedSyntaxError: where a statement has no rule.
    """
    try:
        return Directions(context, forwarded).made()
    except Unknown as unknown:
        raise UnsupportedSyntaxError(
            f"{unknown} along many directions at once is not supported",
            fixes=["take one direction after the other"],
        ) from None


def shapes_of(forwarded: Forwarded, lengths: Lengths) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the shapes of tangents along many directions, without the axis of these.

    Returns:
        Those that are computed as a whole, and those that are filled part by part, in which a
        length is a number, or a text as in ``Lengths``, or None.
    """
    computed, filled = {}, {}
    for eq in equations(forwarded.block):
        for target in eq.targets:
            shape = lengths.resolve(target.type.shape)
            if isinstance(shape, tuple) and shape[:1] in ((AXIS,), (BEGUN,)):
                (filled if eq.op.fn in (*WRITES, np.zeros) else computed)[shape[1:]] = None
    return tuple(computed), tuple(filled)


class Directions:
    """What has an axis for the directions so far."""

    def __init__(self, context: Context, forwarded: Forwarded) -> None:
        self.context = context
        self.lengths = context.lengths
        self.forwarded = forwarded
        self.moved: dict[Var, Var] = {}  # the tangents with that axis, by those without
        self.empty: dict[Var, Value] = {}  # zeros that may be tangents, with what has their shape
        self.block: list[Any] = []  # the statements of the region that is being filled
        self.seeds = {var: self.give(seed) for var, seed in forwarded.seeds.items()}
        if not self.seeds:
            raise Unknown("a result that depends on nothing")
        self.first = next(iter(self.seeds.values()))

    def made(self) -> Forwarded:
        """Return the tangents with their axis."""
        return Forwarded(remove_dead(self.region(self.forwarded.block), set()), self.seeds)

    def shape(self, value: Value) -> tuple[Any, ...]:
        """The shape of a value without the axis of the directions."""
        shape = self.lengths.resolve(type_of(value).shape)
        if not isinstance(shape, tuple):
            raise Unknown("a value of unknown rank")
        return shape

    def type_of_moved(self, shape: tuple[Any, ...]) -> Type:
        """The type of tangents along the directions."""
        return Type("array", (AXIS, *shape), "f", active=True)

    def give(self, var: Var) -> Var:
        """Make the variable that a tangent is along the directions."""
        made = Var(var.name, self.moved_type(var.type), var.named)
        self.moved[var] = made
        return made

    def moved_type(self, type_: Type) -> Type:
        """The type of a tangent, or of a list of tangents, along the directions."""
        if type_.kind == "list":
            element = type_.element
            if element is not None:
                element = tuple(part and self.moved_type(part) for part in element)
            return replace(type_, element=element)
        shape = self.lengths.resolve(type_.shape)
        if not type_.is_number or type_.dtype != "f" or not isinstance(shape, tuple):
            raise Unknown("a tangent that is no real array of known rank")
        return self.type_of_moved(shape)

    def emit(self, op: Any, args: tuple[Value, ...], type_: Type, eq: Any, **options: Value) -> Var:
        """Append an equation, and return its result."""
        made = Var("term", type_)
        op = op if isinstance(op, Op) else Op(op)
        self.block.append(Equation((made,), op, args, tuple(options.items()), eq.origin))
        return made

    def size(self, eq: Any) -> Var:
        """Emit the number of directions."""
        shape = self.emit(_SHAPE, (self.first,), Type("shape", ()), eq)
        return self.emit(_GETITEM, (shape, Const(0)), INTEGER, eq)

    def zeros(self, like: Value, eq: Any) -> Var:
        """Emit zeros along all directions, in the shape of a primal value."""
        shape = self.shape(like)
        sizes: list[Value] = [self.size(eq)]
        for axis, length in enumerate(shape):
            if isinstance(length, int):
                sizes.append(Const(length))
                continue
            whole = self.emit(_SHAPE, (like,), Type("shape", ()), eq)
            sizes.append(self.emit(_GETITEM, (whole, Const(axis)), INTEGER, eq))
        given = Items(tuple(sizes)) if shape else sizes[0]
        return self.emit(np.zeros, (given,), self.type_of_moved(shape), eq)

    def filled(self, value: Value, model: Var, node: Any) -> Value:
        """Return a tangent along all directions, zeros written out."""
        if value is UNDEFINED:
            return value
        made = self.part(value, node)
        if isinstance(made, Var) and made not in self.moved.values():
            made.name, made.named = model.name, model.named
        return made

    def region(self, block: Block) -> Block:
        """Return the statements of a region, along all directions."""
        around, self.block = self.block, []
        for statement in block:
            if isinstance(statement, Equation):
                self.equation(statement)
            elif isinstance(statement, If):
                self.branch(statement)
            else:
                self.loop(statement)
        made, self.block = self.block, around
        return tuple(made)

    def branch(self, node: If) -> None:
        arms = [self.region(node.then), self.region(node.orelse)]
        merges = []
        for merge in node.merges:
            sides = []
            for k, value in enumerate((merge.then, merge.orelse)):
                around, self.block = self.block, list(arms[k])
                sides.append(self.filled(value, merge.out, node))
                arms[k], self.block = tuple(self.block), around
            merges.append(Merge(self.give(merge.out), *sides))
        self.block.append(replace(node, then=arms[0], orelse=arms[1], merges=tuple(merges)))

    def loop(self, node: Loop) -> None:
        starts = [self.filled(c.init, c.param, node) for c in node.carried]
        params = [self.give(c.param) for c in node.carried]
        body = self.region(node.body)
        around, self.block = self.block, list(body)
        ends = [self.filled(c.next, c.param, node) for c in node.carried]
        body, self.block = tuple(self.block), around
        outs = [self.give(c.out) for c in node.carried]
        rows = zip(params, starts, ends, outs, strict=True)
        self.block.append(replace(node, carried=tuple(Carried(*row) for row in rows), body=body))

    def equation(self, eq: Equation) -> None:
        moving = any(v in self.moved for v in uses(eq))
        if eq.op.fn is RETURNED:
            rows = zip(eq.args, leaves(eq.payload), strict=True)
            args = tuple(self.returned(arg, leaf, eq) for arg, leaf in rows)
            self.block.append(replace(eq, args=args))
        elif isinstance(eq.op.fn, PairTangent):
            self.call(eq)
        elif eq.op.fn in _LISTS and (moving or eq.op.fn is LIST_NEW):
            self.listed(eq)
        elif moving and not any(t.type.active for t in eq.targets):
            raise Unknown("what is read of a tangent")
        elif moving:
            self.move(eq)
        else:  # a primal value, or zero
            if eq.op.fn is np.zeros_like and not eq.options:
                self.empty[eq.targets[0]] = eq.args[0]
            self.block.append(eq)

    def listed(self, eq: Equation) -> None:
        """What makes, changes or reads a list of tangents."""
        if eq.op.fn is not LIST_NEW and eq.args[0] not in self.moved:
            raise Unknown("a list that is no tangent")
        args = list(eq.args)
        for k, arg in enumerate(args):
            if k or eq.op.fn is LIST_NEW:
                args[k] = arg if eq.op.fn is LIST_ITEM else self.part(arg, eq)
            elif isinstance(arg, Var):
                args[k] = self.moved[arg]
        targets = tuple(map(self.give, eq.targets))
        self.block.append(replace(eq, targets=targets, args=tuple(args)))

    def part(self, value: Value, eq: Any) -> Value:
        """A tangent that is put beside others."""
        if isinstance(value, Var) and value in self.moved:
            return self.moved[value]
        if isinstance(value, Var) and value in self.empty:
            return self.zeros(self.empty[value], eq)
        if value == Const(0.0):
            return self.zeros(value, eq)
        raise Unknown("a part that is no tangent")

    def move(self, eq: Equation) -> None:
        """A statement that computes a tangent from others."""
        if len(eq.targets) != 1 or not _is_hashable(eq.op.fn):
            raise Unknown("a call with several results")
        made = self.give(eq.targets[0])
        RULES.get(eq.op.fn, elementwise)(self, eq)
        last = self.block[-1]
        assert isinstance(last, Equation)
        if last.targets[0].type.ndim != made.type.ndim:
            raise Unknown("a result of another rank")
        self.block[-1] = replace(last, targets=(made,))

    def returned(self, value: Value, leaf: Any, eq: Equation) -> Value:
        """A tangent that is given back."""
        if value == Const(None):
            return value
        if not isinstance(leaf, Var):
            raise Unknown("a result that is no variable")
        return self.filled(value, leaf, eq)

    def call(self, eq: Equation) -> None:
        """A call of a function that carries tangents along."""
        fn: PairTangent = eq.op.fn
        callee = fn.callee
        assert callee.forwarded is not None
        known = self.context.sweeping.get(callee)
        if known is None:
            known = self.context.sweeping[callee] = ForwardPair(callee.pair, callee.name)
            known.forwarded = along_directions(self.context, callee.forwarded)
        seeds = callee.forwarded.seeds
        args = tuple(
            self.filled(arg, seed, eq) for arg, seed in zip(eq.args, seeds.values(), strict=True)
        )
        targets = tuple(map(self.give, eq.targets))
        op = Op(replace(fn, callee=known))
        self.block.append(replace(eq, targets=targets, op=op, args=args))


def _is_hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True
