"""The tangent rule of one equation, derived from its formula.

``backward`` is linear in the cotangent it is given, so its transpose takes the
tangents of the arguments to the tangent of the result. The formula's backward
part is expanded at the call as in reverse mode, with stand-ins for the primal
values, and the straight-line block that this gives is reversed with respect to
the cotangent. Two kinds of formulas need no transposing: those that declare in
which parameters they are linear, and those that come with a ``tangent``.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad import registry
from srcgrad.analysis.shapes.results import is_elementwise, type_of
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from srcgrad.expansion.expand import NotInlinable
from srcgrad.expansion.transposing import cotangents_of, explicit_tangent
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.layout import Layout
from srcgrad.ir.leaves import leaves
from srcgrad.ir.metadata import METADATA, Metadata
from srcgrad.ir.nodes import (
    WRITES,
    Const,
    Equation,
    Function,
    Items,
    Op,
    Slice,
    Value,
    Var,
    uses,
    variables,
)
from srcgrad.ir.rebuilding import equation_reading, reading, substituted
from srcgrad.ir.types import Type, bar_type_of
from srcgrad.program import facts
from srcgrad.registry import find_formula, linear_parameters, may_be_wrapped
from srcgrad.runtime import (
    cast_like,
    join_like,
    place,
    place_along,
    place_diagonal,
    place_each_along,
    split_like,
    sum_repeats,
    sum_tiles,
    sum_windows,
    unbroadcast,
)
from srcgrad.simplify.passes import remove_dead
from srcgrad.transform.reverse import ReversePass
from srcgrad.transformation.context import Context
from srcgrad.transformation.library_names import qualified_name

_SHAPE_ONLY = {  # the argument of which only the shape counts
    unbroadcast: 1,
    cast_like: 1,
    place: 2,
    place_along: 2,
    place_each_along: 2,
    place_diagonal: 1,
    split_like: 1,
    join_like: 1,
    sum_tiles: 1,
    sum_repeats: 1,
    sum_windows: 1,
}
_LIKE = (np.shape, np.ndim, np.size, np.zeros_like, np.ones_like)


@dataclass(frozen=True, eq=False)
class Rule:
    """A tangent rule, for values of given types."""

    inputs: tuple[Var, ...]  # stand-ins for the primal values and then for the tangents
    block: tuple[Any, ...]  # what is computed of them
    result: tuple[Value | None, ...]  # the tangents of the results, None where they are zero


def dot_type(type_: Type) -> Type:
    """The type of the tangent of a value."""
    return bar_type_of(type_)


def tangents(
    context: Context, b: Builder, eq: Equation, dots: tuple[Value | None, ...]
) -> tuple[Value | None, ...]:
    """Append the tangents of an equation's results, and return them.

    Args:
        context: the transformation.
        b: where they are appended to.
        eq: the equation of a function that has a formula.
        dots: the tangents of its positional arguments, None for zero; that of a
            tuple is a tuple without any None.

    Raises:
        UnsupportedSyntaxError: when the rule depends on what is not known yet.
    """
    b.fixed_origin = eq.origin
    names = linear_parameters(find_formula(eq.op.fn))
    if names:
        return _linear(b, eq, dots, names)
    try:
        return _apply(context, b, eq, dots)
    except NotInlinable:
        if context.demands.may_ask(What.OPTIONS):
            raise Specialise(What.OPTIONS) from None
        origin = eq.origin
        spots = []
        if origin is not None and origin.source is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.node or origin.statement)]
        raise UnsupportedSyntaxError(
            f"the tangent of {qualified_name(eq.op.fn)} cannot be written down here",
            spots=spots,
            why="Its formula depends on the rank of an argument or of the result, or on an option, "
            "that is not known when code is generated.",
            fixes=[
                "give the ranks of the arguments, or call the derivative",
                "write the options as literals",
                "return a tangent from the formula, as a third thing",
            ],
        ) from None


def _linear(b: Builder, eq: Equation, dots, names: tuple[str, ...]) -> tuple[Value | None, ...]:
    """The rule of a function that is linear in some of its parameters."""
    order = dict(eq.options).get("order", Const("C"))
    if eq.op.fn in (np.ravel, np.reshape) and order not in (Const("C"), Const("F")):
        # it depends on the memory of the array, and that of the tangent is another one
        written = getattr(order, "value", "of a name")
        refusal = NotImplementedError(f"no formula for order={written!r}; use 'C' or 'F'")
        raise MissingFormulaError.of_option(refusal)
    labels = _labels(find_formula(eq.op.fn), len(eq.args))
    total: list[Value] | None = None
    template = tuple(dot_type(t.type) for t in eq.targets)
    options = tuple((k, v) for k, v in eq.options if k != "initial")  # it only adds a constant
    for k, (label, dot) in enumerate(zip(labels, dots, strict=True)):
        if dot is None or label not in names:
            continue
        args = (*eq.args[:k], dot, *eq.args[k + 1 :])
        if len(template) == 1 and may_be_wrapped(eq.op.fn):
            raise UnsupportedSyntaxError(
                "the tangent of an array that is cut into one piece is not supported",
                spots=[eq.origin.source.spot(eq.origin.node)] if eq.origin is not None else [],
                fixes=["take the array itself"],
            )
        kind = template[0] if len(template) == 1 else template
        made = b.emit(eq.op, args, None, options, kind)
        parts: list[Any] = list(made.items) if isinstance(made, Items) else [made]
        if total is not None:
            parts = [
                b.emit(Op(operator.add), (p, q), None, type_=t)
                for p, q, t in zip(total, parts, template, strict=True)
            ]
        total = parts
    return tuple(total) if total is not None else (None,) * len(eq.targets)


def _labels(formula: Any, count: int) -> list[str]:
    """The names of a formula's parameters that the positional arguments belong to."""
    out: list[str] = []
    for p in facts.signature(formula).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            out += [p.name] * (count - len(out))
        elif p.kind is p.POSITIONAL_OR_KEYWORD:
            out.append(p.name)
    return out[:count]


def _apply(context: Context, b: Builder, eq: Equation, dots) -> tuple[Value | None, ...]:
    """Find the rule for these types, deriving it if need be, and write it down."""
    values = (*eq.args, *(v for _, v in eq.options), *eq.targets)
    given = list(dict.fromkeys(v for value in values for v in variables(value)))
    flat = [v for dot in dots if dot is not None for v in leaves(dot)]
    pairs = zip(eq.args, dots, strict=False)
    moving = {v for arg, dot in pairs if dot is not None for v in variables(arg)}
    stand = {v: Var(v.name, _stand_in(v.type, v in moving), v.named) for v in given}
    key = _key(context, eq, dots, given)
    rule = context.tangent_rules.get(key) if key is not None else None
    if rule is None:
        seeds = [Var("dot", dot_type(type_of(v))) for v in flat]
        rule = _derive(context, eq, dots, stand, seeds)
        if key is not None:
            context.tangent_rules[key] = rule
    mapping: dict[Any, Any] = dict(zip(rule.inputs, [*given, *flat], strict=True))
    for statement in rule.block:
        targets = tuple(Var(t.name, t.type, t.named) for t in statement.targets)
        (own,) = reading((statement,), mapping)
        mapping |= dict(zip(statement.targets, targets, strict=True))
        for old, new in zip(statement.targets, targets, strict=True):
            model = context.lengths.models.get(old)
            if model in mapping:
                context.lengths.models[new] = mapping[model]
            for axis in range(old.type.ndim or 0):
                told = context.lengths.axes.get((old, axis))
                if isinstance(told, tuple):
                    told = (mapping[told[0]], told[1]) if told[0] in mapping else None
                if told is not None:
                    context.lengths.axes[new, axis] = told
        b.block.append(replace(own, targets=targets, origin=eq.origin))
    return tuple(None if r is None else substituted(r, mapping) for r in rule.result)


def _stand_in(type_: Type, moves: bool) -> Type:
    """The type of what stands for a value; one that has a tangent is a number, and not None."""
    unknown = moves and (type_.kind, type_.dtype) == ("numeric", "?")
    return replace(type_, active=False, **({"dtype": "f"} if unknown else {}))


def _key(context: Context, eq: Equation, dots, given: list[Var]) -> Any:
    """What a rule depends on; None if that cannot be compared."""
    number = {v: k for k, v in enumerate(given)}

    def describe(value: Any) -> Any:
        if isinstance(value, Var):
            t = value.type
            return number[value], t.kind, context.lengths.resolve(t.shape), t.dtype
        if isinstance(value, Items):
            return ("items", value.is_list, *map(describe, value.items))
        if isinstance(value, Slice):
            return ("slice", describe(value.lower), describe(value.upper), describe(value.step))
        return value

    key = (
        eq.op.fn,
        tuple(map(describe, eq.args)),
        tuple((k, describe(v)) for k, v in eq.options),
        tuple(map(describe, eq.targets)),
        tuple(None if d is None else len(leaves(d)) for d in dots),
    )
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _derive(context: Context, eq: Equation, dots, stand: dict[Var, Var], seeds: list[Var]) -> Rule:
    """Derive a rule: by the formula's own ``tangent``, or by transposing ``backward``."""
    fresh = iter(seeds)
    seeded = tuple(None if d is None else _refill(d, fresh) for d in dots)
    call = equation_reading(eq, stand)
    call = replace(call, targets=tuple(stand[t] for t in eq.targets))
    inputs = (*stand.values(), *seeds)
    explicit = explicit_tangent(context, call, seeded)
    block: Any
    if explicit is not None:
        block, result = explicit
    else:
        block, result = _transpose(context, call, seeded)
    live = {v for r in result if r is not None for v in variables(r)}
    block = remove_dead(tuple(block), live)
    for statement in block:
        for target in statement.targets:
            if target.type.active:
                target.name = "term"
                target.named = False
    known = set(inputs)
    for statement in block:
        if any(v not in known for v in uses(statement)):
            raise NotInlinable
        known.update(statement.targets)
    if len(call.targets) == 1:
        block, result = _spread(context, call, block, result[0], seeded)
    return Rule(inputs, tuple(block), tuple(result))


def _refill(value: Value, fresh: Any) -> Value:
    if isinstance(value, Items):
        return Items(tuple(_refill(v, fresh) for v in value.items), value.is_list)
    return next(fresh)


def _transpose(context: Context, call: Equation, seeded):
    """Reverse the formula's backward part with respect to its cotangent."""
    context.pointwise = _pointwise(call.op.fn)
    try:
        return _reverse_backward(context, call, seeded)
    finally:
        context.pointwise = False


def _reverse_backward(context: Context, call: Equation, seeded):
    z_bars = tuple(Var("z_bar", dot_type(t.type)) for t in call.targets)
    block, cotangents, primal = cotangents_of(context, call, z_bars)
    source = call.origin.source if call.origin is not None else None
    function = Function(source, (), (), Items(()), Layout())
    pass_ = ReversePass(context, function)
    pass_.claimed.update(v for dot in seeded if dot is not None for v in variables(dot))
    for cotangent, dot in zip(cotangents, seeded, strict=False):
        if dot is not None:
            pass_.accumulate(cotangent, dot, call.origin)
    pass_.run(tuple(block))
    if pass_.hidden or pass_.residuals:
        raise NotInlinable
    result = tuple(pass_.bars.get(z_bar) for z_bar in z_bars)
    constant = [e for e in block if not any(t.type.active for t in e.targets)]
    linear = {t: e for e in block for t in e.targets if t.type.active}
    everything = [*constant, *pass_.block]
    live = {v for r in result if r is not None for v in variables(r)}
    everything = list(remove_dead(tuple(everything), live))
    stand = dict(zip(z_bars, call.targets, strict=True)) | primal
    return _without_cotangents(context, call, everything, linear, stand), result


def _without_cotangents(context, call, block: list[Any], linear, stand) -> list[Any]:
    """Read shapes off primal values where the block reads them off cotangents."""
    places = [*call.targets, *(v for a in call.args for v in variables(a))]
    out: list[Any] = []

    def carrier(var: Var) -> Var:
        """A value of the same shape that exists."""
        if var in stand:
            return stand[var]
        if var not in linear:
            return var
        for other in places:
            if context.lengths.alike(other, var):
                return other
        eq = linear[var]
        if len(eq.targets) != 1 or eq.op.fn in WRITES:
            raise NotInlinable
        made = Var(var.name, var.type.with_active(False))
        stand[var] = made
        (own,) = reading((eq,), {v: carrier(v) for v in uses(eq)})
        out.append(replace(own, targets=(made,)))
        return made

    for eq in block:
        lost = [v for v in uses(eq) if v in linear or v in stand]
        if lost:
            position = 0 if isinstance(eq.op.fn, Metadata) or eq.op.fn in _LIKE else None
            position = _SHAPE_ONLY.get(eq.op.fn, position)
            args = list(eq.args)
            for k, arg in enumerate(args):
                if isinstance(arg, Var) and arg in lost:
                    if k != position and not (arg in stand and arg not in linear):
                        raise NotInlinable  # the value of a cotangent, not its shape
                    if k != position and stand[arg] in call.targets and arg.type.active:
                        raise NotInlinable
                    args[k] = carrier(arg)
            eq = replace(eq, args=tuple(args))
        out.append(eq)
    return out


def _pointwise(fn: Any) -> bool:
    return is_elementwise(fn) or registry.is_elementwise(find_formula(fn))


def _spread(context: Context, call: Equation, block, dot: Value | None, seeded):
    """Broadcast a tangent that does not reach the shape of an elementwise result."""
    (target,) = call.targets
    if dot is None or not _pointwise(call.op.fn):
        return block, (dot,)
    if context.lengths.alike(dot, target) or target.type.is_scalar:
        return block, (dot,)
    computed = {t: e for e in block for t in e.targets}
    owner = {d: a for a, d in zip(call.args, seeded, strict=False) if isinstance(d, Var)}
    met: set[Any] = set()
    stack = list(variables(dot))
    while stack:
        var = stack.pop()
        met |= {var, owner.get(var)}
        if var in computed and _pointwise(computed[var].op.fn):
            stack += list(uses(computed[var]))
    wide = [v for a in call.args for v in variables(a) if not v.type.is_scalar]
    if target in met or all(v in met for v in wide):
        return block, (dot,)
    shape = Var("shape", Type("shape", target.type.shape))
    spread = Var("term", dot_type(target.type))
    metadata = Equation(
        (shape,), Op(METADATA["shape"], "attribute", "shape"), (target,), (), call.origin
    )
    made = Equation((spread,), Op(np.broadcast_to), (dot,), (("shape", shape),), call.origin)
    return (*block, metadata, made), (spread,)
