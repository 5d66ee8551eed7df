"""The functions of a generated module that carry tangents along."""

from __future__ import annotations

import functools
from copy import deepcopy
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.memory.ownership import trace
from srcgrad.emit.jvp import JvpWriter
from srcgrad.emit.words.assembly import assemble, head_of, require_in_reach
from srcgrad.emit.words.seeds import takes_keywords
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.nodes import RETURNED, Block, Equation, Function, Op, Value, Var
from srcgrad.ir.verify import verify_tangents
from srcgrad.load.texts import FunctionText
from srcgrad.simplify.passes import simplify
from srcgrad.transform.forward_parts import Forwarded, ForwardPair
from srcgrad.transformation.context import Context


def carry(
    context: Context,  # the transformation
    function: Function,  # the lowered function
    forwarded: Forwarded,  # its tangents, simplified
    name: str,  # the name of the generated function
    doc: str,  # its docstring
    *,
    extras: list[str],  # further parameters, for what a local function captured
    # whether a user calls it: then no result shares memory with an argument, and a result that
    # does not depend on the arguments has zeros
    entry: bool,
    # whether the value is given back; otherwise the tangent alone is, and what only the value
    # needs is not computed
    valued: bool = True,
) -> tuple[FunctionText, list[str]]:
    """Write a function that returns its value and the tangent of its value.

    Returns:
        Its text, and the names of its parameters for tangents.
    """
    block, seeds = forwarded.block, list(forwarded.seeds.values())
    if entry:
        block = own_returns(block)
        verify_tangents("copies of results", function, seeds, block)
    writer = JvpWriter(context, function, block, seeds, entry, valued)
    dots = list(writer.seeds.values())
    head = head_text(function.source, name, extras, dots)
    body = require_in_reach(function, writer.body())
    text = assemble(function.source, head, doc, body, [], [])
    return FunctionText(name, text, function.source, writer.externals), dots


def simplified(context: Context, function: Function, forwarded: Forwarded) -> Forwarded:
    """Simplify the tangents of a function."""
    check = functools.partial(verify_tangents, function=function, seeds=forwarded.seeds.values())
    exact = context.compared
    block, _ = simplify(forwarded.block, [], context.lengths, [], {}, {}, False, check, exact=exact)
    return replace(forwarded, block=block)


def own_returns(block: Block) -> Block:
    """Copy tangents that are returned and share memory with an argument or each other."""
    roots = trace(block)

    def owned(eq: Equation) -> Block:
        if eq.op.fn is not RETURNED:
            return (eq,)
        out: list[Equation] = []
        seen: set[Any] = set()
        args: list[Value] = []
        for arg in eq.args:
            if isinstance(arg, Var) and arg.type.shape != ():
                mine = roots.get(arg, frozenset([("external", arg)]))
                if mine & seen or any(r[0] == "external" for r in mine):
                    copy = Var(arg.name, arg.type, arg.named)
                    fn = np.copy if arg.type.is_number else deepcopy
                    out.append(Equation((copy,), Op(fn), (arg,), (), eq.origin))
                    arg = copy
                seen |= mine
            args.append(arg)
        return *out, replace(eq, args=tuple(args))

    return with_equations(block, owned)


def head_text(source: Any, name: str, extras: list[str], dots: list[str]) -> str:
    """The first line of a function with parameters for tangents."""
    params = source.tree.params
    named = [cst.Param(cst.Name(e)) for e in extras]
    given = [cst.Param(cst.Name(d)) for d in dots]
    if takes_keywords(source.tree):
        named = [*named, *given]
    else:
        params = params.with_changes(params=[*params.params, *given])
    if named:
        star = params.star_arg
        params = params.with_changes(
            kwonly_params=[*params.kwonly_params, *named],
            star_arg=star if isinstance(star, cst.Param | cst.ParamStar) else cst.ParamStar(),
        )
    return head_of(source, name, params, added=bool(named or given))


def carry_pair(context: Context, callee: ForwardPair) -> tuple[FunctionText, list[str]]:
    """Write a called function that carries tangents along."""
    pair = callee.pair
    source = pair.function.source
    place = f"{source.short_filename}:{source.line_of(source.tree) or '?'}"
    assert callee.forwarded is not None
    return carry(
        context,
        pair.function,
        simplified(context, pair.function, callee.forwarded),
        callee.name,
        f"{pair.name} ({place}), with the tangent of its value.",
        extras=[name for name, _, _ in pair.extras],
        entry=False,
    )
