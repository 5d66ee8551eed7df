"""Values and statements with other parts, or with other variables in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.nodes import (
    Block,
    Carried,
    Compound,
    Equation,
    If,
    Merge,
    Slice,
    Statement,
    Value,
    Var,
)


def rebuilt(value: Compound, change: Callable[[Any], Any], memo: Any = None) -> Value:
    """Return a compound value with its parts changed; itself, if that changes none.

    ``memo``: what became of values, by their ids, so that what is one object stays one.
    """
    if memo is not None:
        if id(value) not in memo:
            memo[id(value)] = rebuilt(value, change)
        return memo[id(value)]
    parts = [change(part) for part in value.items]
    same = all(new is old for new, old in zip(parts, value.items, strict=True))
    return value if same else value.like(parts)


def substituted(value: Any, new: Mapping[Var, Value]) -> Any:
    """Return a value with other values in the place of some variables."""
    if isinstance(value, Var):
        return new.get(value, value)
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: substituted(part, new))
    if isinstance(value, Slice):
        return Slice(*(substituted(part, new) for part in (value.lower, value.upper, value.step)))
    return value


def equation_reading(eq: Equation, new: Mapping[Var, Value]) -> Equation:
    """Return an equation that reads other values in the place of some variables."""
    args = tuple(substituted(a, new) for a in eq.args)
    options = tuple((k, substituted(v, new)) for k, v in eq.options)
    same = (args, options) == (eq.args, eq.options)
    return eq if same else replace(eq, args=args, options=options)


def reading(block: Block, new: Mapping[Var, Value]) -> Block:
    """Return a block that reads other values in the place of some variables."""
    return tuple(_reading(statement, new) for statement in block)


def _reading(statement: Statement, new: Mapping[Var, Value]) -> Statement:
    if isinstance(statement, Equation):
        return equation_reading(statement, new)
    inner = with_blocks(statement, lambda block: reading(block, new))
    if isinstance(inner, If):
        ends = ((m.out, substituted(m.then, new), substituted(m.orelse, new)) for m in inner.merges)
        merges = tuple(Merge(*end) for end in ends)
        return replace(inner, test=substituted(inner.test, new), merges=merges)
    rows = (
        (c.param, substituted(c.init, new), substituted(c.next, new), c.out) for c in inner.carried
    )
    return replace(inner, carried=tuple(Carried(*row) for row in rows))


def with_leaves(value: Value, new: Mapping[int, Value]) -> Value:
    """Return a value with some of its leaves exchanged."""
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: with_leaves(part, new))
    return new.get(id(value), value)
