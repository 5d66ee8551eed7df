"""What a backward part returns: its names, and copies where memory would be shared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses, defined
from srcgrad.analysis.memory.ownership import LIST_MAKERS, ZERO_MAKERS, Roots, roots_of, trace
from srcgrad.frontend.state.builder import OPERATOR_NAMES
from srcgrad.ir.blocks import inner_blocks, merges_of, statements
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_SET,
    LIST_TAKE,
    WRITES,
    Block,
    Carried,
    Equation,
    Loop,
    Op,
    Value,
    Var,
    equations,
    variables,
)


def name_results(block: Block, results: list[Value], labels: tuple[str, ...]) -> None:
    """Name results that nothing else reads after their arguments."""
    read, computed = count_uses(block, results), defined(block)
    for result, label in zip(results, labels, strict=True):
        if not isinstance(result, Var) or result.named or result not in computed:
            continue
        if read[result] == 1 or result.name.removesuffix("_bar") in OPERATOR_NAMES:
            result.name = f"{label}_bar"
            result.named = True


def owned(block: Block, results: list[Value], given: set[Var]) -> tuple[Block, list[Value]]:
    """Copy results that share memory with an argument, the value or each other."""
    allowed = {("external", var) for var in given}
    seen: set[Any] = set()
    roots, made_here = trace(block), defined(block)
    taken: set[Any] = set()  # what was taken out of lists
    popped = {v for eq in block if isinstance(eq, Equation) for v in _taken_by(eq)}
    alone = stored_once(block, roots) if popped else frozenset()

    def shared(mine: Roots, by_itself: Roots = frozenset()) -> bool:
        others = seen | (taken - by_itself)
        return bool((mine & others) - allowed) or any(r[0] == "external" for r in mine - allowed)

    out: list[Value] = []
    for result in results:
        if not isinstance(result, Var) or not result.type.is_number or result.type.is_immutable:
            out.append(result)
            continue
        mine = roots_of(result, roots)
        if result in popped and results.count(result) == 1 and not shared(mine, alone):
            taken |= mine
            out.append(result)
            continue
        if shared(mine):
            better = copied_base(copied_init(block, result), result)
            again = trace(better)
            mine = roots_of(result, again)
            if shared(mine):
                copy = Var(result.name, result.type, result.named and result in made_here)
                if results.count(result) == 1 and not count_uses(block, []).get(result):
                    result.named = False  # it is written inside the copy
                origin = next((e.origin for e in equations(block) if result in e.targets), None)
                block = (*block, Equation((copy,), Op(np.copy), (result,), (), origin))
                result, mine = copy, frozenset([("array", copy)])
            else:
                block, roots = better, again
        seen |= mine
        out.append(result)
    return block, out


def _taken_by(eq: Equation) -> tuple[Var, ...]:
    """The parts of an element that an equation takes out of a list, where nobody finds it again."""
    return eq.targets[1:] if eq.op.fn is LIST_POP else ()


def stored_once(block: Block, roots: dict[Var, Roots]) -> Roots:
    """Return the memory that lists hold in one place: each array is made for one element.

    Two elements that are taken out of such lists share nothing.
    """
    places: dict[Any, int] = {}
    made: set[Any] = set()
    older: set[Any] = set()
    merged = {m.out: (m.then, m.orelse) for s in statements(block) for m in merges_of(s)}

    def visit(part_of_block: Block, own: set[Var], before: Roots) -> None:
        """Go through what is carried out once for each time that ``own`` is made anew."""
        for eq in part_of_block:
            if isinstance(eq, Loop):
                made_here = list(_made_at_once(eq.body))
                known = [c.param for c in eq.carried if c.param.type.kind != "list"]
                known += [v for e in made_here if e.op.fn in _TAKING for v in e.targets]
                handed_on = (roots_of(v, roots) for v in known)
                visit(eq.body, {v for e in made_here for v in e.targets}, before.union(*handed_on))
                continue
            if not isinstance(eq, Equation):
                for arm in inner_blocks(eq):
                    visit(arm, own, before)
                continue
            if eq.op.fn in ZERO_MAKERS:
                made.add(("array", eq.targets[0]))
                continue
            stores = eq.op.fn in _STORES
            if not stores and eq.op.fn not in LIST_MAKERS:
                continue
            for part in [
                v for value in eq.args[_STORES.get(eq.op.fn, 0) :] for v in variables(value)
            ]:
                for root in roots_of(part, roots):
                    places[root] = places.get(root, 0) + (1 if stores else 2)
                for one in _either(part, merged):
                    mine = roots_of(one, roots)
                    anew = {r for r in mine if r[0] == "array" and r[1] in own}
                    if mine != {("array", one)}:  # a part of one that was made, or one of several
                        anew -= before
                    made.update(anew if stores else ())
                    older.update(mine - anew)

    visit(block, {v for e in _made_at_once(block) for v in e.targets}, frozenset())
    return frozenset(root for root in made - older if places.get(root, 0) <= 1)


def _either(value: Var, merged: dict[Var, tuple[Value, Value]]) -> Iterator[Var]:
    """The values one of which a value is, whichever arm of a branch is taken."""
    for side in merged.get(value, ()):
        if isinstance(side, Var):
            yield from _either(side, merged)
    if value not in merged:
        yield value


def _made_at_once(block: Block) -> Iterator[Equation]:
    """The equations that are carried out at most once each time that a block is."""
    for statement in block:
        if isinstance(statement, Equation):
            yield statement
        elif not isinstance(statement, Loop):
            for arm in inner_blocks(statement):
                yield from _made_at_once(arm)


_TAKING = (LIST_ITEM, LIST_POP, LIST_TAKE)
# where the arguments begin that become elements
_STORES = {LIST_NEW: 0, LIST_APPEND: 1, LIST_SET: 2, LIST_INSERT: 2}


def copied_base(block: Block, result: Var) -> Block:
    """Copy the array that a result is before the first write into it, in a straight line."""
    made = {eq.targets[0]: eq for eq in block if isinstance(eq, Equation) and eq.targets}
    first, var = None, result
    while var in made and made[var].op.fn in WRITES:
        base = made[var].args[0]
        if not isinstance(base, Var):
            break
        first, var = made[var], base
    if first is None or (var in made and made[var].op.fn is np.copy):
        return block
    copy = Var(result.name, var.type, result.named)
    added = Equation((copy,), Op(np.copy), (var,), (), first.origin)
    k = block.index(first)
    return (*block[:k], added, replace(first, args=(copy, *first.args[1:])), *block[k + 1 :])


def copied_init(block: Block, result: Var) -> Block:
    """Copy the array that a result has at the start of the loop that computes it."""
    out: list[Any] = []
    for statement in block:
        entry = None
        if isinstance(statement, Loop):
            mine = (c for c in statement.carried if c.out is result and isinstance(c.init, Var))
            entry = next(mine, None)
        if isinstance(statement, Loop) and entry:
            copy = Var(result.name, result.type, result.named)
            out.append(Equation((copy,), Op(np.copy), (entry.init,), (), statement.origin))
            carried = tuple(
                Carried(c.param, copy if c is entry else c.init, c.next, c.out)
                for c in statement.carried
            )
            statement = replace(statement, carried=carried)
        out.append(statement)
    return tuple(out)
