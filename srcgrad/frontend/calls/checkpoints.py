"""Calls of which nothing is kept: the backward part calls the forward function again."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import types
from dataclasses import replace
from inspect import Parameter
from typing import Any

from srcgrad.calling.repeating import checkpoint
from srcgrad.frontend.calls.drawing import before_draws, drawn_from
from srcgrad.frontend.calls.pairs import Again, Pair
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    Closure,
    Items,
    Known,
    Pullback,
    Value,
    Var,
)
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import is_of_library
from srcgrad.registry import find_formula


def lower_checkpoint(b: Builder, function: Value | None, node: Any) -> Value:
    """Lower ``checkpoint(f)``: the function is known, and nothing is computed."""
    if isinstance(function, Closure) and not function.derivatives:
        return replace(function, again=True)
    if isinstance(function, Known) and plain(function.object) is not None:
        key = ("checkpoint", function.object)
        if key not in b.context.derived:
            b.context.derived[key] = Known(checkpoint(function.object), function.name)
        return b.context.derived[key]
    raise refusal(b, node)


def refusal(b: Builder, node: Any) -> Exception:
    """Return the error for a checkpoint of something else than a function."""
    return b.refuse(
        node,
        "a checkpoint of what is no plain Python function",
        "write a function that calls it: checkpoint(lambda x: layer(x))",
    )


def plain(fn: Any) -> types.FunctionType | None:
    """The Python function behind one that runs again, None where there is none."""
    while plainly(fn, "__srcgrad_again__") is not None:
        fn = fn.__srcgrad_primal__
    known = isinstance(fn, types.FunctionType) and not hasattr(fn, "__srcgrad__")
    if not known or is_of_library(fn) or find_formula(fn) is not None:
        return None
    return fn


def arguments_again(b: Builder, pair: Pair, bound: Any, extras: Any, node: Any) -> Again:
    """The arguments with which the backward part calls a function again."""
    if pair.function is None:
        raise b.refuse(node, f"a checkpoint of {pair.name}, inside of itself,", "call it plainly")
    drawn = drawn_from(b, pair, node)
    steps = b.source.steps.get(pair.name) if pair.lifted else None
    args: list[Value] = []
    options: list[tuple[str, Value]] = []
    copied: set[int | str] = set()
    written = {position for position, _ in pair.written}
    written |= {k for k, (_, value) in enumerate(pair.function.params) if value in drawn}
    if steps is not None and any(k >= len(bound) for k in written):
        if not b.context.demands.asks_of(What.HANDED, b.source):
            raise Specialise(What.HANDED, b.source, node)
        raise b.refuse(
            node, "a checkpointed loop that changes something in this way", "change it by its name"
        )
    if drawn and steps is None:
        for stays in (b.layout.impure, b.layout.writing):  # also where nothing reads what it gives
            stays.add(id(node))
        places = {k for k, (_, value) in enumerate(pair.function.params) if value in drawn}
        bound = [
            (p, before_draws(b, value, node) if k in places else value, given)
            for k, (p, value, given) in enumerate(bound)
        ]
        extras = {
            name: before_draws(b, value, node) if k in places else value
            for k, (name, value) in enumerate(extras.items(), len(bound))
        }
    named = False
    for k, (parameter, value, given) in enumerate(bound):
        if any(isinstance(part, Known | Closure | Pullback) for part in leaves(value)):
            raise b.refuse(
                node,
                f"a checkpoint of {pair.name}, which takes functions or objects that hold some,",
                "let it read them from outside",
            )
        if k in written and not isinstance(value, Var):
            raise b.refuse(
                node,
                f"a checkpoint of {pair.name}, which writes into arrays in its arguments,",
                "pass the arrays themselves, or return new ones",
            )
        if not given and not pair.lifted:
            named = True  # what comes behind a default that is left out
            continue
        if not given and any(isinstance(part, Var) for part in leaves(value)):
            raise b.refuse(node, f"the default of {parameter.name!r} here", "pass the argument")
        if parameter.kind is Parameter.VAR_POSITIONAL:
            assert isinstance(value, Items)
            args += value.items
            continue
        by_name = named or parameter.kind is Parameter.KEYWORD_ONLY
        if k in written:
            copied.add(parameter.name if by_name else len(args))
        if by_name:
            options.append((parameter.name, value))
        else:
            args.append(value)
    for k, (name, _, _) in enumerate(pair.extras, len(bound)):
        options.append((name, extras[name]))
        if k in written:
            copied.add(name)
    return Again(tuple(args), tuple(options), frozenset(copied))
