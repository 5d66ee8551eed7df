"""Which variables never share memory at the same time, although they take turns with the same.

``u, new = new, u`` in a loop lets both names hold both arrays, one after the other.
Tracing variables to allocations alone cannot tell them apart. Here the values that
a loop hands from one iteration to the next are assumed to be separate arrays; the
assumption is checked at the loop's entry and at the end of an iteration, and given
up for those for which it does not hold.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.ownership import (
    Roots,
    equation_roots,
    list_itself,
    origin,
    roots_of,
    trace,
)
from srcgrad.ir.blocks import loops_of
from srcgrad.ir.nodes import Block, Carried, Equation, If, Loop, Value, Var, equations


class Memory:
    """What the variables of a block may share memory with."""

    def __init__(self, block: Block) -> None:
        self.plain = trace(block)
        self.roots: dict[Var, Roots] = {}
        self.loops: dict[Var, Loop] = {}
        self.inside: dict[Loop, set[Var]] = {}
        self.nested: dict[Loop, set[Loop]] = {}
        self.taken: dict[Var, Roots] = {}  # what takes turns, seen from outside of the loop
        self._visit(block)

    def of(self, value: Value) -> Roots:
        """The allocations, and the turns of loops, that a value may belong to."""
        return roots_of(value, self.roots)

    def share(self, a: Roots, b: Roots) -> bool:
        """Whether two values may share memory."""
        if not a.isdisjoint(b):
            return True
        return bool(self.loops) and any(self._same(p, q) for p in a for q in b)

    def _same(self, a: Any, b: Any) -> bool:
        if a == b:
            return True
        if a[0] != "turn":
            a, b = b, a
        if a[0] != "turn":
            return False
        loop = self.loops[a[1]]
        if b[0] == "turn":
            other = self.loops[b[1]]
            if loop is other:  # a list may hold what has a name of its own
                lists = any(p[1].type.kind == "list" for p in (a, b))
                return lists and bool(self.plain[a[1]] & self.plain[b[1]])
            if loop not in self.nested[other]:
                a, b = b, a  # the first one is of the loop inside
        elif b[0] == "array" and b[1] in self.inside[loop]:
            return False  # it is made anew in each iteration
        elif b[0] == "list" and a[1].type.kind == "list":
            return False  # a turn of a list is what it holds, without the list itself
        if a[1] in self.taken:
            return any(self._same(root, b) for root in self.taken[a[1]])
        return bool(self.plain[a[1]] & (self.plain[b[1]] if b[0] == "turn" else {b}))

    def _visit(self, block: Block) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                for target in statement.targets:
                    self.roots[target] = equation_roots(statement, target, self.roots)
            elif isinstance(statement, If):
                self._visit(statement.then)
                self._visit(statement.orelse)
                for m in statement.merges:
                    self.roots[m.out] = self.of(m.then) | self.of(m.orelse)
            else:
                self._loop(statement)

    def _loop(self, loop: Loop) -> None:
        self.inside[loop] = {t for eq in equations(loop.body) for t in eq.targets}
        self.nested[loop] = set(loops_of(loop.body))
        for c in loop.carried:
            self.taken.pop(c.param, None)
        mixed: set[Carried] = set()
        reads = count_uses(loop.body, [c.next for c in loop.carried])
        kept = [c for c in loop.carried if reads.get(c.param)]  # others start anew each time
        anew = self._from_before(loop, kept)
        lists = {c: self._lists_from_outside(loop, c.init) for c in loop.carried}
        while True:
            for c in loop.carried:
                self.loops[c.param] = loop
                turn = self._turn(loop, c, anew.get(c, frozenset())) | lists[c]
                self.roots[c.param] = self.plain[c.param] if c in mixed else turn
            self._visit(loop.body)
            before = lists
            lists = {c: lists[c] | self._lists_from_outside(loop, c.next) for c in loop.carried}
            if lists != before:
                continue
            apart = [c for c in kept if c not in mixed and c.param.type.kind != "list"]
            others = [c for c in kept if c.param.type.kind != "list"]
            more = {c for c in apart if any(self._meet(c, d) for d in others if d is not c)}
            if not more:
                break
            mixed |= more
        self.taken |= self._taken(loop)
        for c in loop.carried:
            self.roots[c.out] = self.taken[c.param]

    def _turn(self, loop: Loop, c: Carried, anew: Roots) -> Roots:
        """What a carried value is at the start of an iteration, but for lists from outside."""
        found = {("turn", c.param)}
        for root in self.plain[c.param]:
            if root[0] == "list":
                made_here = root[1] in self.inside[loop]
                found |= {("list", c.param) if root in anew else root} if made_here else set()
            elif root[0] == "held":
                found |= set() if origin(root)[1] in self.inside[loop] else {root}
            elif root[0] != "array":
                found.add(root)
        return frozenset(found)

    def _lists_from_outside(self, loop: Loop, value: Value) -> Roots:
        roots = {r for r in self.of(value) if r[0] == "list"}
        return frozenset(r for r in roots if r[1] not in self.inside[loop])

    def _from_before(self, loop: Loop, kept: list[Carried]) -> dict[Carried, Roots]:
        """The lists that an iteration makes, and that one carried value alone hands on.

        In the next iteration that is another list than the one which is made there.
        """
        found: dict[Carried, Roots] = {}
        for c in kept:
            lists = {r for r in self.plain[c.param] if r[0] == "list"}
            lists = {r for r in lists if r[1] in self.inside[loop] and len(r) == 2}
            others = [self.plain[d.param] for d in kept if d is not c]
            seen = {list_itself(origin(r)) for roots in others for r in roots}
            seen |= {origin(r) for r in self.plain[c.param] if r[0] == "held"}
            if c.param.type.kind == "list" and not lists & seen:
                found[c] = frozenset(lists)
        return found

    def _taken(self, loop: Loop) -> dict[Var, Roots]:
        """What each value that a loop carries holds at one time or another."""
        found = {c.param: self.of(c.init) | self.of(c.next) for c in loop.carried}
        turns = {("turn", param) for param in found}
        while True:
            more = {
                param: roots.union(*(_contents(r[1], found) for r in roots if r in turns))
                for param, roots in found.items()
            }
            if more == found:
                return {param: roots - turns for param, roots in found.items()}
            found = more

    def _meet(self, c: Carried, d: Carried) -> bool:
        """Whether two values that a loop carries may share memory."""
        if any(x.param.type.is_immutable for x in (c, d)):
            return False
        return self.share(self.of(c.init), self.of(d.init)) or self.share(
            self.of(c.next), self.of(d.next)
        )


def _contents(param: Var, found: dict[Var, Roots]) -> Roots:
    """What a turn stands for: of a list, what it holds."""
    if param.type.kind != "list":
        return found[param]
    return frozenset(r for r in found[param] if r[0] != "list")
