"""Sums of outer products in loops over the rows or the columns of a matrix, as one product.

``for i in range(n): a_bar += np.outer(x[i], w)`` adds up ``x.T @ rows``, where ``rows[i]`` is
``w``. So the loop only stores ``w``, and one product behind it, which goes through memory once,
does the rest. In the same way ``a_bar[:, i + 1:] += np.outer(x[:, i], w)`` adds up
``x @ rows``, and ``a_bar[:, i] += x[:, i + 1:] @ w`` adds up ``x @ rows.T``, where
``rows[i, i + 1:]`` is ``w``.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.places import Places
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.linear import weighted_sum
from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import (
    INDEX_ADD,
    Block,
    Carried,
    Const,
    Equation,
    Items,
    Loop,
    Op,
    Slice,
    Value,
    Var,
    variables,
)
from srcgrad.ir.types import INTEGER, Dim
from srcgrad.simplify.passes import remove_dead

_ALL = Slice(Const(None), Const(None), Const(None))
_FEW = 4  # rows that a loop may leave out: the product goes through them as well
_PRODUCTS = (operator.matmul, np.matmul)
_SHAPE = Op(METADATA["shape"], "attribute", "shape")


@dataclass(frozen=True)
class _Term:
    """What one write adds: a product of a matrix and the rows that the loop leaves."""

    matrix: Var  # the matrix
    index: Value  # where an iteration stores its part of the rows
    part: Var  # what it stores there
    shape: tuple[Dim, Dim]  # of the rows
    matrix_first: bool  # whether the matrix is the left factor
    turned: tuple[bool, bool]  # whether the matrix, and whether the rows, are transposed


def products_of_rows(
    block: Block,  # the backward part
    results: list[Value],  # what it gives
    forward: Mapping[Var, Equation],  # the equations of the forward part, by what they give
    changing: set[Var],  # the variables of the forward part that are computed in its loops
    lengths: Lengths,  # the lengths that have names
) -> Block:
    """Write sums of outer products as products of matrices.

    All arrays must be of double precision.
    """
    rows = _Rows(forward, changing, lengths, count_uses(block, results))
    made = rows.block(block)
    return remove_dead(made, {v for r in results for v in variables(r)}) if rows.found else block


class _Rows:
    def __init__(
        self,
        forward: Mapping[Var, Equation],
        changing: set[Var],
        lengths: Lengths,
        counts: Mapping[Var, int],
    ) -> None:
        self.forward = forward
        self.changing = changing
        self.lengths = lengths
        self.counts = counts
        self.places = Places(forward)
        self.computed: dict[Any, Equation] = {}  # in front of the loop
        self.found = False

    def block(self, block: Block) -> Block:
        out: list[Any] = []
        for statement in block:
            statement = with_blocks(statement, self.block)
            if isinstance(statement, Loop) and statement.header is not None:
                out += self.loop(statement, out)
            else:
                out.append(statement)
        return tuple(out)

    def loop(self, loop: Loop, before: list[Any]) -> list[Any]:
        """The statements that stand for a loop."""
        mine = {t: eq for eq in loop.body if isinstance(eq, Equation) for t in eq.targets}
        made: list[Any] = []
        behind: list[Any] = []
        for c in loop.carried if loop.header.header.kind == "range" else ():
            terms = self.terms(loop, c, mine)
            if terms:
                self.found = True
                loop = self.without(loop, c, terms, made, behind, before)
        return [*made, loop, *behind]

    def terms(self, loop: Loop, c: Carried, mine: dict[Var, Equation]) -> list[_Term]:
        """What a loop adds to an array, where these are products and nothing else reads it."""
        found: list[_Term] = []
        handed, version = {other.param for other in loop.carried}, c.next
        if not isinstance(c.init, Var) or c.param.type.kind != "array" or c.param.type.ndim != 2:
            return []
        while version is not c.param:
            eq = mine.get(version)  # type: ignore[arg-type]
            if eq is None or eq.options or self.counts.get(version, 0) != 1:  # type: ignore
                return []
            term = None
            if eq.op.fn is operator.add:
                term = self.whole(loop, c, eq.args[1], mine)
            elif eq.op.fn is INDEX_ADD:
                term = self.column(loop, c, eq.args[1], eq.args[2], mine)
            if term is None or term.matrix in self.changing:
                return []
            if term.matrix in mine or term.matrix in handed:
                return []
            found.append(term)
            version = eq.args[0]
        return found if self.counts.get(c.param, 0) == 1 else []

    def made(self, value: Value, mine: dict[Var, Equation], *fns: Any) -> tuple[Any, ...]:
        """The operands of a value that one of some functions gives; none for another one."""
        eq = (mine.get(value) or self.forward.get(value)) if isinstance(value, Var) else None
        known = eq is not None and not eq.options and any(eq.op.fn is fn for fn in fns)
        return eq.args if known and eq is not None else ()

    def whole(
        self, loop: Loop, c: Carried, value: Value, mine: dict[Var, Equation]
    ) -> _Term | None:
        """``np.outer(x[i], w)`` or ``np.outer(w, x[i])``, added to all of an array."""
        factors = self.made(value, mine, np.outer) if self.counts.get(value) == 1 else ()  # type: ignore[arg-type]
        p, q = self.shape(c.param)
        for k, (row, part) in enumerate((factors, factors[::-1]) if factors else ()):
            read = self.made(row, mine, operator.getitem)
            if not read or not self.counts_rows(loop, read[1], read[0], 0):
                continue
            m, n = self.shape(read[0])
            inner, outer = (p, q) if k == 0 else (q, p)
            if self.is_vector(part) and inner == n and self.shape(part) == (outer,):
                first = k == 0
                return _Term(read[0], read[1], part, (m, outer), first, (first, not first))
        return None

    def column(
        self, loop: Loop, c: Carried, index: Value, value: Value, mine: dict[Var, Equation]
    ) -> _Term | None:
        """``np.outer(x[:, i], w)`` added to some columns, or ``x[:, a:b] @ w`` to one."""
        entries = index.items if isinstance(index, Items) and not index.is_list else ()
        if len(entries) != 2 or entries[0] != _ALL or self.counts.get(value) != 1:  # type: ignore[arg-type]
            return None
        rows, columns = self.shape(c.param)
        if isinstance(entries[1], Slice):
            factors = self.made(value, mine, np.outer)
            matrix, place = self.columns_of(factors, mine)
            if matrix is None or not self.is_vector(factors[1]):
                return None
            m, n = self.shape(matrix)
            if m == rows and self.counts_rows(loop, place, matrix, 1):
                at = Items((place, entries[1]))
                return _Term(matrix, at, factors[1], (n, columns), True, (False, False))
            return None
        factors = self.made(value, mine, *_PRODUCTS)
        matrix, place = self.columns_of(factors, mine)
        if matrix is None or not isinstance(place, Slice):
            return None
        m, n = self.shape(matrix)
        if (
            m == rows
            and self.is_vector(factors[1])
            and self.counts_rows(loop, entries[1], c.param, 1)
        ):
            at = Items((entries[1], place))
            return _Term(matrix, at, factors[1], (columns, n), True, (False, True))
        return None

    def columns_of(self, factors: tuple[Any, ...], mine: dict[Var, Equation]) -> tuple[Any, Any]:
        """The matrix of which the first factor is a column, or some, and which; none otherwise."""
        read: Any = self.made(factors[0], mine, operator.getitem) if factors else ()
        place: Any = read[1].items if read and isinstance(read[1], Items) else ()
        known = len(place) == 2 and place[0] == _ALL and type_of(read[0]).ndim == 2
        return (read[0], place[1]) if known else (None, None)

    def shape(self, value: Value) -> Any:
        shape = self.lengths.resolve(type_of(value).shape)
        return shape if isinstance(shape, tuple) else (None,)

    def is_vector(self, value: Value) -> bool:
        return isinstance(value, Var) and value.type.kind == "array" and value.type.ndim == 1

    def counts_rows(self, loop: Loop, place: Value, array: Value, axis: int) -> bool:
        """Whether a place is where a loop stands that goes through nearly all of an axis."""
        if not isinstance(array, Var) or array in self.changing or type_of(array).ndim != 2:
            return False
        if type_of(array).dtype != "f" or None in self.shape(array):
            return False
        eq = self.forward.get(place) if isinstance(place, Var) else None
        if eq is None or self.places.offset(place, loop.header) != 0:
            return False
        first, stop, step = loop.header.header.values
        if step == Const(-1):
            first, stop = stop, first
        if step not in (Const(1), Const(-1)) or type(getattr(first, "value", None)) is not int:
            return False
        least = first.value + (step == Const(-1))
        last = self.lengths.whole(stop)
        if last is None or not 0 <= least <= _FEW:
            return False
        rest = weighted_sum([(self.shape(array)[axis], 1), (last, -1)])
        return isinstance(rest, int) and rest <= _FEW

    def without(
        self,
        loop: Loop,
        c: Carried,
        terms: list[_Term],
        made: list[Any],
        behind: list[Any],
        before: list[Any],
    ) -> Loop:
        """Let a loop store rows, and multiply them behind it."""
        kept = tuple(other for other in loop.carried if other is not c)
        gone, version = set(), c.next
        writes: list[Any] = []
        mine = {t: eq for eq in loop.body if isinstance(eq, Equation) for t in eq.targets}
        while version is not c.param:
            gone.add(version)
            version = mine[version].args[0]  # type: ignore[index]
        body = [s for s in loop.body if not (isinstance(s, Equation) and s.targets[0] in gone)]
        rows: dict[Any, Var] = {}
        together: dict[Any, list[Var]] = {}  # what each matrix is multiplied with
        total: Value = c.init
        here = {t: e for e in before if isinstance(e, Equation) for t in e.targets}
        zero = here.get(c.init)  # type: ignore[arg-type]
        self.computed = here
        if zero is not None and zero.op.fn is np.zeros_like:
            if self.counts.get(c.init) == 1:  # type: ignore[arg-type]
                total = Const(0.0)
                before.remove(zero)
        for term in reversed(terms):
            key = (term.index, term.part, term.shape)
            if key not in rows:
                type_ = replace(c.param.type, shape=term.shape)
                name = f"{term.part.name}_rows"
                start, param, next_, out = (Var(name, type_) for _ in range(4))
                made += self.zeros(start, term, c, loop)
                writes.append(
                    Equation(
                        (next_,), Op(INDEX_ADD), (param, term.index, term.part), (), loop.origin
                    )
                )
                kept += (Carried(param, start, next_, out),)
                rows[key] = out
            other = rows[key]
            if term.turned[1]:
                other = self.turned(other, behind, loop)
            together.setdefault((term.matrix, term.turned[0], term.matrix_first), []).append(other)
        for (matrix, turned, first), (other, *more) in together.items():
            for each in more:  # which the matrix is multiplied with once
                sum_ = Var("rows", other.type)
                behind.append(Equation((sum_,), Op(operator.add), (other, each), (), loop.origin))
                other = sum_
            factor = self.turned(matrix, behind, loop) if turned else matrix
            args = (factor, other) if first else (other, factor)
            product = Var(f"{c.out.name}_term", c.param.type)
            behind.append(Equation((product,), Op(operator.matmul), args, (), loop.origin))
            if total == Const(0.0):
                total = product
                continue
            sum_ = Var(c.out.name, c.param.type, named=c.out.named)
            behind.append(Equation((sum_,), Op(operator.add), (total, product), (), loop.origin))
            total = sum_
        last = behind.pop()
        behind.append(replace(last, targets=(c.out,)))
        return replace(loop, carried=kept, body=(*body, *writes))

    def turned(self, value: Var, behind: list[Any], loop: Loop) -> Var:
        """The transpose of a matrix."""
        flipped = Var("turned", replace(value.type, shape=self.shape(value)[::-1]))
        behind.append(Equation((flipped,), Op(np.transpose), (value,), (), loop.origin))
        return flipped

    def zeros(self, start: Var, term: _Term, c: Carried, loop: Loop) -> list[Equation]:
        """The equations that make the rows, of zeros."""
        sizes: list[Value] = []
        found: list[Equation] = []
        for length in term.shape:
            owner: Any = term.matrix if length in self.shape(term.matrix) else c.init
            zero = self.computed.get(owner)
            if zero is not None and zero.op.fn is np.zeros_like:
                owner = zero.args[0]
            axis = list(self.shape(owner)).index(length)
            shape = Var("shape", infer(self.lengths, _SHAPE.fn, (owner,), ()))
            size = Var("size", INTEGER)
            found.append(Equation((shape,), _SHAPE, (owner,), (), loop.origin))
            found.append(
                Equation((size,), Op(operator.getitem), (shape, Const(axis)), (), loop.origin)
            )
            sizes.append(size)
        found.append(Equation((start,), Op(np.zeros), (Items(tuple(sizes)),), (), loop.origin))
        return found


__all__ = ["products_of_rows"]
