"""Which variables are lists of varying length that a block was given, and what it does to them."""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import (
    LIST_ITEM,
    LIST_POP,
    LIST_TAKE,
    LIST_WRITES,
    PAIR,
    Block,
    Equation,
    Function,
    If,
    Value,
    Var,
    equations,
    variables,
)

Versions = dict[Var, frozenset[Var]]

_TAKING = (PAIR, LIST_ITEM, LIST_POP, LIST_TAKE)  # give lists of what they are given, or in it


def is_list(value: Value) -> bool:
    """Whether a value is a list of varying length."""
    return isinstance(value, Var) and value.type.kind == "list"


def list_versions(block: Block, given: Iterable[Value], inside: bool = True) -> Versions:
    """Return which of some lists each variable of a block may be.

    Args:
        block: the statements.
        given: the lists.
        inside: whether what is taken out of a list, or given back by a call, counts as that.
    """
    same: Versions = {v: frozenset({v}) for v in given if isinstance(v, Var) and is_list(v)}
    before: Versions | None = None
    while same != before:  # what a loop hands to its next iteration
        before = dict(same)
        _trace(block, same, inside)
    return same


def changes_of_lists(block: Block, given: Iterable[Value], inside: bool = True) -> list[Equation]:
    """Return the equations that may change some lists, those of called functions included.

    Args:
        block: the statements.
        given: the lists.
        inside: whether lists count that are taken out of these.
    """
    return _changes(block, given, inside, frozenset())


def _changes(
    block: Block, given: Iterable[Value], inside: bool, outer: frozenset[Function]
) -> list[Equation]:
    same = list_versions(block, given, inside)
    found = []
    for eq in equations(block):
        if eq.op.fn in LIST_WRITES:
            found += [eq] if _of(same, eq.args[0]) else []
        elif eq.op.fn is PAIR and _of(same, *eq.args):
            function = eq.payload.pair.function
            if function is None or function in outer:
                found += [eq] if any(map(is_list, eq.targets)) else []  # not known
                continue
            params = [v for _, held in function.params for v in variables(held)]
            found += _changes(function.body, params, True, outer | {function})
    return found


def _of(same: Versions, *values: Value) -> frozenset[Var]:
    inside = (same.get(var, frozenset()) for value in values for var in variables(value))
    return frozenset().union(*inside)


def _trace(block: Block, same: Versions, inside: bool) -> None:
    for statement in block:
        if isinstance(statement, Equation):
            fn = statement.op.fn
            if fn in LIST_WRITES:
                same[statement.targets[0]] = _of(same, statement.args[0])
            if inside and fn in _TAKING:
                parts = [t for t in statement.targets if is_list(t)]
                same |= dict.fromkeys(parts, _of(same, *statement.args))
        elif isinstance(statement, If):
            _trace(statement.then, same, inside)
            _trace(statement.orelse, same, inside)
            same |= {m.out: _of(same, m.then, m.orelse) for m in statement.merges if is_list(m.out)}
        else:
            lists = [c for c in statement.carried if is_list(c.param)]
            same |= {c.param: _of(same, c.init, c.next) for c in lists}
            _trace(statement.body, same, inside)
            same |= {c.out: _of(same, c.init, c.next) for c in lists}
