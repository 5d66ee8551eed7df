"""Liveness: which variables are still needed after each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad.ir.nodes import Block, Carried, Equation, Loop, Statement, Var, variables

Uses = Callable[[Equation], Iterable[Var]]
Visit = Callable[[Statement, frozenset[Var]], None]


def walk(
    block: Block,
    live: set[Var],
    uses: Uses,
    visit: Visit,
    value_uses: Callable = variables,
    heads: dict[Loop, set[Var]] | None = None,
) -> set[Var]:
    """Visit the statements of a block from last to first with what is live after each.

    Returns:
        The variables that are needed before the block.
    """
    return _Walk(uses, value_uses, {} if heads is None else heads).block(block, live, visit)


class _Walk:
    def __init__(self, uses: Uses, value_uses: Callable, heads: dict[Loop, set[Var]]) -> None:
        self.uses, self.value_uses, self.heads = uses, value_uses, heads
        # By loop: what was live behind it, what lives through it, what it hands on. A loop
        # around it comes here again with more, which only adds to these.
        self.known: dict[Loop, tuple[set[Var], set[Var], set[Carried]]] = {}

    def block(self, block: Block, live: set[Var], visit: Visit | None) -> set[Var]:
        live = set(live)
        for statement in reversed(block):
            if visit is not None:
                visit(statement, frozenset(live))
            if isinstance(statement, Equation):
                live.difference_update(statement.targets)
                live.update(self.uses(statement))
            elif isinstance(statement, Loop):
                live = self.loop(statement, live, visit)
            else:
                rest = live - {m.out for m in statement.merges}
                then = rest | {v for m in statement.merges for v in self.value_uses(m.then)}
                orelse = rest | {v for m in statement.merges for v in self.value_uses(m.orelse)}
                live = self.block(statement.then, then, visit)
                live |= self.block(statement.orelse, orelse, visit)
                live.update(self.value_uses(statement.test))
        return live

    def loop(self, loop: Loop, live: set[Var], visit: Visit | None) -> set[Var]:
        before, through, wanted = self.known.get(loop, (None, set(), set()))
        if before != live:
            through, wanted = self.fixed_point(loop, live, through, wanted)
            self.known[loop] = live, through, wanted
        if visit is not None:
            ends = {v for c in wanted for v in self.value_uses(c.next)}
            self.heads[loop] = self.block(loop.body, through | ends, visit)
        return through | {v for c in wanted for v in self.value_uses(c.init)}

    def fixed_point(
        self, loop: Loop, live: set[Var], through: set[Var], wanted: set[Carried]
    ) -> tuple[set[Var], set[Carried]]:
        """What an iteration reads is live at the end of the one before it."""
        own = {c.param for c in loop.carried} | {loop.index}
        through = through | (live - {c.out for c in loop.carried})
        wanted = wanted | {c for c in loop.carried if c.out in live}
        while True:
            ends = {v for c in wanted for v in self.value_uses(c.next)}
            inside = self.block(loop.body, through | ends, None)
            more = wanted | {c for c in loop.carried if c.param in inside}
            outside = through | (inside - own)
            if len(more) == len(wanted) and len(outside) == len(through):
                return through, wanted
            wanted, through = more, outside
