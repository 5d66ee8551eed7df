"""Numbers that are spread over the shape of an array: as an array of its kind and dtype.

``np.broadcast_to`` makes a NumPy array in double precision of a Python number,
whichever arrays the program is about.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import INDEX_ADD, INDEX_SET, Block, Const, Equation, Op, Value, Var, equations


def measured(block: Block) -> set[Var]:
    """Return the shapes that numbers are spread over; what they are of has the right dtype."""
    return {shape for eq in equations(block) if isinstance(shape := _shape_of_spread(eq), Var)}


def fill(block: Block) -> Block:
    """Write numbers that are spread over an array's shape as ``np.full_like``."""
    owners = {
        eq.targets[0]: eq.args[0]
        for eq in equations(block)
        if isinstance(eq.op.fn, Metadata) and eq.op.name == "shape"
    }
    counts = _counts(block, owners)
    shares = {
        eq.targets[0]: eq
        for eq in equations(block)
        if eq.op.fn is operator.truediv and eq.args[1] in counts
    }

    def filled(eq: Equation) -> Iterable[Equation]:
        made = _full_like(eq, owners)
        share = shares.get(made.args[-1]) if made is not eq else None  # type: ignore[arg-type]
        return [made] if share is None else _of_some(made, share)

    block = with_equations(block, filled)
    numbers = {
        eq.targets[0]: eq.args[1] if eq.op.fn is np.full_like else Const(1.0)
        for eq in equations(block)
        if eq.op.fn in (np.full_like, np.ones_like) and not eq.options
    }

    def written(eq: Equation) -> Iterable[Equation]:
        """A number is written into a part of an array as it is: the part has the shape already."""
        if eq.op.fn in (INDEX_ADD, INDEX_SET) and eq.args[2] in numbers:
            eq = replace(eq, args=(*eq.args[:2], numbers[eq.args[2]]))  # type: ignore[index]
        return [eq]

    return with_equations(block, written)


def _counts(block: Block, shapes: Mapping[Var, Value]) -> set[Var]:
    """Return the numbers that count entries of arrays, so that they may be zero."""
    counts: set[Var] = set()
    for eq in equations(block):
        fn, first = eq.op.fn, eq.args[0] if eq.args else None
        size = isinstance(fn, Metadata) and eq.op.name == "size"
        item = fn is operator.getitem and first in shapes
        if size or item or (fn is operator.floordiv and first in counts):
            counts.add(eq.targets[0])
    return counts


def _of_some(filled: Equation, share: Equation) -> list[Equation]:
    """Divide by the size of an array where that may be zero, which is no error then."""
    size, quotient = share.args[1], share.targets[0]
    assert isinstance(size, Var)
    count, new = Var(size.name, size.type), Var(quotient.name, quotient.type)
    return [
        Equation((count,), Op(max), (size, Const(1)), (), share.origin),
        replace(share, targets=(new,), args=(share.args[0], count)),
        replace(filled, args=(filled.args[0], new)),
    ]


def _full_like(eq: Equation, owners: dict[Var, Value]) -> Equation:
    spread = _shape_of_spread(eq)
    owner = owners.get(spread) if isinstance(spread, Var) else None
    if not isinstance(owner, Var) or type_of(eq.args[0]).dtype in ("b", "c"):
        return eq
    if owner.type.dtype != "f" and not (owner.type.dtype == "?" and owner.type.active):
        return eq
    if eq.args[0] == Const(1.0):
        return Equation(eq.targets, Op(np.ones_like), (owner,), (), eq.origin, eq.payload)
    return Equation(eq.targets, Op(np.full_like), (owner, eq.args[0]), (), eq.origin, eq.payload)


def _shape_of_spread(eq: Equation) -> Value | None:
    """Return the shape that a number is spread over, None if the equation does not do that."""
    if eq.op.fn is not np.broadcast_to or not type_of(eq.args[0]).is_scalar:
        return None
    return dict(eq.options).get("shape")
