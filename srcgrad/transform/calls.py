"""Reverse rules of calls: of split functions, and of what the user puts into the backward part."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.shapes.models import note_same
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.lists import leaves
from srcgrad.ir.nodes import (
    INTERCEPTED,
    Const,
    Equation,
    Function,
    Op,
    Value,
    Var,
    is_active,
    uses,
    variables,
)
from srcgrad.ir.rebuilding import reading, substituted
from srcgrad.ir.types import Type
from srcgrad.transform.parts import PairAgain, PairBackward, RecordedBackward
from srcgrad.transform.split import backward_of
from srcgrad.transform.zeros import cotangent_type


def _residuals(r: Any, eq: Equation) -> Var:
    """What the forward function of a call has kept, or keeps when it runs again."""
    site = eq.payload
    fresh = Var(f"{site.pair.name}_residuals", Type("opaque"))
    if site.again is not None:
        again = site.again
        op = Op(PairAgain(site.pair, again.copied))
        r.block.append(Equation((fresh,), op, again.args, again.options, eq.origin))
        return fresh
    if eq not in r.residuals:
        r.residuals[eq] = r.context.kept.setdefault(eq, fresh)
    return r.residuals[eq]


def _of_kind(target: Var, bar: Value) -> Value:
    """The cotangent of a result, complex where that is: the function counts on it."""
    if isinstance(bar, Const) and isinstance(bar.value, int | float) and target.type.dtype == "c":
        return Const(complex(bar.value))
    return bar


def _number(r: Any, eq: Equation, target: Var, bar: Value) -> Value:
    """The cotangent of a number as one: the function may write into what may be an array."""
    if not target.type.is_immutable or not isinstance(bar, Var) or bar.type.kind != "array":
        return bar
    type_ = cotangent_type(target)
    return r.emit(operator.pos, bar, origin=eq.origin, type_=type_)


def pair_call(r: Any, eq: Equation, bars: list) -> bool:
    """Call the backward function of a split call, with what its forward function kept."""
    site = eq.payload
    if sloped(r.context, site):
        _times_slope(r, eq, bars[0])
        return True
    pattern = tuple(bar is not None for bar in bars)
    wanted = backward_of(r.context, site.pair, pattern)
    rows = zip(eq.targets, bars, strict=True)
    live = tuple(_number(r, eq, t, _of_kind(t, bar)) for t, bar in rows if bar is not None)
    if _is_short(wanted, site) and not _written_before(r.function, eq):
        _in_place(r, eq, wanted, live)
        return True
    targets, receivers = [], []
    for position, path in wanted.cotangents(site.pair):
        leaf = leaves(eq.args[position])[path]
        bar = Var("bar", cotangent_type(leaf))
        note_same(r.context.lengths, bar, leaf)
        targets.append(bar)
        receivers.append(leaf)
    if not targets:
        return True
    op = Op(PairBackward(site.pair, pattern))
    r.block.append(Equation(tuple(targets), op, (_residuals(r, eq), *live), (), eq.origin))
    for leaf, bar in zip(receivers, targets, strict=True):
        r.accumulate(leaf, bar, eq.origin)
    return True


_SHORT = 4  # lines that read as well in the place of the call of a backward function


def _is_short(backward: Any, site: Any) -> bool:
    """Whether the backward part of a function is a few lines, and needs nothing that it computes.

    They are written in the place of the call of a backward function: then nothing is kept of
    the function, and its call stays as it is.
    """
    made, function = backward.reversed, site.pair.function
    if made is None or backward.assumed or function.written or len(made.block) > _SHORT:
        return False
    if function.source.is_generated:
        return False  # what the text of its call would make anew each time
    known = {*backward.seeds, *(v for _, value in function.params for v in variables(value))}
    for statement in made.block:
        if not isinstance(statement, Equation) or not known.issuperset(uses(statement)):
            return False
        known.update(statement.targets)
    return True


def _written_before(function: Function, call: Equation) -> bool:
    """Whether what a call reads may have been written in place before, under the name that it has.

    The backward part would find what it was at first.
    """
    place, clobbered = function.layout.definitions.get(call.targets[0]), Clobbered(function)
    if place is None:
        return bool(clobbered.writes)
    until = None if place.frame.in_loop else place.position
    given = [leaf for value in call.args for leaf in leaves(value)]
    return any(clobbered(leaf, until=until, at=place.frame) for leaf in given)


def _in_place(r: Any, eq: Equation, backward: Any, live: tuple[Value, ...]) -> None:
    """Write the backward part of a called function in the place of a call of it."""
    function, made = eq.payload.pair.function, backward.reversed
    new: dict[Var, Value] = dict(zip(backward.seeds, live, strict=True))
    for given, (_, own) in zip(eq.args, function.params, strict=True):
        rows = zip(leaves(own), leaves(given), strict=True)
        new |= {leaf: value for leaf, value in rows if isinstance(leaf, Var)}
    for statement in made.block:
        targets = tuple(Var(t.name, _outside(t.type)) for t in statement.targets)
        (own,) = reading((statement,), new)
        new |= zip(statement.targets, targets, strict=True)
        r.block.append(replace(own, targets=targets, origin=eq.origin))
    for position, path in backward.cotangents(eq.payload.pair):
        bar = made.cotangents[leaves(function.params[position][1])[path]]
        r.accumulate(leaves(eq.args[position])[path], substituted(bar, new), eq.origin)


def _outside(type_: Type) -> Type:
    """A type, outside of the function whose lengths its names are."""
    if isinstance(type_.shape, tuple):
        shape = tuple(n if isinstance(n, int) else None for n in type_.shape)
        return replace(type_, shape=shape)
    return replace(type_, shape=None) if isinstance(type_.shape, str) else type_


def sloped(context: Any, site: Any) -> bool:
    """Whether a call gives its gradient with its value, in the place of what it keeps.

    That is so for recursive functions that give one number, of one array or number: what all
    inner calls keep would be there at once otherwise, and it would be gone through twice.
    """
    pair = site.pair
    known = context.uniform and not (context.precisions or context.complex or context.unsure)
    apart = context.recorded or context.messages is not None
    if not known or apart or not pair.recursive or site.again is not None or site.added:
        return False
    function = pair.function
    if function is None or pair.written or pair.extras or pair.packed or pair.holding is not None:
        return False
    result = type_of(function.result)
    real = isinstance(function.result, Var) and (result.kind, result.dtype) == ("scalar", "f")
    return real and len(moving(function)) == 1


def moving(function: Function) -> list[Var]:
    """The active leaves of the parameters of a function."""
    found = [leaf for _, value in function.params for leaf in leaves(value)]
    return [leaf for leaf in found if isinstance(leaf, Var) and leaf.type.active]


def _times_slope(r: Any, eq: Equation, bar: Value) -> None:
    """The cotangent of an argument, where the call gave its gradient."""
    pair = eq.payload.pair
    (parameter,) = moving(pair.function)
    rows = zip(eq.args, pair.function.params, strict=True)
    pairs = [both for arg, (_, p) in rows for both in zip(leaves(arg), leaves(p), strict=True)]
    (leaf,) = [given for given, own in pairs if own is parameter]
    if not is_active(leaf):
        return
    kept = Var(f"{pair.name}_{parameter.name}_bar", cotangent_type(leaf))
    kept = r.residuals.setdefault(eq, r.context.kept.setdefault(eq, kept))
    made = r.emit(operator.mul, bar, kept, origin=eq.origin)
    r.accumulate(leaf, made, eq.origin)


def recorded_call(r: Any, eq: Equation, bars: list) -> bool:
    """Call the backward function that a recorded call gave."""
    call = eq.payload
    moving = [leaves(eq.args[k])[leaf] for k, leaf in call.given]
    made = tuple(Var("bar", cotangent_type(leaf)) for leaf in moving)
    given = tuple(Const(None) if bar is None else bar for bar in bars)
    kept = Var(f"{call.name}_backward", Type("opaque"))
    kept = r.residuals.setdefault(eq, r.context.kept.setdefault(eq, kept))
    op = Op(RecordedBackward(1 + len(bars), len(made)))
    r.block.append(Equation(made, op, (kept, *given), (), eq.origin))
    for leaf, bar in zip(moving, made, strict=True):
        r.accumulate(leaf, bar, eq.origin)
    return True


def intercepted(r: Any, eq: Equation, bars: list) -> bool:
    """Let the text that a user has put there do something with a cotangent."""
    value, *read = eq.args
    bar = Var("bar", cotangent_type(value))
    operands = (bars[0], *read)
    r.block.append(Equation((bar,), Op(INTERCEPTED), operands, (), eq.origin, eq.payload))
    r.accumulate(value, bar, eq.origin)
    return True


def perturbed(r: Any, eq: Equation, bars: list) -> bool:
    """What is added to a value has the cotangent of the sum."""
    for part in eq.args:
        r.accumulate(part, bars[0], eq.origin)
    return True
