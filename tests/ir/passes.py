"""What the verifier checks of backward blocks and tangents, between the passes that make them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.frontend.text.trees import children
from srcgrad.ir.nodes import (
    INTERCEPT,
    OPAQUE,
    PAIR,
    PERTURB,
    RANGE_ITEM,
    READ,
    RETURNED,
    Block,
    Equation,
    Function,
    If,
    Loop,
    Statement,
    Value,
    Var,
    acts,
    equations,
    uses,
    variables,
)  # fmt: skip
from srcgrad.ir.verify import Checker, Shown, is_undefined, same_kind

_FORWARD_ONLY = (OPAQUE, PAIR, RANGE_ITEM, INTERCEPT, PERTURB, READ)


def verify_backward(
    pass_name: str,
    function: Function,
    part: Any,
    block: Block,
    results: Iterable[Value],
    simplified: bool = False,
    once: Iterable[Var] = (),
) -> None:
    """Check a backward block, and that some versions of arrays are read in one place at most."""
    checker = _Backward(pass_name, function, part)
    checker.once.update(once)
    checker.run(block, list(results), simplified)


def verify_tangents(
    pass_name: str,
    function: Function,
    seeds: Iterable[Var],
    block: Block,
    results: Iterable[Value] = (),
    simplified: bool = False,
    once: Iterable[Var] = (),
) -> None:
    """Check the tangents of a function; see ``verify_backward``."""
    checker = _Tangents(pass_name, function)
    checker.once.update(once)
    checker.run(block, set(seeds), simplified)


class _Beside(Checker):
    """A block that goes through the regions of a forward part, and reads its variables there."""

    def __init__(self, pass_name: str, function: Function) -> None:
        super().__init__(pass_name, function)
        self.home: dict[Var, Any] = {}
        self.loops: set[Loop] = set()
        self.once: set[Var] = set()  # what may be read in one place only, and
        self.seen: set[Var] = set()  # of that, what has been
        frame = self.layout.function
        for _, value in function.params:
            self.home.update(dict.fromkeys(variables(value), frame))
        self.find(function.body, frame)
        self.assigned |= set(self.home)
        self.frames = [frame]
        self.require_text(frame)

    def require_text(self, frame: Any) -> None:
        """Require that the text has the statements of a region, and of those in it."""
        source, found = self.function.source, set()
        stack = list(source.current(source.tree.body.body))
        while stack:
            node = stack.pop()
            found.add(id(node))
            stack += source.current(children(node))
        for part in self.layout.frames:
            if any(id(statement) not in found for statement, _ in part.statements):
                raise self.fail("a statement was lowered that the text does not have", None)

    def find(self, block: Block, frame: Any) -> None:
        """Note the region of each forward variable."""
        for statement in block:
            if isinstance(statement, Equation):
                found = [*statement.targets, *self.kept(statement)]
            elif isinstance(statement, If):
                found = [m.out for m in statement.merges]
                self.find(statement.then, statement.frames[0])
                self.find(statement.orelse, statement.frames[1])
            else:
                self.loops.add(statement)
                found = [c.out for c in statement.carried]
                begun = self.function.layout.definitions  # a later iteration reads these
                params = [
                    c.param
                    for c in statement.carried
                    if not is_undefined(c.init) or c.param in begun
                ]
                inside = [statement.index, *params]
                self.home.update(dict.fromkeys(inside, statement.frame))
                self.find(statement.body, statement.frame)
            self.home.update(dict.fromkeys(found, frame))

    def kept(self, equation: Equation) -> Iterable[Var]:
        """What else the text of the forward part keeps of an equation."""
        return ()

    def elsewhere(self, var: Var) -> bool:
        return super().elsewhere(var) or self.home.get(var) in self.frames

    def read(
        self, value: Value, scope: set[Var], statement: Statement | None, shown: Shown
    ) -> None:
        super().read(value, scope, statement, shown)
        for var in self.once.intersection(variables(value)) if self.once else ():
            if var in self.seen:
                problem = f"{var.name} is read in two places, and a write was moved over it"
                raise self.fail(problem, statement, shown)
            self.seen.add(var)

    def leave(self) -> None:
        self.frames.pop()

    def lean(self, block: Block, results: list[Value]) -> None:
        """Check that something needs each statement."""
        needed = {v for r in results for v in variables(r)}

        def walk(block: Block) -> None:
            for statement in reversed(block):
                inner = False
                if isinstance(statement, Equation):
                    made = statement.targets
                    needed.update(uses(statement))
                    inner = acts(statement.op)
                elif isinstance(statement, If):
                    made = tuple(m.out for m in statement.merges)
                    needed.update(variables(statement.test))
                    for m in statement.merges:
                        needed.update(variables(m.then), variables(m.orelse))
                    walk(statement.then)
                    walk(statement.orelse)
                    arms = (*statement.then, *statement.orelse)
                    inner = any(acts(eq.op) for eq in equations(arms))
                else:
                    made = tuple(c.out for c in statement.carried)
                    for c in statement.carried:
                        needed.update(variables(c.init), variables(c.next))
                    walk(statement.body)
                    inner = any(acts(eq.op) for eq in equations(statement.body))
                if not inner and not needed.intersection(made):
                    raise self.fail("a statement that no result needs", statement)

        walk(block)


class _Backward(_Beside):
    def __init__(self, pass_name: str, function: Function, part: Any) -> None:
        self.part = part
        super().__init__(pass_name, function)

    def kept(self, equation: Equation) -> Iterable[Var]:
        if equation in self.part.residuals:
            yield self.part.residuals[equation]
        if equation in self.part.hidden:
            yield from self.part.hidden[equation][1]

    def run(self, block: Block, results: list[Value], simplified: bool) -> None:
        scope = {v for seed in self.part.seeds for v in variables(seed)}
        self.assigned |= scope
        self.block(block, scope)
        for result in results:
            self.read(result, scope, None, "in a result")
        for var, bar in self.part.cotangents.items():
            if not same_kind(var.type, bar):
                raise self.fail(f"the cotangent of {var.name} is not of its kind", None)
        if simplified:
            self.lean(block, results)

    def enter(self, node: Any, arm: int | None) -> None:
        if arm is None:
            if node.header not in self.loops:
                raise self.fail("a loop that goes back through no loop of the forward part", node)
            frame = node.header.frame
        else:
            frame = node.frames[arm]
        if frame is None or frame.parent not in self.frames:
            raise self.fail("a region that does not stand in the one around it", node)
        self.frames.append(frame)

    def index(self, node: Loop, scope: set[Var]) -> None:
        if node.index is not node.header.index:
            raise self.fail("a backward loop with an index of its own", node)

    def equation(self, eq: Equation, scope: set[Var]) -> None:
        super().equation(eq, scope)
        if eq.op.fn in _FORWARD_ONLY:
            raise self.fail("an operation that stands in forward parts only", eq)


class _Tangents(_Beside):
    def run(self, block: Block, seeds: set[Var], simplified: bool) -> None:
        self.assigned |= seeds
        self.block(block, set(seeds))
        if simplified:
            self.lean(block, [])

    def enter(self, node: Any, arm: int | None) -> None:
        if arm is None and node.header not in self.loops:
            raise self.fail("a loop beside no loop of the forward part", node)
        frame = node.frame if arm is None else node.frames[arm]
        if frame is None or frame.parent is not self.frames[-1]:
            raise self.fail("a region that does not stand in the one around it", node)
        self.frames.append(frame)

    def index(self, node: Loop, scope: set[Var]) -> None:
        if node.index is not node.header.index:
            raise self.fail("a loop of tangents with an index of its own", node)

    def equation(self, eq: Equation, scope: set[Var]) -> None:
        if eq.op.fn is not RETURNED:
            super().equation(eq, scope)
            if eq.op.fn in _FORWARD_ONLY:
                raise self.fail("an operation that stands in forward parts only", eq)
            return
        for value in eq.args:
            self.read(value, scope, eq, "")
            if is_undefined(value):
                raise self.fail("a tangent that is returned and has no value", eq)
