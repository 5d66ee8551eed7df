"""Reading a formula for its tangent rule: its backward part, or the tangent it brings along."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import operator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.expansion.expand import (
    Expansion,
    NotInlinable,
    _backward_of,
    _bind_cotangents,
    bind_parameters,
    formula_source,
    one_each,
)
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.returned import RETURN
from srcgrad.frontend.statements.lowering import lower_block
from srcgrad.frontend.text.exits import statements_in
from srcgrad.ir.nodes import Const, Equation, Items, Op, Value, Var, uses
from srcgrad.ir.types import Type
from srcgrad.registry import find_formula
from srcgrad.transformation.context import Context


def _read(context: Context, call: Equation) -> tuple[Builder, Any, Value]:
    """Lower the forward part of a formula at a call."""
    function = find_formula(call.op.fn)
    source = formula_source(function)
    result: Value = call.targets[0] if len(call.targets) == 1 else Items(call.targets)
    reading = Expansion(function, result, call.args)
    b = Builder(source, context, reading)
    b.fixed_origin = call.origin
    bind_parameters(b, function, call)
    lower_block(b, source.tree.body.body)
    returned = b.env.pop(RETURN, None)
    reading.forward = False
    return b, returned, result


def cotangents_of(
    context: Context, call: Equation, z_bars: tuple[Var, ...]
) -> tuple[list[Any], tuple[Value, ...], dict[Var, Var]]:
    """Lower a formula and its backward part at a call.

    Returns:
        The statements, the cotangents of the positional arguments, and the
        results that the formula computes anew, with those of the call.
    """
    b, returned, result = _read(context, call)
    backward = _backward_of(b.source, returned)
    again = dict(_pairs(returned.items[0], result))
    _bind_cotangents(b, backward, z_bars)
    b.formula.transposing = True
    lower_block(b, statements_in(backward.node.body))
    cotangents = one_each(find_formula(call.op.fn), b.env[RETURN])
    return b.block, cotangents, again


def _pairs(computed: Value, result: Value):
    """The variables of a result that was computed twice, side by side."""
    if isinstance(computed, Items) and isinstance(result, Items):
        for p, q in zip(computed.items, result.items, strict=False):
            yield from _pairs(p, q)
    elif isinstance(computed, Var) and isinstance(result, Var) and computed is not result:
        yield computed, result


def explicit_tangent(
    context: Context, call: Equation, dots: tuple[Value | None, ...]
) -> tuple[list[Any], tuple[Value | None, ...]] | None:
    """Lower a formula's own ``tangent`` at a call.

    Returns:
        The statements and the tangents of the results; None if it has no
        ``tangent``.
    """
    function = find_formula(call.op.fn)
    if not has_tangent(function):
        return None
    b, returned, _ = _read(context, call)
    tangent = returned.items[2]
    names = [p.name.value for p in tangent.node.params.params]
    zeros: dict[Var, Value] = {}
    for k, name in enumerate(names):
        dot = dots[k] if k < len(dots) else None
        if dot is None:
            dot = Var(name, Type("numeric", None, "f", True))
            zeros[dot] = call.args[k] if k < len(call.args) else Const(None)
        b.env[name] = dot
    lower_block(b, statements_in(tangent.node.body))
    made = b.env[RETURN]
    block, known = _without_zeros(b, zeros)
    flat = made.items if isinstance(made, Items) else (made,)
    flat = flat[: len(call.targets)]  # options may leave the last ones out
    return block, tuple(None if known.get(v, v) is None else known.get(v, v) for v in flat)


def has_tangent(function: Any) -> bool:
    """Whether a formula brings its own tangent rule along."""
    last = formula_source(function).tree.body.body[-1]
    value = last.body[0].value if isinstance(last, cst.SimpleStatementLine) else None
    return isinstance(value, cst.Tuple) and len(value.elements) == 3


def _without_zeros(b: Builder, zeros: dict[Var, Value]) -> tuple[list[Any], dict[Any, Any]]:
    """Drop what only meets tangents that are zero; every operation is linear in tangents."""
    known: dict[Any, Any] = dict.fromkeys(zeros)  # what became of a variable; None is zero
    block, b.block = b.block, []
    for eq in block:
        live = [v for v in uses(eq) if v.type.active]
        gone = [v for v in live if v in known and known[v] is None]
        args = tuple(known.get(a, a) if isinstance(a, Var) else a for a in eq.args)
        if live and len(gone) == len(live):
            known |= dict.fromkeys(eq.targets)
        elif gone and eq.op.fn is operator.add:
            known[eq.targets[0]] = args[0] if args[0] is not None else args[1]
        elif gone and eq.op.fn is operator.sub:
            known[eq.targets[0]] = (
                args[0] if args[0] is not None else b.emit(Op(operator.neg), (args[1],), None)
            )
        else:
            filled = tuple(
                _zero(b, eq, a, zeros) if v is None else _known_in(b, eq, v, known, zeros)
                for a, v in zip(eq.args, args, strict=True)
            )
            b.block.append(Equation(eq.targets, eq.op, filled, eq.options, eq.origin, eq.payload))
    return b.block, known


def _known_in(b: Builder, eq: Equation, value: Value, known: dict, zeros: dict) -> Value:
    """What became of the variables in a tuple or list of tangents."""
    if not isinstance(value, Items):
        return value

    def part(item: Value) -> Value:
        found = known.get(item, item) if isinstance(item, Var) else item
        return _zero(b, eq, item, zeros) if found is None else found

    return value.like(map(part, value.items))


def _zero(b: Builder, eq: Equation, var: Any, zeros: dict[Var, Value]) -> Value:
    """Write out a zero that an operation cannot do without."""
    if eq.op.fn is np.where:
        return Const(0)
    primal = zeros.get(var)
    if isinstance(primal, Const) and isinstance(primal.value, int | float):
        return Const(0.0)
    if not isinstance(primal, Var | Const):
        raise NotInlinable
    return b.emit(Op(np.zeros_like), (primal,), None)
