"""Calls of which nothing is kept: the backward part calls the forward function again.

Where that draws random numbers, the second run is given a copy of each generator, made before the
first: so it draws the same, and nothing is drawn from the generators themselves.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

from __future__ import annotations

import types
from collections.abc import Container, Iterator
from dataclasses import replace
from inspect import Parameter
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS, WITH_OUTPUT
from srcgrad.analysis.shapes.results import type_of
from srcgrad.calling.repeating import checkpoint
from srcgrad.effects import computes_only, draws
from srcgrad.errors import Spot
from srcgrad.frontend.calls.inactive_calls import writes_outside
from srcgrad.frontend.calls.pairs import Again, Pair
from srcgrad.frontend.calls.paths import expression_of
from srcgrad.frontend.checks.purity import has_effects, is_own
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import fresh_name
from srcgrad.frontend.text.names import local_names
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import text_of
from srcgrad.frontend.text.trees import below, children
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    OPAQUE,
    PAIR,
    Closure,
    Equation,
    Items,
    Known,
    Op,
    Pullback,
    Value,
    Var,
    equations,
)
from srcgrad.ir.types import GENERATOR, INTEGER, Type
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts
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


# what a seed may be written with; ``None`` is no seed
_SEEDS = (cst.Integer, cst.Name, cst.BinaryOperation, cst.UnaryOperation, cst.Tuple, cst.List)
_SEEDS = (*_SEEDS, cst.Element, cst.Arg, cst.BaseBinaryOp, cst.BaseUnaryOp)


def drawn_from(b: Builder, pair: Pair, node: Any) -> set[Var]:
    """The parameters of a function that it draws random numbers from.

    Refused is one that does more than that and giving a result, or not the same each time.
    """
    drawn, once = _draws(pair, {})
    if once is None:
        return drawn
    inner, call = once
    error = b.refuse(
        node,
        f"a checkpoint of {pair.name}, which calls what may not do the same when it runs again,",
        "call it outside, and pass what it gives",
    )
    source = inner.function.source  # type: ignore[union-attr]
    spot: Spot = source.spot(call)
    raise error.at([*error.spots, spot])


_Draws = tuple[set[Var], "tuple[Pair, Any] | None"]


def _draws(pair: Pair, known: dict[Pair, _Draws]) -> _Draws:
    """The parameters that a function draws from; and a call that may be made only once."""
    if pair in known or pair.function is None:
        return known.get(pair, (set(), None))
    known[pair] = set(), None  # of its calls of itself, which are looked at below
    known[pair] = _drawn, once = _draws_in(pair, known)
    if _drawn and once is None and pair.recursive:
        known[pair] = _drawn, (pair, pair.function.source.tree)
    return known[pair]


def _draws_in(pair: Pair, known: dict[Pair, _Draws]) -> _Draws:
    function = pair.function
    assert function is not None
    drawn: set[Var] = set()
    impure = set(function.layout.impure)
    parameters = {leaf for _, value in function.params for leaf in leaves(value)}
    followed: set[int] = set()  # what is called here that is looked into
    own: set[Value] = set()  # generators that it makes anew each time, and that draw the same
    for eq in equations(function.body):
        node = eq.origin.node or eq.origin.statement
        found: list[Value] = []
        if eq.op.fn is PAIR:
            impure.discard(id(node))  # it may raise
            followed.add(id(getattr(node, "func", node)))
            inner, once = _draws(eq.payload.pair, known)
            if once is not None:
                return drawn, once
            given: Any = () if not inner else eq.payload.pair.function.params
            rows = zip(given, eq.args, strict=False)
            found = [value for row, value in rows if row[1] in inner]
            if len(found) < len(inner):
                return drawn, (pair, node)
        elif _is_draw(eq, node):
            found = [eq.args[0]]
        elif _makes_generator(eq, node):
            impure.discard(id(node))
            followed.add(id(node.func))
            own |= {*eq.targets}
        elif "random" in _home(eq.op.fn).split("."):
            return drawn, (pair, node)
        for generator in found:
            if generator in parameters:
                drawn.add(generator)  # type: ignore[arg-type]
            elif generator not in own:
                return drawn, (pair, node)
            impure.discard(id(node))
    calls = (n for n in below(function.source.tree) if isinstance(n, cst.Call))
    once = [c for c in calls if id(c) in impure and not _is_pure(c, function.source)]
    once += _mentioned(function.source, function.source.tree, followed)
    once += [n for n in below(function.source.tree) if isinstance(n, cst.Global)]  # which it writes
    write = writes_outside(function)
    if write is not None:
        once.append(write.origin.node or write.origin.statement or function.source.tree)
    return drawn, (pair, once[0]) if once else None


def may_draw(closure: Closure) -> bool:
    """Whether a call of a local function may change what is drawn after it."""
    calls = (node for node in below(closure.node) if isinstance(node, cst.Call))
    names = (c.func.attr.value for c in calls if isinstance(c.func, cst.Attribute))
    return any(name in DRAWS for name in names) or any(_mentioned(closure.source, closure.node))


def _mentioned(source: Source, tree: Any, followed: Container[int] = ()) -> Iterator[Any]:
    """What a function names from outside that has effects or draws, in text that is kept.

    Args:
        source: where it is defined.
        tree: its definition.
        followed: the ids of what is called in it and looked into elsewhere.
    """
    local = local_names(tree)
    waiting: list[Any] = [tree.body]
    while waiting:
        node = waiting.pop()
        if id(node) in followed:
            continue
        if not isinstance(node, cst.Name | cst.Attribute):
            waiting += children(node)
            continue
        root, *rest = text_of(node).split(".")
        plain = all(name.isidentifier() for name in (root, *rest))
        if isinstance(node, cst.Attribute) and (root in local or not plain):
            waiting.append(node.value)
            continue
        if root in local:
            continue
        thing = facts.read_name(source.cells.get(root, source.globals), root)
        for name in rest:
            if not isinstance(thing, types.ModuleType):
                break
            thing = facts.attribute(thing, name)
        effects = isinstance(thing, types.FunctionType | type) and is_own(thing)
        makes = _home(thing).startswith("numpy.random")  # generators, some without a seed
        if makes or draws(thing) or (effects and has_effects(thing)):
            yield node


def _is_draw(eq: Equation, node: Any) -> bool:
    """Whether an equation is the call of a method of a generator that draws and does no more."""
    if eq.op.fn is not OPAQUE or not eq.args or type_of(eq.args[0]).element is not GENERATOR:
        return False
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return False
    given = {arg.keyword.value if arg.keyword else arg.star for arg in node.args}
    name, written = node.func.attr.value, given & {"out", "*", "**"}
    by_position = sum(arg.keyword is None for arg in node.args)
    return name in DRAWS and not written and not (by_position > 2 and name in WITH_OUTPUT)


def _makes_generator(eq: Equation, node: Any) -> bool:
    """Whether an equation makes a generator of numbers, so that it is the same each time."""
    if eq.op.fn is not OPAQUE or type_of(eq.targets[0]).element is not GENERATOR:
        return False
    if not isinstance(node, cst.Call) or not node.args:
        return False
    parts = [part for arg in node.args for part in below(arg.value)]
    plain = all(isinstance(part, _SEEDS) for part in parts)
    names = any(isinstance(part, cst.Name) and part.value == "None" for part in parts)
    return plain and not names and all(type_of(arg) == INTEGER for arg in eq.args)


def before_draws(b: Builder, value: Value, node: Any) -> Value:
    """What a generator is before the statement whose call draws from it."""
    read = expression_of(b, value, "")
    statement = b.statement
    others = [n for n in below(statement) if isinstance(n, cst.Call) and n is not node]
    others = [n for n in others if n is not node.func and not _is_of_numpy(b, n)]
    if not isinstance(statement, cst.SimpleStatementLine) or b.conditional or others:
        raise b.refuse(
            node,
            "a checkpoint of what draws random numbers, beside other calls,",
            "give it a statement of its own: y = checkpoint(f)(x)",
        )
    taken = {name for _, name, _ in b.layout.draws}
    name = fresh_name(b, f"{read.rsplit('.', maxsplit=1)[-1].strip('_')}_0", taken)
    b.layout.draws.append((statement, name, read))
    b.locals |= {name}
    b.context.reserved.add(name)
    made = _generator(b, name)
    b.layout.bind_before(made, name, b.frame, b.statement_position)
    return made


def _generator(b: Builder, name: str) -> Var:
    """A new variable for a generator."""
    made = b.define(Var(name, Type("opaque", element=GENERATOR), named=True), None)
    b.block.append(Equation((made,), Op(OPAQUE), (), (), b.origin(None)))
    return made


def _is_of_numpy(b: Builder, call: cst.Call) -> bool:
    """Whether a call is one of a function of NumPy that draws nothing, as its text says."""
    root, *rest = text_of(call.func).split(".")
    if root in b.locals or not rest or "random" in rest:
        return False
    return facts.read_name(b.source.cells.get(root, b.source.globals), root) is np


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
