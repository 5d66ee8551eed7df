"""Expanding a formula at a call: its backward part, with all that is known folded in."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false

from __future__ import annotations

import functools
import inspect
import types
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.models import extents
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MalformedFormulaError
from srcgrad.expansion.pair import FormulaPair, formula_pair
from srcgrad.expansion.templates import kinds_of
from srcgrad.frontend.arrays.formula_calls import bind_formula, parameters_if_any
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.returned import RETURN
from srcgrad.frontend.statements.lowering import lower_block
from srcgrad.frontend.text.exits import statements_in
from srcgrad.frontend.text.source import Source, read
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import Closure, Const, Equation, Items, Op, Value, Var, embed, is_active, uses
from srcgrad.ir.types import Type
from srcgrad.library.libraries import is_of_library
from srcgrad.registry import find_formula, is_nondifferentiable, is_static, primal
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.broadcasting import as_floats, is_boolean, is_fixed
from srcgrad.transformation.context import Context

_UNKNOWN = Type("numeric", None, "f")


class NotInlinable(Exception):
    """The formula does not fold to straight-line code at this call."""


class Expansion:
    """What a builder needs to know while it reads a formula."""

    user = False

    def __init__(self, function: Any, primal: Value, args: tuple[Value, ...]) -> None:
        self.function = function  # the formula
        self.primal = primal  # the result of the call that is being differentiated
        self.args = args  # the arguments of that call
        self.forward = True  # whether the forward part is being read
        self.matched = False  # whether the forward part turned out to be the call itself
        self.transposing = False  # whether the backward part is read to be reversed

    def call(self, b: Builder, fn: Any, args, options, node) -> Value | None:
        """Intercept a call inside of the formula."""
        if self.forward and self.is_primal(fn):
            return self.primal
        if fn is unbroadcast and len(args) == 2:
            return fold_unbroadcast(b, *args, node)
        if fn is np.iscomplexobj and len(args) == 1:
            return Const(type_of(args[0]).dtype == "c")
        if fn is np.ndim and len(args) == 1 and isinstance(args[0], Const):
            return Const(np.ndim(args[0].value))
        if fn is np.ndim and len(args) == 1 and _is_flat(args[0]):
            return Const(1)
        if fn is is_fixed and len(args) == 1:
            return Const(isinstance(args[0], Const) or type_of(args[0]).dtype in ("i", "b"))
        if fn is is_boolean and len(args) == 1:
            return Const(type_of(args[0]).dtype == "b")
        if fn is as_floats and len(args) == 1:
            known = isinstance(args[0], Const) or type_of(args[0]).dtype not in ("i", "b")
            return args[0] if known else b.emit(Op(np.float64), args, node)
        formula = find_formula(fn)
        if formula is not None:
            positional, extra = bind_formula(b, fn, formula, args, options, node)
            return b.emit(Op(fn), positional, node, extra)
        if isinstance(fn, types.FunctionType) and not (
            is_static(fn) or is_nondifferentiable(fn) or is_of_library(fn)
        ):
            if self.transposing and any(map(is_active, args)):
                raise NotInlinable
            type_ = getattr(fn, "__srcgrad_type__", _UNKNOWN)
            return b.emit(Op(fn), args, node, tuple(options.items()), type_=type_)
        return None

    def is_primal(self, fn: Any) -> bool:
        """Whether a call in the forward part is the call being differentiated."""
        if fn is not primal and find_formula(fn) is not self.function:
            return False
        self.matched = True
        return True

    def undecided(self) -> Exception:
        """A branch cannot be decided when code is generated."""
        return NotInlinable()


def _is_flat(value: Value) -> bool:
    """Whether a value is a tuple or a list of numbers."""
    return isinstance(value, Items) and all(
        isinstance(item, Const) or (isinstance(item, Var) and item.type.ndim == 0)
        for item in value.items
    )


@functools.cache
def formula_source(function: Any) -> Source:
    """Return the source of a formula, with its text as it was written."""
    return read(function)


def expand(
    context: Context,
    equation: Equation,
    z_bars: tuple[Value, ...],
    result: Value,
    block: list[Any],
    origin: Any,
) -> tuple[Value, ...] | FormulaPair:
    """Append the backward part of an equation's formula.

    Returns:
        The cotangents of the positional arguments; or, where the formula does
        not fold to straight-line code, the pair of functions to call instead.
    """
    function = find_formula(equation.op.fn)
    kinds = kinds_of(context, equation, z_bars, result)
    if kinds is not None and kinds.are_known:
        known = kinds.again(block, origin)
        return formula_pair(context, function, formula_source(function)) if known is None else known
    source = formula_source(function)
    expansion = Expansion(function, result, equation.args)
    b = Builder(source, context, expansion)
    b.block, b.fixed_origin = block, origin
    mark = len(block)
    try:
        bind_parameters(b, function, equation)
        lower_block(b, source.tree.body.body)
        returned = b.env.get(RETURN)
        backward = _backward_of(source, returned)
        if not expansion.matched or returned.items[0] is not result:  # type: ignore
            raise NotInlinable
        forward_part = block[mark:]
        expansion.forward = False
        _bind_cotangents(b, backward, z_bars)
        b.env.pop(RETURN, None)
        lower_block(b, statements_in(backward.node.body))
        cotangents = b.env[RETURN]
        _require_metadata_only(forward_part, block[mark + len(forward_part) :])
        bars = one_each(function, cotangents)
    except NotInlinable:
        del block[mark:]
        if kinds is not None:
            kinds.remember(None)
        return formula_pair(context, function, formula_source(function))
    if kinds is not None:
        kinds.remember((block[mark:], bars))
    return bars


def one_each(function: Any, cotangents: Value) -> tuple[Value, ...]:
    """One cotangent for each positional parameter, from what backward returned."""
    if not isinstance(cotangents, Items) and len(_positional(function)) > 1:
        raise NotInlinable
    if not isinstance(cotangents, Items) or (
        len(_positional(function)) == 1 and not _variadic(function)
    ):
        cotangents = Items((cotangents,)) if not _is_wrapped(cotangents) else cotangents
    return cotangents.items


def _is_wrapped(cotangents: Value) -> bool:
    """Whether the cotangent of a single tuple parameter came inside a 1-tuple."""
    return (
        isinstance(cotangents, Items)
        and len(cotangents.items) == 1
        and isinstance(cotangents.items[0], Items)
    )


def _positional(function: Any) -> list[inspect.Parameter]:
    parameters = parameters_if_any(function)
    return [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def _variadic(function: Any) -> bool:
    parameters = parameters_if_any(function)
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


def bind_parameters(b: Builder, function: Any, equation: Equation) -> None:
    """Bind a formula's parameters to the arguments of a call."""
    given = list(equation.args)
    options = dict(equation.options)
    for p in parameters_if_any(function):
        if p.kind is p.VAR_POSITIONAL:
            b.env[p.name] = Items(tuple(given))
            given = []
        elif p.kind is p.KEYWORD_ONLY:
            b.env[p.name] = options[p.name] if p.name in options else _default(p)
        elif given:
            b.env[p.name] = given.pop(0)
        else:
            b.env[p.name] = _default(p)


def _default(p: inspect.Parameter) -> Value:
    if isinstance(p.default, tuple):
        return Items(tuple(embed(v) for v in p.default))
    return embed(p.default)


def _backward_of(source: Source, returned: Any) -> Closure:
    if isinstance(returned, Items) and len(returned.items) in (2, 3):
        backward = returned.items[1]
        if isinstance(backward, Closure):
            return backward
    raise MalformedFormulaError(
        f"the formula {source.name} does not return (result, backward)",
        spots=[source.spot(source.tree)],
        fixes=["end it with `return z, backward`"],
    )


def _bind_cotangents(b: Builder, backward: Closure, z_bars: tuple[Value, ...]) -> None:
    names = [p.name.value for p in backward.node.params.params]
    if len(names) == len(z_bars):
        for name, z_bar in zip(names, z_bars, strict=True):
            b.env[name] = z_bar
    elif len(names) == 1:
        b.env[names[0]] = Items(z_bars)
    else:
        raise NotInlinable


def _require_metadata_only(forward: list[Any], backward: list[Any]) -> None:
    """Intermediates that backward reads must be free to compute again."""
    cheap: set[Var] = set()
    computed = {t: eq for eq in forward if isinstance(eq, Equation) for t in eq.targets}
    for eq in forward:
        if isinstance(eq, Equation) and (
            isinstance(eq.op.fn, Metadata)
            or all(t.type.kind in ("shape", "opaque") or t.type.dtype in "ib" for t in eq.targets)
        ):
            cheap.update(eq.targets)
    for eq in backward:
        if isinstance(eq, Equation):
            for var in uses(eq):
                if var in computed and var not in cheap:
                    raise NotInlinable


def fold_unbroadcast(b: Builder, x_bar: Value, x: Value, node: Any) -> Value:
    """Write out what summing over broadcast axes means where the shapes are known."""
    if isinstance(x, Const) or not isinstance(x_bar, Var | Const) or b.context.pointwise:
        return x_bar
    wide, narrow = type_of(x_bar), type_of(x)
    lengths = b.context.lengths
    if lengths.same(wide, narrow) or lengths.alike(x_bar, x):
        return x_bar
    summed = replace(narrow, dtype="c") if wide.dtype == "c" else narrow
    if narrow.is_scalar:
        if wide.ndim is not None:
            return b.emit(Op(np.sum), (x_bar,), node)
        # what has no axes is given back as it is, which may be a view of one number
        return b.emit(Op(unbroadcast), (x_bar, x), node, type_=replace(summed, kind="numeric"))
    p, q = extents(lengths, x_bar), extents(lengths, x)
    if p is None or q is None:
        return b.emit(Op(unbroadcast), (x_bar, x), node, type_=summed)
    lead = len(p) - len(q)
    if lead < 0:  # a number as the cotangent of an array: what is returned will be refused
        return b.emit(Op(unbroadcast), (x_bar, x), node, type_=narrow)
    stretched = []
    for k, (m, n) in enumerate(zip(p[lead:], q, strict=True)):
        if m == n:
            continue
        if n == 1:
            stretched.append(lead + k)
        elif isinstance(n, str | int) and n != 1:  # what has this length is not stretched
            lengths.rely_on(n)
        else:
            return b.emit(Op(unbroadcast), (x_bar, x), node, type_=summed)
    if not lead and not stretched:
        return x_bar
    if lead and stretched:
        return b.emit(Op(unbroadcast), (x_bar, x), node, type_=summed)
    axes = tuple(range(lead)) or tuple(stretched)
    axis = Const(axes[0]) if len(axes) == 1 else Items(tuple(Const(a) for a in axes))
    options: tuple[tuple[str, Value], ...] = (("axis", axis),)
    if stretched:
        options += (("keepdims", Const(True)),)
    return b.emit(Op(np.sum, "method", "sum"), (x_bar,), node, options, type_=summed)
