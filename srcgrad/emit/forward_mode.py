"""The functions of a generated module that carry tangents along."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.shapes import type_of
from srcgrad.context import Context
from srcgrad.emit.jvp import JvpWriter, takes_keywords
from srcgrad.emit.module import FunctionText, assemble, owned
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.lists import leaves
from srcgrad.ir.nodes import Function, Value, Var
from srcgrad.simplify.passes import simplify
from srcgrad.transform.forward import Forwarded, ForwardPair
from srcgrad.transform.zeros import zero


def carry(
    context: Context,
    function: Function,
    forwarded: Forwarded,
    name: str,
    doc: str,
    *,
    extras: list[str],
    entry: bool,
) -> tuple[FunctionText, list[str]]:
    """Write a function that returns its value and the tangent of its value.

    Args:
        context: the transformation.
        function: the lowered function.
        forwarded: its tangents.
        name: the name of the generated function.
        doc: its docstring.
        extras: further parameters, for what a local function captured.
        entry: whether a user calls it: then no result shares memory with an
            argument, and a result that does not depend on the arguments has zeros.

    Returns:
        Its text, and the names of its parameters for tangents.
    """
    b = Builder(function.source, context)
    b.block = list(forwarded.block)
    results = [_result(b, leaf, forwarded, entry) for leaf in leaves(function.result)]
    live = [r for r in results if r is not None]
    block, live = simplify(tuple(b.block), live, context.lengths, set())
    if entry:
        block, live = owned(block, live)
    made = iter(live)
    results = [None if r is None else next(made) for r in results]
    seeds = list(forwarded.seeds.values())
    writer = JvpWriter(context, function, block, results, seeds)
    dots = list(writer.seeds.values())
    head = head_text(function.source, name, extras, dots)
    text = assemble(head, doc, writer.body(), [], [])
    return FunctionText(name, text, function.source, writer.externals), dots


def _result(b: Builder, leaf: Value, forwarded: Forwarded, entry: bool) -> Value | None:
    """The tangent of a leaf of the result; None where there is none to be had."""
    dot = forwarded.dots.get(leaf) if isinstance(leaf, Var) else None
    if dot is not None:
        return dot
    type_ = type_of(leaf)
    real = type_.is_number and type_.dtype not in ("i", "b")
    if not (real and (entry or type_.active)):
        return None
    if not isinstance(leaf, Var):
        from srcgrad.ir.nodes import Const

        return Const(0.0)
    made = zero(b, leaf, None)
    if isinstance(made, Var):
        object.__setattr__(made, "name", f"{leaf.name}_dot")
        object.__setattr__(made, "named", True)
    return made


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
    node = cst.FunctionDef(cst.Name(name), params, cst.IndentedBlock([]))
    text = cst.Module([]).code_for_node(node)
    return text[: text.rindex(":") + 1]


def carry_pair(context: Context, callee: ForwardPair) -> tuple[FunctionText, list[str]]:
    """Write a called function that carries tangents along."""
    pair = callee.pair
    source = pair.function.source
    place = f"{source.short_filename}:{source.line_of(source.tree) or '?'}"
    assert callee.forwarded is not None
    return carry(
        context,
        pair.function,
        callee.forwarded,
        callee.name,
        f"{pair.name} ({place}), with the tangent of its value.",
        extras=[name for name, _, _ in pair.extras],
        entry=False,
    )
