"""Forward mode: the tangents of a lowered function, beside its primal statements.

The result has the structure of the function: a branch for each branch, a loop
for each loop, and each statement has the origin of the forward statement that it
belongs to. ``dots`` holds the tangent of each variable that has one; a variable
that is not in it has the tangent zero, and what only meets zeros leaves no trace.
"""

from __future__ import annotations

import operator
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.models import note_merge
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.trees import small_of
from srcgrad.ir.blocks import statements, targets_of
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    OPAQUE,
    PAIR,
    RECORDED,
    RETURNED,
    Block,
    Carried,
    Const,
    Equation,
    Function,
    If,
    Items,
    Loop,
    Merge,
    Op,
    Origin,
    Struct,
    Value,
    Var,
    acts,
    equations,
    is_active,
)
from srcgrad.ir.rebuilding import substituted
from srcgrad.ir.types import Parts, Type
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.ir.verify import verify_tangents
from srcgrad.late import late
from srcgrad.library.tables import entry
from srcgrad.registry import find_formula
from srcgrad.transform.forward_parts import (
    Forwarded,
    ForwardPair,
    PairTangent,
    RecordedTangent,
)
from srcgrad.transform.forward_rules import RULES, has_tangents
from srcgrad.transform.tangents import dot_type, tangents
from srcgrad.transform.unread import LeftOut, puts_constants, steep_values, without_left_out
from srcgrad.transform.zeros import zero
from srcgrad.transformation.context import Context


def forward(
    context: Context, function: Function, active: list[Var], *, zeros: bool = False
) -> Forwarded:
    """Generate the tangents of a function.

    Args:
        context: the transformation.
        function: the lowered function.
        active: the variables of its parameters that have a tangent.
        zeros: whether a real part of the result that does not depend on these
            has zeros for a tangent, or none at all.
    """
    seeds = {v: Var(f"{v.name}_dot", dot_type(v.type), True) for v in active}
    pass_ = _Forward(context, function, seeds, zeros)
    left_out = LeftOut(function, results=True)
    context.unsettled |= left_out.is_steep() or puts_constants(function)
    pass_.active = [type_of(leaf).active for leaf in leaves(function.result)]
    pass_.run(function.body, function.result)
    pass_.give_back(function.layout.function, function.result)
    block = tuple(pass_.builder.block)
    verify_tangents("forward mode", function, seeds.values(), block)
    return Forwarded(block, seeds)


def forward_pair(context: Context, pair: Any) -> ForwardPair:
    """Return the version of a called function that carries tangents along."""
    made = context.forwards.get(pair)
    if made is None:
        made = ForwardPair(pair, context.name(f"{pair.name}_jvp", (pair, "jvp")))
        context.forwards[pair] = made
        function = pair.function
        active = [
            leaf
            for _, value in function.params
            for leaf in leaves(value)
            if isinstance(leaf, Var) and leaf.type.active
        ]
        made.forwarded = forward(context, function, active)
        context.unsettled |= LeftOut(function, results=False).is_steep()  # of which it knows less
    return made


def _has_structure(type_: Type) -> bool:
    """Whether the tangents of a value are put together as it is, if it is a list."""
    if type_.kind != "list" or type_.element is None:
        return True
    parts = type_.element if isinstance(type_.element, tuple) else (type_.element,)
    plain = not isinstance(parts, Parts) and all(isinstance(part, Type) for part in parts)
    return plain and all(part.active and _has_structure(part) for part in parts)


class _Forward:
    def __init__(
        self, context: Context, function: Function, seeds: dict[Var, Var], zeros: bool
    ) -> None:
        self.zeros = zeros
        self.active: list[bool] = []
        self.context = context
        self.function = function
        self.dots: dict[Var, Value] = dict(seeds)
        self.builder = Builder(function.source, context)
        self.claimed: set[Any] = set(seeds.values())
        self.steep = steep_values(function)
        self.unknown: set[Var] = set()  # what was read out of something that nothing is known of
        self.later = {t for eq in equations(function.body) for t in eq.targets}  # not reached yet

    def emit(self, fn: Any, *args: Value, origin: Any, type_: Any = None) -> Any:
        """Append an equation of tangents and return its result."""
        self.builder.fixed_origin = origin
        return self.builder.emit(Op(fn), args, None, type_=type_)

    def claim(self, dot: Value, var: Var) -> None:
        """Name a tangent after the variable that it belongs to."""
        if isinstance(dot, Var) and dot not in self.claimed:
            self.claimed.add(dot)
            name = self.function.layout.roles.get(var, var.name)
            if var.named:
                name = var.name
            dot.name = f"{name}_dot"
            dot.named = var.named

    def give(self, var: Var, dot: Value | None) -> None:
        """Let a variable have a tangent."""
        if dot is not None:
            self.claim(dot, var)
            self.dots[var] = dot

    def dot(self, value: Value, origin: Any) -> Value | None:
        """The tangent of a value, None for zero; a tuple's zeros are written out."""
        if isinstance(value, Items):
            parts = [self.dot(item, origin) for item in value.items]
            if all(part is None for part in parts):
                return None
            filled = [
                self.zero(item, origin) if part is None else part
                for item, part in zip(value.items, parts, strict=True)
            ]
            return Items(tuple(filled), value.is_list)
        if isinstance(value, Struct) and is_active(value):
            raise self.refuse(origin, "forward mode through this dict or object", "use grad or vjp")
        return self.dots.get(value) if isinstance(value, Var) else None

    def zero(self, value: Value, origin: Any) -> Value:
        """Write out the tangent zero of a value."""
        if isinstance(value, Items):
            return Items(tuple(self.zero(v, origin) for v in value.items), value.is_list)
        if not isinstance(value, Var):
            return Const(0.0)
        made = zero(self.builder, value, origin)
        self.claim(made, value)
        return made

    def absent(self, value: Value, var: Var, origin: Any) -> Value:
        """What stands for the tangent of a value that has none, where another of its kind has."""
        if value is UNDEFINED:
            return UNDEFINED
        if value == Const(None) and not var.type.is_scalar:
            return Const(None)  # which has no shape
        return self.zero(value, origin)

    def run(self, block: Block, result: Value) -> None:
        """Append the tangents of the statements of a region."""
        for statement in block:
            if isinstance(statement, Equation):
                self.equation(statement)
            elif isinstance(statement, If):
                self.branch(statement, result)
            else:
                self.loop(statement)

    def equation(self, eq: Equation) -> None:
        self.later.difference_update(eq.targets)
        if eq.op.fn is OPAQUE:
            self.unknown.update(t for t in eq.targets if t.type.dtype == "?")
        rule = entry(_RULES, eq.op.fn)
        if rule is not None:
            rule(self, eq)
        else:
            self.formula(eq)

    def formula(self, eq: Equation) -> None:
        """Append the tangents of a call of a function that has a formula."""
        if not any(t.type.active and t.type.kind != "opaque" for t in eq.targets):
            return
        dots = tuple(self.dot(a, eq.origin) for a in eq.args)
        if acts(eq.op):  # another rank waits for zeros, too
            dots = (None, dots[1] or self.zero(eq.args[1], eq.origin), *dots[2:])
        if all(dot is None for dot in dots):
            return
        if find_formula(eq.op.fn) is None:
            raise self.refuse(eq.origin, f"forward mode through {eq.op.fn!r}", "use reverse mode")
        dots = without_left_out(self.context, self.builder, eq, dots, self.steep)
        for target, dot in zip(
            eq.targets, tangents(self.context, self.builder, eq, dots), strict=True
        ):
            if target.type.active:
                self.give(target, self.as_number(dot, target, eq.origin))

    def as_number(self, dot: Value | None, var: Var, origin: Any) -> Value | None:
        """The tangent of a number as a number: an array without dimensions may be written later."""
        if var.type.is_immutable and isinstance(dot, Var) and dot.type.kind == "array":
            return self.emit(operator.pos, dot, origin=origin, type_=dot_type(var.type))
        return dot

    def refuse(self, origin: Any, what: str, fix: str) -> UnsupportedSyntaxError:
        """Return the error for something that forward mode cannot do."""
        spots = []
        if origin is not None and origin.source is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.node or origin.statement)]
        return UnsupportedSyntaxError(f"{what} is not supported", spots=spots, fixes=[fix])

    def give_back(self, frame: Frame, result: Value) -> None:
        """At a return statement, give the tangents of what it returns."""
        last = frame.statements[-1][0] if frame.statements else None
        small = small_of(last)
        if not isinstance(small, cst.Return):
            return
        origin = Origin(last, last, self.function.source)
        dots = tuple(
            self.returned(leaf, active, origin)
            for leaf, active in zip(leaves(result), self.active, strict=True)
        )
        self.builder.block.append(Equation((), Op(RETURNED), dots, (), origin, result))

    def returned(self, leaf: Value, active: bool, origin: Any) -> Value:
        """The tangent of a leaf of the result; None where there is none to be had."""
        dot, type_ = self.dot(leaf, origin), type_of(leaf)
        if dot is not None and self.zeros and not _has_structure(type_):
            what = "returning a list whose elements are more than numbers and tuples of them"
            raise self.refuse(origin, what, "return tuples, or the parts of the list")
        if dot is not None:
            return dot
        real = type_.is_number and type_.dtype not in ("i", "b")
        if leaf is UNDEFINED or not (active or (real and (self.zeros or type_.active))):
            return Const(None)
        if isinstance(leaf, Var) and leaf in self.unknown:
            raise self.refuse(
                origin, "returning what may be no number", "let a called function return it"
            )
        if isinstance(leaf, Var) and type_.active and leaf in self.later:
            raise self.refuse(
                origin, "returning what is computed behind a branch", "return it behind the branch"
            )
        made = self.zero(leaf, origin)
        if isinstance(made, Var):
            made.named = True
        return made

    # control flow

    def branch(self, node: If, result: Value) -> None:
        arms = []
        for side, arm in enumerate((node.then, node.orelse)):
            saved, self.builder.block = self.builder.block, []
            taken = {m.out: (m.then, m.orelse)[side] for m in node.merges}
            here = substituted(result, taken)
            self.run(arm, here)
            frame = node.frames[side]
            if frame is not None:
                self.give_back(frame, here)
            arms.append(self.builder.block)
            self.builder.block = saved
        merges = []
        for m in node.merges:
            sides = [self.dot(m.then, None), self.dot(m.orelse, None)]
            if all(side is None for side in sides) and not has_tangents(m.out):
                continue
            filled = [
                self.filled(arm, side, value, m.out, node.origin)
                for arm, side, value in zip(arms, sides, (m.then, m.orelse), strict=True)
            ]
            out = self.made(m.out)
            merges.append(Merge(out, *filled))
            note_merge(self.context.lengths, out, *filled)
            self.dots[m.out] = out
        then, orelse = map(tuple, arms)
        if merges or then or orelse:
            self.builder.block.append(
                If(node.test, then, orelse, tuple(merges), node.origin, node.frames)
            )

    def filled(self, block: list[Any], dot: Value | None, value: Value, var: Var, origin) -> Value:
        """A tangent at the end of an arm, zero written out there."""
        if dot is not None:
            return dot
        if value is UNDEFINED:  # generated code returns it all the same
            return Const(None) if self.function.source.is_generated else UNDEFINED
        saved, self.builder.block = self.builder.block, block
        made = self.absent(value, var, origin)
        if isinstance(made, Var):
            made.name = f"{var.name}_dot"
            made.named = var.named
        self.builder.block = saved
        return made

    def made(self, var: Var) -> Var:
        """A new variable for the tangent of one."""
        dot = Var(f"{var.name}_dot", dot_type(var.type), var.named)
        self.claimed.add(dot)
        return dot

    def loop(self, node: Loop) -> None:
        live = {
            c for c in node.carried if self.dot(c.init, None) is not None or has_tangents(c.param)
        }
        while True:  # which tangents does an iteration hand to the next?
            body = self.iteration(node, live)
            more = {c for c in node.carried if c in live or self.dot(c.next, None) is not None}
            if more == live:
                break
            live = more
        if not live and not any(acts(eq.op) for eq in equations(tuple(body))):
            return
        carried = []
        for c in node.carried:
            if c not in live:
                continue
            init = self.dot(c.init, None)
            if init is None:
                init = self.absent(c.init, c.param, node.origin)
                if isinstance(init, Var):
                    init.name = f"{c.param.name}_dot"
                    init.named = c.param.named
            saved, self.builder.block = self.builder.block, body
            end = self.dot(c.next, None)
            if end is None:
                end = self.absent(c.next, c.param, node.origin)
            self.builder.block = saved
            out = self.made(c.out)
            param = self.dots[c.param]
            assert isinstance(param, Var)
            carried.append(Carried(param, init, end, out))
            self.dots[c.out] = out
        self.builder.block.append(
            Loop(tuple(carried), tuple(body), node.index, node, node.origin, node.frame)
        )

    def iteration(self, node: Loop, live: set[Carried]) -> list[Any]:
        """Run the body with tangents for these carried variables; return its block."""
        saved, self.builder.block = self.builder.block, []
        for c in node.carried:
            self.dots.pop(c.param, None)
            if c in live:
                self.dots[c.param] = self.made(c.param)
        self.forget(node.body)
        self.run(node.body, Items(()))
        body, self.builder.block = self.builder.block, saved
        return body

    def forget(self, block: Block) -> None:
        """Take back the tangents of the variables of a region."""
        for statement in statements(block):
            for target in targets_of(statement):
                self.dots.pop(target, None)


def _call(f: _Forward, eq: Equation) -> None:
    pair = eq.payload.pair
    rows = [
        (given, leaf, f.dot(given, eq.origin))
        for argument, (_, value) in zip(eq.args, pair.function.params, strict=True)
        for given, leaf in zip(leaves(argument), leaves(value), strict=True)
        if isinstance(leaf, Var) and leaf.type.active
    ]
    if all(row[2] is None for row in rows) or not any(t.type.active for t in eq.targets):
        return
    dots = tuple(f.zero(given, eq.origin) if dot is None else dot for given, _, dot in rows)
    call = PairTangent(eq, forward_pair(f.context, pair))
    made = {t: f.made(t) for t in call.moving}
    f.dots |= made
    f.builder.block.append(Equation(tuple(made.values()), Op(call), dots, (), eq.origin))


def _recorded(f: _Forward, eq: Equation) -> None:
    given = [leaves(eq.args[k])[leaf] for k, leaf in eq.payload.given]
    dots = [f.dot(leaf, eq.origin) for leaf in given]
    if all(dot is None for dot in dots):
        return
    call = RecordedTangent(eq, late("recorded_jvp"))
    made = {t: f.made(t) for t in call.moving}
    f.dots |= made
    passed = tuple(Const(None) if dot is None else dot for dot in dots)
    f.builder.block.append(Equation(tuple(made.values()), Op(call), passed, (), eq.origin))


_RULES: dict[Any, Any] = {**RULES, PAIR: _call, RECORDED: _recorded}
