"""Which variables never share memory at the same time, although they take turns with the same.

``u, new = new, u`` in a loop lets both names hold both arrays, one after the other.
Tracing variables to allocations alone cannot tell them apart. Here the values that
a loop hands from one iteration to the next are assumed to be separate arrays; the
assumption is checked at the loop's entry and at the end of an iteration, and given
up for those for which it does not hold.
"""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.counting import count_uses
from srcgrad.analysis.ownership import Roots, equation_roots, roots_of, trace
from srcgrad.ir.nodes import Block, Carried, Equation, If, Loop, Value, Var


class Memory:
    """What the variables of a block may share memory with.

    Args:
        block: the statements.
    """

    def __init__(self, block: Block) -> None:
        self.plain = trace(block)
        self.roots: dict[Var, Roots] = {}
        self.loops: dict[Var, Loop] = {}
        self.inside: dict[Loop, set[Var]] = {}
        self._visit(block)

    def of(self, value: Value) -> Roots:
        """The allocations, and the turns of loops, that a value may belong to."""
        return roots_of(value, self.roots)

    def share(self, a: Roots, b: Roots) -> bool:
        """Whether two values may share memory."""
        return any(self._same(p, q) for p in a for q in b)

    def _same(self, a: Any, b: Any) -> bool:
        if a == b:
            return True
        if a[0] != "turn":
            a, b = b, a
        if a[0] != "turn":
            return False
        loop = self.loops[a[1]]
        if b[0] == "turn":
            return loop is not self.loops[b[1]] and bool(self.plain[a[1]] & self.plain[b[1]])
        if b[0] == "array" and b[1] in self.inside[loop]:
            return False  # it is made anew in each iteration
        return b in self.plain[a[1]]

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
        self.inside[loop] = _defined(loop.body)
        mixed = {c for c in loop.carried if c.param.type.kind == "list"}
        reads = count_uses(loop.body, [c.next for c in loop.carried])
        kept = [c for c in loop.carried if reads.get(c.param)]  # others start anew each time
        while True:
            for c in loop.carried:
                self.loops[c.param] = loop
                whole = self.plain[c.param]
                turn = frozenset([("turn", c.param)]) | {r for r in whole if r[0] == "external"}
                self.roots[c.param] = whole if c in mixed else turn
            self._visit(loop.body)
            apart = [c for c in kept if c not in mixed]
            more = {c for c in apart if any(self._meet(c, d) for d in kept if d is not c)}
            if not more:
                break
            mixed |= more
        for c in loop.carried:
            self.roots[c.out] = self.plain[c.out]

    def _meet(self, c: Carried, d: Carried) -> bool:
        """Whether two values that a loop carries may share memory."""
        if any(x.param.type.is_immutable for x in (c, d)):
            return False
        return self.share(self.of(c.init), self.of(d.init)) or self.share(
            self.of(c.next), self.of(d.next)
        )


def _defined(block: Block) -> set[Var]:
    found: set[Var] = set()
    for statement in block:
        if isinstance(statement, Equation):
            found.update(statement.targets)
        elif isinstance(statement, If):
            found |= _defined(statement.then) | _defined(statement.orelse)
        else:
            found |= _defined(statement.body)
    return found
