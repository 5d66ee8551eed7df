"""Copies before writes that somebody else would see, and the order of what is written."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.memory.ownership import trace
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
        elif isinstance(statement, If):
            writes.setdefault(here, []).append((k, statement))
            for var in variables(statement.test):
                use[var] = (statement, (-1, k))
            note_places(statement.then, position, use, writes, counter)
            note_places(statement.orelse, position, use, writes, counter)
        else:
            writes.setdefault(here, []).append((k, statement))
            note_places(statement.body, position, use, writes, counter)


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
        elif isinstance(statement, If):
            then, orelse = map(zeros_like_the_last, (statement.then, statement.orelse))
            if (then, orelse) != (statement.then, statement.orelse):
                statement = replace(statement, then=then, orelse=orelse)
        else:
            body = zeros_like_the_last(statement.body)
            if body != statement.body:
                statement = replace(statement, body=body)
        out.append(statement)
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
        if isinstance(statement, If):
            then = _own_loop_inits(statement.then, roots)
            orelse = _own_loop_inits(statement.orelse, roots)
            if (then, orelse) != (statement.then, statement.orelse):
                statement = replace(statement, then=then, orelse=orelse)
        elif isinstance(statement, Loop):
            carried = []
            for c in statement.carried:
                init = c.init
                if isinstance(init, Var) and _is_written(statement.body, c.param):
                    mine = roots.get(init, frozenset([("external", init)]))
                    if any(r[0] == "external" for r in mine):
                        copy = Var(c.param.name, c.param.type, True)
                        out.append(Equation((copy,), Op(np.copy), (init,), (), statement.origin))
                        init = copy
                carried.append(c if init is c.init else Carried(c.param, init, c.next, c.out))
            if tuple(carried) != statement.carried:
                statement = replace(statement, carried=tuple(carried))
            else:
                body = _own_loop_inits(statement.body, roots)
                if body != statement.body:
                    statement = replace(statement, body=body)
        out.append(statement)
    return tuple(out)


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


def insert_copies(block: Block, bad: set[Equation]) -> Block:
    """Copy the arrays that some writes would change for others."""
    out: list[Any] = []
    for statement in block:
        if isinstance(statement, Equation) and statement in bad:
            base = statement.args[0]
            copy = Var(statement.targets[0].name, statement.targets[0].type, True)
            out.append(Equation((copy,), Op(np.copy), (base,), (), statement.origin))
            args = (copy, *statement.args[1:])
            out.append(
                Equation(
                    statement.targets,
                    statement.op,
                    args,
                    statement.options,
                    statement.origin,
                    statement.payload,
                )
            )
        elif isinstance(statement, If):
            out.append(
                If(
                    statement.test,
                    insert_copies(statement.then, bad),
                    insert_copies(statement.orelse, bad),
                    statement.merges,
                    statement.origin,
                    statement.frames,
                )
            )
        elif isinstance(statement, Loop):
            out.append(
                Loop(
                    statement.carried,
                    insert_copies(statement.body, bad),
                    statement.index,
                    statement.header,
                    statement.origin,
                    statement.frame,
                )
            )
        else:
            out.append(statement)
    return tuple(out)
