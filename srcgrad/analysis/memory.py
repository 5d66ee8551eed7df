"""Which values another name's in-place write changes after they were computed."""

from __future__ import annotations

from srcgrad.analysis.ownership import Roots, trace
from srcgrad.errors import MutationError
from srcgrad.frontend.layout import Definition, Layout
from srcgrad.ir.nodes import OPAQUE, PAIR, Block, Equation, Function, If, Loop, Var, variables


class Memory:
    """What of a function's values shares memory with an array that is written later.

    Args:
        function: the function.
    """

    def __init__(self, function: Function) -> None:
        self.layout: Layout = function.layout
        self.writes: list[tuple[Equation, Roots]] = []
        self.roots: dict[Var, Roots] = {}
        writing = list(_writing(function.body))
        if writing:
            self.roots = trace(function.body)
            self.writes = [(eq, self.of(_base(eq))) for eq in writing]

    def of(self, var: Var) -> Roots:
        """Return the allocations that a variable may share memory with."""
        if var.type.shape == ():
            return frozenset()
        return self.roots.get(var, frozenset([("external", var)]))

    def disturbed(self, var: Var, until: int | None = None) -> bool:
        """Tell whether the memory of a value may be written after it was computed.

        Args:
            var: the value.
            until: consider writes before this position of the text only.
        """
        return self._disturbed(self.of(var), self.layout.definitions.get(var), until, var)

    def require_quiet(self, call: Equation) -> None:
        """Refuse a call whose function keeps arrays that are written later.

        Raises:
            MutationError: when an argument of the call is written after it.
        """
        if call.op.fn is not PAIR:
            return
        home = self.layout.definitions[call.targets[0]]
        for var in (v for argument in call.args for v in variables(argument)):
            if self._disturbed(self.of(var), home, None, None):
                raise MutationError(
                    "an array is written in place that a function called before may have kept",
                    spots=[call.origin.source.spot(call.origin.node)] if call.origin else [],
                    why="The derivative of the call needs the array as it was at the call.",
                    fixes=["pass a copy to the function", "build a new array instead of writing"],
                )

    def _disturbed(
        self, mine: Roots, home: Definition | None, until: int | None, var: Var | None
    ) -> bool:
        return any(
            mine & theirs and eq.targets[0] is not var and self._follows(eq, home, until)
            for eq, theirs in self.writes
        )

    def _follows(self, write: Equation, home: Definition | None, until: int | None) -> bool:
        there = self.layout.definitions.get(write.targets[0])
        if there is None or home is None:
            return True
        if until is not None:
            return home.order < there.order and there.position < until
        if there.order > home.order and not there.frame.excludes(home.frame):
            return True
        # what stands before it in a loop they share comes after it in the next iteration
        return any(f.kind == "loop" and f.encloses(there.frame) for f in home.frame.ancestors())


def _base(write: Equation) -> Var:
    base = write.args[0]
    assert isinstance(base, Var)
    return base


def _writing(block: Block):
    for statement in block:
        if isinstance(statement, If):
            yield from _writing(statement.then)
            yield from _writing(statement.orelse)
        elif isinstance(statement, Loop):
            yield from _writing(statement.body)
        elif statement.payload == "in place" or _unknown_write(statement):
            if statement.args[0].type.kind != "list":
                yield statement


def _unknown_write(eq: Equation) -> bool:
    """Whether it stands for what a call made for its effect may have written."""
    return eq.op.fn is OPAQUE and len(eq.args) == 1 and eq.origin.node is None
