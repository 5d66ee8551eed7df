"""Calls of which nothing is kept: the backward part calls the forward function again."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter
from typing import Any

import libcst as cst

from srcgrad.calling.repeating import checkpoint
from srcgrad.effects import computes_only
from srcgrad.errors import Spot
from srcgrad.frontend.calls.pairs import Pair
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.trees import below
from srcgrad.ir.nodes import PAIR, Closure, Compound, Items, Known, Pullback, Value, Var, equations
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts
from srcgrad.registry import find_formula

Again = tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]


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
    if pair.written:
        raise b.refuse(
            node,
            f"a checkpoint of {pair.name}, which writes into its arguments,",
            "return the new array instead",
        )
    _require_repeatable(b, pair, node)
    args: list[Value] = []
    options: list[tuple[str, Value]] = []
    named = False
    for parameter, value, given in bound:
        if _holds(value, lambda part: isinstance(part, Known | Closure | Pullback)):
            raise b.refuse(
                node,
                f"a checkpoint of {pair.name}, which takes functions or objects that hold some,",
                "let it read them from outside",
            )
        if not given and not pair.lifted:
            named = True  # what comes behind a default that is left out
            continue
        if not given and _holds(value, lambda part: isinstance(part, Var)):
            raise b.refuse(node, f"the default of {parameter.name!r} here", "pass the argument")
        if parameter.kind is Parameter.VAR_POSITIONAL:
            assert isinstance(value, Items)
            args += value.items
        elif named or parameter.kind is Parameter.KEYWORD_ONLY:
            options.append((parameter.name, value))
        else:
            args.append(value)
    options += [(name, extras[name]) for name, _, _ in pair.extras]
    return tuple(args), tuple(options)


def _holds(value: Value, test: Callable[[Value], bool]) -> bool:
    if isinstance(value, Compound):
        return any(_holds(part, test) for part in value.items)
    return test(value)


def _require_repeatable(b: Builder, pair: Pair, node: Any) -> None:
    """Refuse a function that does more than to give a result, or not the same one each time."""
    found = _once(pair, [])
    if found is None:
        return
    inner, once = found
    error = b.refuse(
        node,
        f"a checkpoint of {pair.name}, which calls what may not do the same when it runs again,",
        "call it outside, and pass what it gives",
    )
    source = inner.function.source
    spot: Spot = source.spot(once)
    raise error.at([*error.spots, spot])


def _once(pair: Pair, seen: list[Pair]) -> tuple[Pair, Any] | None:
    """A call in a function, or in one that it calls, that may be made only once."""
    if pair in seen or pair.function is None:
        return None
    seen.append(pair)
    impure = set(pair.function.layout.impure)
    for eq in equations(pair.function.body):
        node = eq.origin.node or eq.origin.statement
        if eq.op.fn is PAIR:
            impure.discard(id(node))  # it may raise
            found = _once(eq.payload.pair, seen)
            if found is not None:
                return found
        elif "random" in _home(eq.op.fn).split("."):
            return pair, node
    calls = (n for n in below(pair.function.source.tree) if isinstance(n, cst.Call))
    once = (c for c in calls if id(c) in impure and not _is_pure(c, pair.function.source))
    return next(((pair, call) for call in once), None)


def _is_pure(call: cst.Call, source: Any) -> bool:
    """Whether a call is one of a function of the language that gives the same each time."""
    if isinstance(call.func, cst.Attribute):
        return isinstance(call.func.value, cst.SimpleString | cst.FormattedString)
    if not isinstance(call.func, cst.Name):
        return False
    fn = facts.read_name(source.globals, call.func.value)
    return home(fn) == "builtins" and computes_only(fn, (), {})


def _home(fn: Any) -> str:
    """The module that a function belongs to."""
    owner = plainly(fn, "__self__")
    return plainly(fn, "__module__") or type(owner).__module__
