"""Reverse mode through branches and loops.

A branch is reversed arm by arm; where only one arm gives a variable a cotangent,
the other gives it zero. A loop is reversed into a loop that carries the
cotangents of what the iterations hand on, and of what they read from outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import defined
from srcgrad.analysis.shapes.models import note_merge
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.blocks import statements
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import (
    LIST_NEW,
    LIST_REVERSED,
    Block,
    Carried,
    Const,
    If,
    Loop,
    Merge,
    Op,
    Value,
    Var,
    acts,
    equations,
)
from srcgrad.ir.types import OPTIONAL, Type
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.transform import lists
from srcgrad.transform.zeros import cotangent_type, zero, zero_of_cotangent

_LOOSE = Type("numeric", None, "f", True)


def _appears_in_many_shapes(entry: Any) -> bool:
    """Whether a loop brings a variable into being that may differ in shape between iterations.

    The cotangent of such a variable is the number zero in all iterations but the last.
    """
    if not isinstance(entry, Carried) or entry.init is not UNDEFINED:
        return False
    type_ = type_of(entry.next)
    if not isinstance(entry.next, Var) or type_.is_scalar or not type_.is_number:
        return False
    if isinstance(type_.shape, tuple):
        return None in type_.shape
    return type_.shape is None or type_.shape.startswith("?")


def merged(block: Block) -> set[Var]:
    """The variables that stand for a value of one arm or the other."""
    return {m.out for s in statements(block) if isinstance(s, If) for m in s.merges}


def reverse_branch(r: Any, node: If) -> None:
    """Reverse both arms of a branch; see ``transform.reverse``."""
    outs = [(m, r.bars.pop(m.out, None)) for m in node.merges]
    live = [(m, bar) for m, bar in outs if bar is not None]
    before = dict(r.bars)
    results = []
    for arm, side in ((node.then, "then"), (node.orelse, "orelse")):
        saved, r.builder.block = r.builder.block, []
        r.bars = dict(before)
        for merge, bar in live:
            value = getattr(merge, side)
            r.accumulate(value, _in_shape(r, value, bar, node.origin), node.origin)
        r.run(arm)
        results.append((tuple(r.builder.block), r.bars))
        r.builder.block = saved
    r.bars = before
    (then, left), (orelse, right) = results
    merges = []
    inner = defined(node.then) | defined(node.orelse)
    made = defined(then) | defined(orelse)
    for var in [*left, *(v for v in right if v not in left)]:
        a, c = left.get(var), right.get(var)
        if var in inner or a == c:
            if a is not None and a == c:
                r.bars[var] = a
            continue
        given = c if a is None else a
        if given in made:  # it has no name in the other arm
            given = None
        then, a = _filled(r, then, a, var, given, node.origin)
        orelse, c = _filled(r, orelse, c, var, given, node.origin)
        out = Var(f"{var.name}_bar", cotangent_type(var), var.named)
        r.claimed.add(out)
        merges.append(Merge(out, a, c))
        note_merge(r.context.lengths, out, a, c)
        r.bars[var] = out
    if merges or any(acts(eq.op) for eq in equations((*then, *orelse))):
        r.block.append(If(node.test, then, orelse, tuple(merges), node.origin, node.frames))


def _filled(
    r: Any, block: Block, bar: Value | None, var: Var, given: Value | None, origin: Any
) -> tuple[Block, Value]:
    """Write out a zero where the other arm has a cotangent."""
    if bar is not None:
        return block, bar
    saved, r.builder.block = r.builder.block, list(block)
    # Of a variable that may be unassigned nothing can be kept.
    if var in r.unsure and isinstance(given, Var) and _in_the_same_shape(r, given, var):
        made = zero_of_cotangent(r.builder, given, origin)
    else:
        made = zero(r.builder, var, origin)
    r.claim(made, var)
    block, r.builder.block = tuple(r.builder.block), saved
    return block, made


def reverse_loop(r: Any, node: Loop) -> None:
    """Reverse a loop; see ``transform.reverse``."""
    exits = {c: r.bars.pop(c.out, None) for c in node.carried}
    before = dict(r.bars)
    taken = lists.taken_in_order(node, r.context.lengths.rows)
    for eq in taken:  # a loop around this one goes through here several times
        (r.in_order.discard if eq.args[0] in before else r.in_order.add)(eq)
    known, outer = r.handed_on.get(node, ((), []))  # where a loop around it was tried before
    live = [c for c in node.carried if exits[c] is not None or c in known]
    while True:  # which cotangents does an iteration hand to the one before it?
        params = _params(r, live, outer)
        body, ends, found = _iteration(r, node, live, outer, params)
        more = [c for c in node.carried if c in live or found.get(c.param) is not None]
        inside = defined(node.body) | {c.param for c in node.carried}
        reached = [v for v in found if v not in inside and v is not node.index]
        reached = outer + [v for v in reached if v not in outer]
        if len(more) == len(live) and len(reached) == len(outer):
            break
        live, outer = more, reached
    r.handed_on[node] = live, outer
    if not live and not outer and not any(acts(eq.op) for eq in equations(body)):
        return
    inits = [exits[c] for c in live] + [before.get(v) for v in outer]
    sources = [c.out for c in live] + outer
    filled = [
        bar if bar is not None else _initial(r, v, node)
        for bar, v in zip(inits, sources, strict=True)
    ]
    carried = []
    r.bars = before
    for key, init, end in zip([*live, *outer], filled, ends, strict=True):
        var = key.out if isinstance(key, Carried) else key
        out = Var(f"{var.name}_bar", params[key].type, var.named)
        r.claimed.add(out)
        carried.append(Carried(params[key], init, end, out))
    r.block.append(Loop(tuple(carried), body, node.index, node, node.origin, node.frame))
    for key, entry in zip([*live, *outer], carried, strict=True):
        if isinstance(key, Carried):
            continue
        bar: Value = entry.out
        if key in r.collected:
            r.collected.discard(key)
            bar = r.emit(LIST_REVERSED, bar, origin=node.origin, type_=entry.out.type)
            r.claim(bar, key)
        r.bars[key] = bar
    for key, entry in zip([*live, *outer], carried, strict=True):
        if isinstance(key, Carried) and key.init is not UNDEFINED:
            r.accumulate(key.init, entry.out, node.origin)


def _params(r: Any, live: list[Carried], outer: list[Var]) -> dict[Any, Var]:
    """The cotangents with which an iteration of a backward loop starts."""
    params: dict[Any, Var] = {}
    for key, var in [(c, c.param) for c in live] + [(v, v) for v in outer]:
        type_ = _LOOSE if _appears_in_many_shapes(key) else cotangent_type(var)
        params[key] = Var(f"{var.name}_bar", type_, var.named)
        r.claimed.add(params[key])
        if isinstance(key, Carried) and isinstance(key.next, Var) and type_.kind == "array":
            lengths = r.context.lengths  # what an iteration leaves has a cotangent of its shape
            lengths.models[params[key]] = lengths.model(key.next)
    return params


def _initial(r: Any, var: Var, node: Loop) -> Value:
    """The cotangent that enters a backward loop as zero; some lists' are built up in it."""
    if var in r.collected:
        return r.emit(LIST_NEW, origin=node.origin, type_=cotangent_type(var))
    made = zero(r.builder, var, node.origin)
    r.claim(made, var)
    return made


def _iteration(r: Any, node: Loop, live, outer, params):
    """Reverse one iteration; return its block, the final cotangents, and all bars."""
    saved_block, saved_bars = r.builder.block, r.bars
    r.builder.block, r.bars = [], {}
    given: dict[Carried, Value] = {}
    for var in outer:
        r.bars[var] = params[var]
    for entry in live:
        bar = params[entry]
        if _appears_in_many_shapes(entry):
            r.loose[bar] = entry.param
            bar = _in_shape(r, entry.next, bar, node.origin)
        given[entry] = bar
        r.accumulate(entry.next, bar, node.origin)
    r.run(node.body)
    found = dict(r.bars)
    ends: list[Value] = []
    for entry in live:
        end = r.bars.get(entry.param)
        if end is None:
            end = _end(r, entry, given[entry], node.origin)
        ends.append(end)
    ends += [r.bars[var] for var in outer]
    block = tuple(r.builder.block)
    r.builder.block, r.bars = saved_block, saved_bars
    return block, ends, found


def _end(r: Any, entry: Carried, bar: Any, origin: Any) -> Value:
    """The zero that an iteration hands to the one before it."""
    if _appears_in_many_shapes(entry):
        return Const(0.0)
    # What the loop brings into being has no value at the start of an iteration; and of an
    # array nothing need be kept where the cotangent that the iteration was given is like it.
    own = entry.init is not UNDEFINED and not _alike(r, bar, entry.param)
    if own:
        made = zero(r.builder, entry.param, origin)
    else:
        made = zero_of_cotangent(r.builder, bar, origin)
    r.claim(made, entry.param)
    return made


def _alike(r: Any, bar: Var, var: Var) -> bool:
    """Whether a cotangent is an array of the shape and the kind of elements of a value.

    That of None has no axes, whatever an iteration puts in its place.
    """
    certain = bar.type.kind == "array" and var.type.element is not OPTIONAL
    return certain and _in_the_same_shape(r, bar, var)


def _in_the_same_shape(r: Any, bar: Var, var: Var) -> bool:
    """Whether a cotangent is of the shape, the kind and the kind of elements of a value."""
    if bar.type.kind != var.type.kind or bar.type.dtype != var.type.dtype:
        return False
    return r.context.lengths.same(bar.type, var.type)


def _in_shape(r: Any, value: Value, bar: Value, origin: Any) -> Value:
    """Give a cotangent that may be the number zero the shape of its value.

    A value that two arms merge, or that comes from the iteration before, has no
    name at the end of an iteration that is left early: its cotangent is passed
    on as it is, to where the value is made.
    """
    param = r.loose.get(bar) if isinstance(bar, Var) else None
    if param is None or not isinstance(value, Var) or value is param or value in r.merged:
        return bar
    shape = Op(METADATA["shape"], "attribute", "shape")
    r.builder.fixed_origin = origin
    of = r.builder.emit(
        shape, (value,), None, type_=Type("shape", type_of(value).shape), active=False
    )
    made = r.emit(np.broadcast_to, bar, origin=origin, type_=cotangent_type(value), shape=of)
    r.claim(made, value)
    return made
