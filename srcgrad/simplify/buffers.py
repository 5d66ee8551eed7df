"""What backward loops write into cotangents: zeros that nothing reads, and first entries.

``x[k] = v`` gives ``v_bar = x_bar[k]; x_bar[k] = 0``. Where a loop fills an array entry by
entry, nothing reads these zeros: the iterations before it read other entries, and what the
array held before the loop has no cotangent. ``v = x[k]`` gives ``x_bar[k] += v_bar``, which
is ``x_bar[k] = v_bar`` where each iteration writes an entry of its own into zeros.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.places import Places
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_ADD,
    INDEX_SET,
    Block,
    Carried,
    Const,
    Equation,
    Loop,
    Op,
    Value,
    Var,
    uses,
    variables,
)
from srcgrad.ir.rebuilding import reading


def plain_writes(block: Block, results: list[Value], forward: Mapping[Var, Equation]) -> Block:
    """Leave zeros out that nothing reads, and write first entries instead of adding them."""
    places = Places(forward)
    counts = count_uses(block, results) if any(isinstance(s, Loop) for s in block) else {}
    out: list[Any] = []
    for k, statement in enumerate(block):
        if isinstance(statement, Loop):
            zeros = {
                eq.targets[0]
                for eq in out
                if isinstance(eq, Equation) and eq.op.fn in (np.zeros_like, np.zeros)
            }
            for c in statement.carried:
                if c.param.type.kind != "array":
                    continue
                chain = _Chain(statement.body, c.param).handed_on(statement, c)
                if chain.known:
                    later = _Chain(block[k + 1 :], c.out).given(results)
                    statement = _without_zeros(statement, chain, later, places)
                    if c.init in zeros and counts[c.init] == 1:
                        statement = _with_first(statement, chain, places, ())
                elif c.init in zeros and counts[c.init] == 1:
                    statement = _with_first_inside(statement, c, places, ())
        out.append(statement)
    return tuple(out)


def _with_first_inside(loop: Loop, c: Carried, places: Places, around: tuple[Loop, ...]) -> Loop:
    """Write the first entries of an array that nothing but a loop inside of a loop is about."""
    inside = [s for s in loop.body if isinstance(s, Loop)]
    given = [(inner, d) for inner in inside for d in inner.carried if d.init is c.param]
    ends: list[Value] = [v for other in loop.carried for v in variables(other.next)]
    if len(given) != 1 or count_uses(loop.body, ends).get(c.param) != 1:
        return loop
    ((inner, d),) = given
    if c.next is not d.out or count_uses(loop.body, ends).get(d.out) != 1:
        return loop
    chain = _Chain(inner.body, d.param).handed_on(inner, d)
    if chain.known and not chain.reads:
        made = _with_first(inner, chain, places, (*around, loop))
    else:
        made = _with_first_inside(inner, d, places, (*around, loop))
    return replace(loop, body=tuple(made if s is inner else s for s in loop.body))


def _without_zeros(loop: Loop, chain: _Chain, later: _Chain, places: Places) -> Loop:
    """Leave the zeros out that neither the loop nor what comes behind it reads."""
    header = loop.header
    before: dict[Value, Value] = {}  # of arrays behind writes that were left out
    for place, eq in chain.writes if later.known else ():
        if eq.op.fn is not INDEX_SET or eq.args[2] != Const(0.0):
            continue
        index, new = eq.args[1], eq.targets[0]
        old = before.get(eq.args[0], eq.args[0])
        if all(places.apart(header, index, read, -1, at > place) for at, read in chain.reads):
            if all(places.before(header, index, read) for _, read in later.reads):
                carried = tuple(replace(c, next=old) if c.next is new else c for c in loop.carried)
                loop = replace(loop, carried=carried, body=_without(loop.body, new, old))
                before[new] = old
    return loop


def _with_first(loop: Loop, chain: _Chain, places: Places, around: tuple[Loop, ...]) -> Loop:
    """Write entries, instead of adding them, where nothing has been written before.

    Args:
        loop: the loop.
        chain: what is written in it.
        places: compares indices.
        around: the loops that it stands in, of which each iteration goes through all of it.
    """
    first: set[Var] = set()
    for place, eq in chain.writes:
        if eq.op.fn is INDEX_ADD and all(
            places.apart(loop.header, other.args[1], eq.args[1], -1, at < place)
            and all(
                places.apart(outer.header, other.args[1], eq.args[1], -1, False) for outer in around
            )
            for at, other in chain.writes
        ):
            first.add(eq.targets[0])
    return replace(loop, body=_written(loop.body, first)) if first else loop


class _Chain:
    """The versions of an array in a block, what is written into them, and what is read.

    Attributes:
        known: whether nothing but reads and writes with an index is done with it.
    """

    def __init__(self, block: Block, first: Var) -> None:
        self.versions: set[Any] = {first}
        self.writes: list[tuple[int, Equation]] = []
        self.reads: list[tuple[int, Value]] = []
        self.known, self.count = True, 0
        self._visit(block)

    def handed_on(self, loop: Loop, carried: Carried) -> _Chain:
        """Ask that the last version is what an iteration hands on in the place of the first."""
        others = [v for c in loop.carried if c is not carried for v in variables(c.next)]
        self.known &= carried.next in self.versions and self.versions.isdisjoint(others)
        return self

    def given(self, results: list[Value]) -> _Chain:
        """Ask that no version is among some values."""
        self.known &= self.versions.isdisjoint(v for r in results for v in variables(r))
        return self

    def _visit(self, block: Block) -> None:
        for statement in block:
            self.count += 1
            if isinstance(statement, Equation):
                self._equation(statement)
                continue
            if isinstance(statement, Loop):
                self.known &= self.versions.isdisjoint(count_uses((statement,), []))
                continue
            self._visit(statement.then)
            self._visit(statement.orelse)
            for m in statement.merges:
                found = self.versions & {m.then, m.orelse}
                if found:
                    self.known &= m.then in self.versions and m.orelse in self.versions
                    self.versions.add(m.out)

    def _equation(self, eq: Equation) -> None:
        read = [v for v in uses(eq) if v in self.versions]
        if not read:
            return
        mine = read == [eq.args[0]]
        if mine and eq.op.fn in (INDEX_ADD, INDEX_SET, ADD_AT):
            self.versions.update(eq.targets)
            self.writes.append((self.count, eq))
        elif mine and eq.op.fn is operator.getitem:
            self.reads.append((self.count, eq.args[1]))
        else:
            self.known = False


def _without(block: Block, new: Var, old: Value) -> Block:
    """Read an array before a write in the place of that behind it."""
    rest = with_equations(block, lambda eq: () if new in eq.targets else (eq,))
    return reading(rest, {new: old})


def _written(block: Block, first: set[Var]) -> Block:
    """Write entries in the place of adding them."""

    def change(eq: Equation) -> Block:
        return (eq if first.isdisjoint(eq.targets) else replace(eq, op=Op(INDEX_SET)),)

    return with_equations(block, change)
