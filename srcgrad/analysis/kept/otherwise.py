"""Values that are kept otherwise than as they are: computed again, in single precision, in a file.

The user says it by the names of a function (``policy=``). What is computed again becomes
equations of the backward block, before the first that reads it: of what is kept anyway, and
through what has no name of its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.kept.plans import Plan
from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.memory.ownership import roots_of
from srcgrad.effects import computes_only, is_declared
from srcgrad.errors import ArgumentError
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.layout import Frame, Layout
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    OPAQUE,
    PAIR,
    RECORDED,
    WRITES,
    Block,
    Carried,
    Const,
    Equation,
    Function,
    If,
    Loop,
    Marker,
    MemoryNote,
    Merge,
    Op,
    Origin,
    Statement,
    Value,
    Var,
    embed,
    equations,
    uses,
    variables,
)
from srcgrad.ir.rebuilding import equation_reading, reading, substituted
from srcgrad.registry import find_formula, is_nondifferentiable


@dataclass(frozen=True)
class Again:
    """The payload of an equation that stands in a backward block for one of the forward part."""

    note: str  # what is said behind the line of a name; none of what has no name
    of: Var  # the variable of the forward part


@dataclass(eq=False)
class Wishes:
    """How the user wants values to be kept, and what came of it."""

    ways: Mapping[str, str]  # by name, ``h`` or, of a function that is called, ``encoder.h``
    of_call: bool = True  # whether the code is for a call, so that all is known
    # whether names of what is not needed any more are deleted, which Numba takes as an error
    deletes: bool = True
    double: bool = False  # whether all that is differentiated is known to be of double precision
    # how many bytes may be there at a time; None for as many as there are
    budget: int | None = None
    entry: tuple[object, str] | None = None  # the function that is differentiated, with its name
    met: set[str] = field(default_factory=set)  # the names of values that are kept so now
    kept: dict[str, None] = field(default_factory=dict)  # the names of all that is kept
    unmet: str = ""  # what was told of the names that are not kept

    def is_entry(self, function: Function) -> bool:
        """Whether a function is the one that is differentiated, and none that it calls."""
        return (function.source.function, function.source.name) == self.entry

    def names(self, function: Function, var: Var, plan: Plan) -> list[str]:
        """The names that stand for a value of a function, the user's first."""
        bound = [b.name for b in function.layout.bindings.get(var, []) if not b.path]
        plain = list(dict.fromkeys([*bound, plan.where.get(var, "")]))
        plain = [name for name in plain if name.isidentifier() and name != "_"]
        called = not self.is_entry(function)
        return [f"{function.source.name}.{name}" for name in plain] if called else plain

    def of(self, function: Function, var: Var, plan: Plan) -> str | None:
        """Return how a value is to be kept; None where nothing is said of it."""
        for name in self.names(function, var, plan):
            if name in self.ways:
                self.met.add(name)
                return self.ways[name]
        return None


def require_met(wishes: Wishes, name: str, names: Container[str]) -> str:
    """Tell which of the wishes are about values that are not kept; nothing if none are.

    Args:
        wishes: the wishes.
        name: the name of the function.
        names: all names in its text.

    Raises:
        ArgumentError: when a name is in none of the texts.
    """
    others = [wish for wish in wishes.ways if wish not in wishes.met]
    kept = ", ".join(map(repr, wishes.kept)) or "nothing that has a name"
    for wish in others:
        if "." not in wish and wish not in names:
            raise ArgumentError(f"policy: {name} has no {wish!r}", fixes=[f"what is kept: {kept}"])
    if not others:
        return ""
    told = ", ".join(map(repr, others))
    return f"policy: {told} is not kept for this derivative of {name}; what is kept: {kept}"


def refusal(function: Function, name: str, way: str, why: str, var: Var) -> ArgumentError:
    """The error for a value that cannot be kept in some way."""
    definition = function.layout.definitions.get(var)
    node = definition and (definition.node or definition.statement)
    return ArgumentError(
        f"policy: {name!r} cannot be kept as {way!r}",
        spots=[function.source.spot(node)] if node is not None else [],
        why=f"It {why}.",
        fixes=["leave it out of the policy"],
    )


class Repeating:
    """What of a forward part can be computed again in the backward part."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.layout: Layout = function.layout
        self.made = {t: eq for eq in equations(function.body) for t in eq.targets}
        self.clobbered = Clobbered(function)

    def why_not(self, var: Var) -> str:
        """Tell what keeps a value from being computed again; nothing if it can be."""
        eq = self.made.get(var)
        definition = self.layout.definitions.get(var)
        if any(var is leaf for _, v in self.function.params for leaf in variables(v)):
            return "is an argument, which the caller holds"
        if eq is None or definition is None:
            return "is handed on by a loop or a branch, and no result of one expression"
        if len(eq.targets) != 1:
            return "is one of several results of a call"
        fn = eq.op.fn
        if fn is PAIR:
            return "is given by a called function, which checkpoint(...) runs again"
        if fn is RECORDED:
            return "is given by a call that is recorded"
        if fn is OPAQUE:
            return "does not depend on what is differentiated, and is not followed"
        if fn in WRITES or eq.may_write:
            return "is written into"
        if isinstance(fn, Marker) or eq.payload not in (None, MemoryNote.OWN):
            return "is not given by an operation that can be carried out by itself"
        if definition.conditional:
            return "is not always computed"
        if not isinstance(fn, Metadata):
            known = find_formula(fn) is not None or is_nondifferentiable(fn) or is_declared(fn)
            if not known or not computes_only(fn, eq.args, dict(eq.options)):
                return "is given by a call that may not do the same again"
        for operand in uses(eq):
            if self.clobbered(operand):
                return f"is computed of {operand.name!r}, which is overwritten"
        return ""

    def is_written(self, var: Var, name: str) -> bool:
        """Whether an array that has a name may be written into somewhere, under any name."""
        mine = roots_of(var, self.clobbered.roots)
        if any(mine & self.clobbered.written(eq) for eq, *_ in self.clobbered.writes):
            return True
        return name in self.layout.aliases()

    def is_named(self, var: Var) -> bool:
        """Whether the user gave a value a name, or it comes from outside."""
        return bool(self.layout.bindings.get(var)) or var not in self.made

    def steps(self, var: Var, kept: Iterable[Var]) -> list[Var]:
        """The values that are computed for one, itself last; what is kept is not among them."""
        kept, out = set(kept) - {var}, []

        def visit(one: Var) -> None:
            for operand in uses(self.made[one]):
                if operand in out or operand in kept or self.is_named(operand):
                    continue
                if self.layout.definitions.get(operand) and not self.why_not(operand):
                    visit(operand)
            out.append(one)

        visit(var)
        return out


def computed_again(
    repeating: Repeating, block: Block, results: list[Value], steps: list[Var]
) -> tuple[Block, list[Value]] | None:
    """Compute a value in a backward block again, before all that reads it.

    Args:
        repeating: what is known of the forward part.
        block: the backward block.
        results: what it gives.
        steps: the values that are computed, the one that is wanted last.

    Returns:
        The block and its results; None where it would be read where it may not be computed.
    """
    var = steps[-1]
    home = repeating.layout.definitions[var].frame
    new: dict[Var, Value] = {}
    made: list[Equation] = []
    for one in steps:
        target = Var(one.name, one.type, one is var)
        eq = equation_reading(repeating.made[one], new)
        made.append(
            replace(eq, targets=(target,), payload=Again("recomputed" if one is var else "", one))
        )
        new[one] = target
    return put_before(repeating.layout.function, home, block, results, var, made)


def put_before(
    outside: Frame,  # the region of the function
    home: Frame,  # the region in which the variable is computed
    block: Block,  # the backward block
    results: list[Value],  # what it gives
    var: Var,  # the variable
    made: list[Equation],  # the equations, the last of which gives what is read in its place
) -> tuple[Block, list[Value]] | None:
    """Put equations before all that reads a forward variable, and let that read the last of them.

    Returns:
        The block and its results; None where it is read where it may not have been computed.
    """
    new = {var: made[-1].targets[0]}
    around = set(home.ancestors())

    def reads(statement: Statement) -> bool:
        return var in count_uses((statement,), [])

    def put(block: Block, mirrored: Frame, ends: list[Value]) -> tuple[Block, bool] | None:
        """Rewrite a block; tell whether it was the place."""
        places = [k for k, statement in enumerate(block) if reads(statement)]
        below = any(var in set(variables(v)) for v in ends)
        if len(places) == 1 and not below:
            inner = enter(block[places[0]])
            if inner is not None:
                return (*block[: places[0]], inner, *block[places[0] + 1 :]), True
        if home not in mirrored.ancestors():
            return None
        first = places[0] if places else len(block)
        return (*block[:first], *made, *reading(block[first:], new)), True

    def enter(statement: Statement) -> Statement | None:
        """Put them into a branch or a loop, where that is all that reads the variable."""
        if isinstance(statement, If):
            if var in set(variables(statement.test)):
                return None
            arms = [(statement.then, 0), (statement.orelse, 1)]
            ends = [[m.then for m in statement.merges], [m.orelse for m in statement.merges]]
            mine = [k for arm, k in arms if var in count_uses(arm, ends[k])]
            if len(mine) != 1 or statement.frames[mine[0]] is None:
                return None
            arm = arms[mine[0]][0]
            found = put(arm, statement.frames[mine[0]], ends[mine[0]])
            if found is None:
                return None
            merges = tuple(
                Merge(
                    m.out,
                    substituted(m.then, new) if mine[0] == 0 else m.then,
                    substituted(m.orelse, new) if mine[0] == 1 else m.orelse,
                )
                for m in statement.merges
            )
            if mine[0] == 0:
                return replace(statement, then=found[0], merges=merges)
            return replace(statement, orelse=found[0], merges=merges)
        if isinstance(statement, Loop):
            frame = statement.header.frame
            outer = [v for c in statement.carried for v in variables(c.init)]
            if frame not in around or var in outer:
                return None
            found = put(statement.body, frame, [c.next for c in statement.carried])
            if found is None:
                return None
            carried = tuple(
                Carried(c.param, c.init, substituted(c.next, new), c.out) for c in statement.carried
            )
            return replace(statement, body=found[0], carried=carried)
        return None

    found = put(block, outside, results)
    if found is None:
        return None
    return found[0], [substituted(r, new) for r in results]


def written_out(block: Block, var: Var, eq: Equation) -> Block:
    """Put an equation before each one that reads a forward variable, and let it read that."""

    def change(reader: Equation) -> Block:
        if var not in set(uses(reader)):
            return (reader,)
        target = Var(var.name, var.type)
        return replace(eq, targets=(target,)), *reading((reader,), {var: target})

    return with_equations(block, change)


def read_back(var: Var, name: str, origin: Origin | None) -> Equation:
    """The equation that gives what is kept in single precision in double precision again."""
    kind = np.complex128 if var.type.dtype == "c" else np.float64
    target = Var(name, var.type, True)
    op = Op(np.ndarray.astype, "method", "astype")
    return Equation((target,), op, (var, embed(kind)), (), origin, Again("kept as float32", var))


def is_compared(var: Var, block: Block) -> bool:
    """Whether a block may compare a value with others, or look for it among them."""
    for eq in equations(block):
        if var not in set(uses(eq)):
            continue
        fn = eq.op.fn
        if not isinstance(fn, Marker | Metadata):
            if find_formula(fn) is None and not is_nondifferentiable(fn):
                return True  # a function of which is only known that it is a derivative
        sign = Const(0) in eq.args or Const(0.0) in eq.args
        if not sign and any(t.type.dtype in ("i", "b") for t in eq.targets):
            return True
    return False
