"""Copies before writes that somebody else would see, and the order of what is written."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.memory.ownership import roots_of, trace
from srcgrad.ir.blocks import carried_of, exchanged, inner_blocks, merges_of, with_blocks
from srcgrad.ir.nodes import (
    FINAL,
    LIST_WRITES,
    WRITES,
    Block,
    Carried,
    Equation,
    If,
    Loop,
    Op,
    Var,
    equations,
    uses,
    variables,
)


def note_places(block: Block, position, use, writes: dict, counter: list[int]) -> None:
    """Note where variables are defined and read, per block, and where arrays are written."""
    counter[0] += 1
    here = counter[0]
    for k, statement in enumerate(block):
        if isinstance(statement, Equation):
            for target in statement.targets:
                position[target] = (here, k)
            for var in uses(statement):
                use[var] = (statement, (here, k))
            if statement.op.fn in (*WRITES, *LIST_WRITES, FINAL):
                writes.setdefault(here, []).append((k, statement))
            continue
        writes.setdefault(here, []).append((k, statement))
        for var in variables(statement.test) if isinstance(statement, If) else ():
            use[var] = (statement, (-1, k))
        for inner in inner_blocks(statement):
            note_places(inner, position, use, writes, counter)


def zeros_like_the_last(block: Block) -> Block:
    """Take the shape of zeros from what became of an array, which may then be written in place."""
    newest: dict[Any, Var] = {}
    out: list[Any] = []
    for statement in block:
        if isinstance(statement, Equation):
            if statement.op.fn is np.zeros_like and statement.args[0] in newest:
                last = newest[statement.args[0]]
                while last in newest:
                    last = newest[last]
                statement = replace(statement, args=(last, *statement.args[1:]))
            elif statement.op.fn in WRITES or _is_sum_of_arrays(statement):
                newest[statement.args[0]] = statement.targets[0]
        out.append(with_blocks(statement, zeros_like_the_last))
    return tuple(out)


def _is_sum_of_arrays(eq: Equation) -> bool:
    first = eq.args[0] if eq.args else None
    return (
        eq.op.fn in (operator.add, operator.sub)
        and isinstance(first, Var)
        and first.type.kind == "array"
        and isinstance(first.type.shape, tuple)
        and None not in first.type.shape
        and eq.targets[0].type == first.type
    )


def own_loop_inits(block: Block) -> Block:
    """Copy an array before a loop that writes into it, if it is not this code's own."""
    while True:  # what an outer loop copies is this code's own in an inner one
        new = _own_loop_inits(block, trace(block))
        if new == block:
            return block
        block = new


def _own_loop_inits(block: Block, roots: dict[Var, Any]) -> Block:
    """Copy arrays before the outermost loops that need it."""
    out: list[Any] = []
    for statement in block:
        if isinstance(statement, Loop) and (shared := _shared_inits(statement, roots)):
            new = {c: Var(c.param.name, c.param.type, True) for c in shared}
            for c, copy in new.items():
                out.append(Equation((copy,), Op(np.copy), (c.init,), (), statement.origin))
            carried = (replace(c, init=new[c]) if c in new else c for c in statement.carried)
            out.append(replace(statement, carried=tuple(carried)))
        else:
            out.append(with_blocks(statement, lambda inner: _own_loop_inits(inner, roots)))
    return tuple(out)


def _shared_inits(loop: Loop, roots: dict[Var, Any]) -> list[Carried]:
    """What a loop carries and writes into, and is given from outside of this code."""
    written = [c for c in loop.carried if _is_written(loop.body, c.param)]
    return [c for c in written if any(r[0] == "external" for r in roots_of(c.init, roots))]


def _is_written(block: Block, param: Var) -> bool:
    """Whether the statements of a loop write into the array of a parameter."""
    same = {param}
    for eq in equations(block):
        if eq.op.fn in WRITES and eq.args[0] in same:
            return True
    return any(
        isinstance(s, Loop)
        and any(c.init in same and _is_written(s.body, c.param) for c in s.carried)
        for s in block
    )


def handed_on(block: Block) -> set[Var]:
    """Return what is written into or given back, or what another one may share memory with."""
    found: set[Var] = set()
    for statement in block:
        values = [v for m in merges_of(statement) for v in (m.then, m.orelse)]
        values += [v for c in carried_of(statement) for v in (c.init, c.next)]
        if not isinstance(statement, Equation):
            found = found.union(*map(handed_on, inner_blocks(statement)))
        elif statement.op.fn in WRITES:
            values = [statement.args[0]]
        else:
            passive = statement.targets and all(t.type.is_immutable for t in statement.targets)
            if not is_fresh(statement) and not passive:  # what has no targets gives things back
                found.update(uses(statement))
        found.update(v for value in values for v in variables(value))
    return found


def insert_copies(block: Block, bad: set[Equation]) -> Block:
    """Copy the arrays that some writes would change for others."""
    changes: dict[Equation, Block] = {}
    for eq in bad:
        copy = Var(eq.targets[0].name, eq.targets[0].type, True)
        before = Equation((copy,), Op(np.copy), eq.args[:1], (), eq.origin)
        changes[eq] = before, replace(eq, args=(copy, *eq.args[1:]))
    return exchanged(block, changes)
