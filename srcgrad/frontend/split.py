"""Calls of functions that are differentiated in turn: each is lowered once per signature."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from srcgrad.analysis.arguments import separate_arguments
from srcgrad.analysis.shapes import type_of
from srcgrad.analysis.writes import require_unaliased
from srcgrad.errors import InternalError, SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend import views
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.closures import capture
from srcgrad.frontend.effects import checks_something
from srcgrad.frontend.factories import gives_function, hands_over, text_of
from srcgrad.frontend.functions import lower_function, nested_source, prepare
from srcgrad.frontend.lists import template
from srcgrad.frontend.parameters import (
    anonymous,
    bind_arguments,
    describe,
    formal,
    numeric,
    parameters_of,
    widened,
)
from srcgrad.frontend.records import assume, growth, holders, pack
from srcgrad.frontend.structures import any_structs, tokens_of
from srcgrad.ir.nodes import (
    INDEX_SET,
    PAIR,
    Closure,
    Compound,
    Const,
    Equation,
    Function,
    Items,
    Known,
    Op,
    Pullback,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.records import Record
from srcgrad.ir.types import REAL, Type
from srcgrad.ir.verify import verify_function
from srcgrad.transform.results import leaves

_DEPTH = 3  # calls of one function inside each other that may each have types of their own


@dataclass(eq=False)
class Pair:
    """A called function, split into a forward and a backward function.

    Attributes:
        name: the function's name.
        function: the lowered function; None while it is being lowered.
        extras: names of the parameters that were added for captured variables,
            with the parameter that each belongs to (empty for its own captures).
        lifted: whether it was a local function.
        assumed: what a recursive call assumes of the result.
        patterns: backward functions asked for, by which results have a cotangent.
        suffix: what tells its functions from those of others with its name.
        written: the positions of the arguments that it writes into.
    """

    name: str
    function: Function | None = None
    extras: list[tuple[str, str, str]] = field(default_factory=list)
    lifted: bool = False
    assumed: Any = None
    recursive: bool = False
    python: Any = None
    roots: Any = None
    patterns: dict[tuple[bool, ...], Any] = field(default_factory=dict)
    suffix: str | None = None
    written: tuple[int, ...] = ()

    @property
    def shown(self) -> Value:
        """What the function returns, without what it hands back in its arguments."""
        assert self.function is not None
        result = self.function.result
        return result.items[0] if self.written and isinstance(result, Items) else result

    @property
    def ends(self) -> tuple[Var, ...]:
        """What the arguments hold at its end that it writes into."""
        result = self.function.result if self.function is not None else None
        return result.items[1:] if self.written and isinstance(result, Items) else ()  # type: ignore

    def label(self, context: Any, kind: str) -> str:
        """What its forward or backward function is called; numbered as they are called first."""
        if self.suffix is None:
            known = context.namesakes.setdefault(self.name, [])
            known.append(self)
            self.suffix = "" if len(known) == 1 else f"_{len(known)}"
        return f"{self.name}_{kind}{self.suffix}"


@dataclass(frozen=True, eq=False)
class CallSite:
    """One call of a pair.

    Attributes:
        pair: what is called.
        node: the libcst call.
        added: (parameter, expression text) of arguments that must be added.
        skipped: how many of the first arguments in the text are not passed.
        unpassed: the keywords in the text that are not passed.
        always: whether the forward function must be called even if nothing is kept of it,
            because the text of the call does not stand for it.
        handed: whether local functions are handed over as what they captured.
        versions: the arrays of the caller that it has written, as they are then.
    """

    pair: Pair
    node: Any
    added: tuple[tuple[str, str], ...]
    skipped: int = 0
    unpassed: tuple[str, ...] = ()
    always: bool = False
    handed: bool = False
    versions: list[Var] = field(default_factory=list)

    def passed(self, args: list[Any]) -> list[Any]:
        """The arguments in the text that are passed on."""
        return [
            arg
            for arg in args[self.skipped :]
            if arg.keyword is None or arg.keyword.value not in self.unpassed
        ]


def call_function(
    b: Builder,
    callee: Value,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "call",
    always: bool = False,
) -> Value:
    """Lower a call of a function with source; inactive calls stay as they are.

    Args:
        b: the builder.
        callee: the function.
        args: its positional arguments.
        options: its keyword arguments.
        node: the call.
        style: ``method`` where the first argument is the receiver of a method.
        always: whether it is a function that was handed over as what it captured.
    """
    from srcgrad.frontend.calls import UNKNOWN

    callee = capture(b, callee)
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    everything = [callee, *args, *options.values()]
    handed = always or gives_function(callee)
    always = handed or is_out_of_sight(b, callee)
    if not any(is_active(v) for v in everything) and not always:
        type_ = inactive_type(b, callee, args, options, node) or UNKNOWN
        made = b.opaque(node, everything, type_)
        note_writes(b, callee, args, options, node)
        return made
    return call_pair(b, callee, args, options, node, style=style, always=always, handed=handed)


def has_pullback(value: Value) -> bool:
    """Whether a value contains a backward function, or a local function that captured one."""
    if isinstance(value, Compound):
        return any(map(has_pullback, value.items))
    if isinstance(value, Closure):
        return any(has_pullback(held) for _, held in value.captured)
    return isinstance(value, Pullback)


def is_out_of_sight(b: Builder, callee: Value) -> bool:
    """Whether a local function was captured, so that no name in the text stands for it."""
    if not isinstance(callee, Closure) or id(callee.node) in b.local_functions:
        return False
    return callee.name not in b.locals


def call_pair(
    b: Builder,
    callee: Value,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    *,
    texts: tuple[tuple[str, str], ...] = (),
    skipped: int = 0,
    unpassed: tuple[str, ...] = (),
    style: str = "call",
    always: bool = False,
    handed: bool = False,
) -> Value:
    """Lower a call as one of a pair.

    Args:
        b: the lowering.
        callee: a known function or a local one.
        args: its arguments.
        options: those that are passed by name.
        node: the call.
        texts: (parameter, expression text) of options that the text does not have.
        skipped: see ``CallSite``.
        unpassed: see ``CallSite``.
        style: ``method`` where the first argument is the receiver of a method,
            ``pullback`` where it is what the text calls.
        always: see ``CallSite``.
        handed: see ``CallSite``.
    """
    parameters, name = parameters_of(b, callee)
    bound = bind_arguments(b, parameters, args, options, node, name)
    if any(has_pullback(v) for v in (callee, *args, *options.values())):
        raise b.refuse(node, "a backward function in another function", "call it where vjp is")
    pair, extras = _pair(b, callee, name, bound, node)
    added = [*texts]
    for extra, owner, captured in pair.extras:
        added.append((extra, expression_of(b, extras[extra], captured)))
        del owner
    for parameter, value, given in bound:
        if pair.lifted and not given:
            added.append((parameter.name, expression_of(b, value, "")))
    values = [_data(v) for _, v, _ in bound] + [extras[e] for e, _, _ in pair.extras]
    result = pair.shown if pair.function is not None else pair.assumed
    lengths = b.context.lengths
    if pair.function is None:
        pair.recursive = True
    targets: list[Var] = []
    shapes = _shapes(pair, values)

    def build(part: Any, label: str, path: tuple[int, ...]) -> Value:
        if isinstance(part, Items):
            parts = enumerate(part.items)
            return part.like(build(p, f"{label}_{k}", (*path, k)) for k, p in parts)
        if isinstance(part, Struct):
            form, rows = part.form, enumerate(part.items)
            items = [build(p, str(form.names[k]), (*path, form.access(k))) for k, p in rows]
            return Struct(form, tuple(items), fresh.get(id(part)))
        if (isinstance(part, Const) and not numeric(part)) or isinstance(part, Known):
            return part
        if isinstance(part, Closure | Pullback):
            raise b.refuse(node, "a function that returns a function", "call it where it is made")
        type_ = type_of(part)
        if isinstance(type_.shape, str):  # names of unknown shapes mean something in one body only
            type_ = replace(type_, shape=shapes.get(type_.shape) or lengths.fresh_shape())
        var = Var(label, type_)
        targets.append(b.define(var, node, path))
        return var

    fresh = tokens_of(result)
    if any_structs(result):  # it may hold the objects it was given
        b.freeze(*values)
    hint = f"{name}_value" if not name.startswith("lambda") else "value"
    value = build(result, hint, ())
    if pair.function is not None and checks_something(pair.function):
        b.layout.impure.add(id(node))
    if not targets and not pair.ends and not always:  # a function that captured nothing
        return value
    ends = [b.define(Var(v.name, v.type), None) for v in pair.ends]
    handed = handed or hands_over(result)
    site = CallSite(pair, node, tuple(added), skipped, unpassed, always or handed, handed)
    b.block.append(
        Equation((*targets, *ends), Op(PAIR, style, name), tuple(values), (), b.origin(node), site)
    )
    given = [values[k] for k in pair.written]
    return hand_back(b, site, value, given, ends) if ends else value


def hand_back(b: Builder, site: CallSite, value: Value, given: list[Value], ends: list[Var]):
    """Let the caller's arrays be what a called function has made of them.

    Args:
        b: the builder.
        site: the call.
        value: its result.
        given: the arrays that it writes into.
        ends: what they hold at its end.

    Returns:
        The result; where that is one of these arrays, it is the caller's.
    """
    outputs, node = leaves(site.pair.shown), site.node
    b.layout.writing.add(id(node))
    b.layout.impure.add(id(node))
    parts = dict(zip(map(id, leaves(value)), outputs, strict=True))
    for k, (array, end, inner) in enumerate(zip(given, ends, site.pair.ends, strict=True)):
        if not isinstance(array, Var):
            raise b.refuse(node, "this argument, which the function writes into,", "name it")
        b.context.shaped_as[end] = array
        b.env[f"<handed {k}>"] = array
        new = views.write(b, array, views.WHOLE, end, Op(INDEX_SET), node)
        site.versions.append(new)
        array = b.env.pop(f"<handed {k}>")
        value = _replaced(value, {p for p, output in parts.items() if output is inner}, array)
    return value


def _replaced(value: Value, ids: set[int], new: Value) -> Value:
    if isinstance(value, Items):
        return Items(tuple(_replaced(v, ids, new) for v in value.items), value.is_list)
    return new if id(value) in ids else value


def note_writes(b: Builder, callee, args, options, node) -> None:
    """Note the inactive arrays that a call, none of whose arguments is active, may write into."""
    found = _inactive_pair(b, callee, args, options, node)
    if found is None:
        given = [*args, *options.values()]
    else:
        pair, values = found
        given = [values[k] for k in pair.written] if pair.function is not None else values
    for value in given:
        for leaf in leaves(value):
            views.may_write(b, leaf)


def _shapes(pair: Pair, values: list[Value]) -> dict[str, Any]:
    """The shapes that the unknown shapes of a pair's parameters have in one call of it."""
    if pair.function is None:
        return {}
    found: dict[str, Any] = {}
    for (_, parameter), value in zip(pair.function.params, values, strict=True):
        for inner, outer in zip(leaves(parameter), leaves(value), strict=False):
            if isinstance(inner, Var) and isinstance(inner.type.shape, str):
                found.setdefault(inner.type.shape, type_of(outer).shape)
    return found


def _inactive(value: Value) -> Value:
    """A value of the same type that is not being differentiated."""
    if isinstance(value, Compound):
        return value.like(_inactive(v) for v in value.items)
    if isinstance(value, Var) and value.type.kind != "list":
        return Var(value.name, value.type.with_active(False), value.named)
    return value


def inactive_type(b: Builder, callee, args, options, node) -> Type | None:
    """The type of a call's result, whether it is differentiated or not, if it can be told."""
    found = _inactive_pair(b, callee, args, options, node)
    result = found[0].shown if found is not None and found[0].function is not None else None
    if isinstance(result, Var | Const) and type_of(result).is_number:
        return type_of(result).with_active(False)
    return None


def _inactive_pair(b: Builder, callee, args, options, node) -> tuple[Pair, list[Value]] | None:
    """A called function for inactive arguments, and these arguments, if it can be lowered."""
    given = args, options
    args = tuple(_inactive(v) for v in args)
    options = {k: _inactive(v) for k, v in options.items()}
    identity = id(callee.node) if isinstance(callee, Closure) else id(callee.object)
    if identity in b.context.inferring:
        return None
    b.context.inferring.add(identity)
    try:
        parameters, name = parameters_of(b, callee)
        bound = bind_arguments(b, parameters, args, options, node, name)
        pair, extras = _pair(b, callee, name, bound, node)
        bound = bind_arguments(b, parameters, *given, node, name)
    except InternalError:
        raise
    except SrcgradError:
        return None
    finally:
        b.context.inferring.discard(identity)
    return pair, [v for _, v, _ in bound] + [extras[e] for e, _, _ in pair.extras]


def _data(value: Value) -> Value:
    """What of an argument is data: captured variables are arguments of their own."""
    return Const(None) if isinstance(value, Closure | Known | Pullback) else value


def expression_of(b: Builder, value: Value, name: str) -> str:
    """The text that a value has at this place; ``name`` is tried first."""
    if isinstance(value, Const):
        return repr(value.value)
    if name and b.env.get(name) is value:
        return name
    for candidate, held in b.env.items():
        if held is value and not candidate.startswith("<"):
            return candidate
    found = text_of(b, value)
    if found is not None:
        return found
    if isinstance(value, Items):
        return "(" + ", ".join(expression_of(b, item, "") for item in value.items) + ",)"
    raise b.refuse(None, "this default of a local function", "pass the argument explicitly")


def _pair(b: Builder, callee, name: str, bound, node) -> tuple[Pair, dict[str, Value]]:
    context = b.context
    params, extras, found, added, own = formal(context, callee, bound)
    identity = id(callee.node) if isinstance(callee, Closure) else id(callee.object)
    if context.lowering.count(identity) >= _DEPTH:
        params = [(n, widened(v)) for n, v in params]
    held = tuple(describe(v) for v in extras.values())
    key = (identity, anonymous((tuple(describe(v) for _, v in params), held)))
    pair = context.pairs.get(key)
    if pair is not None:
        return pair, extras
    pair = Pair(name, extras=found, lifted=own is not None)
    pair.python = callee  # keeps the object alive whose id is in the key
    numbers = [type_of(v) for _, v in params if isinstance(v, Var) and type_of(v).is_number]
    if numbers and all(t.is_scalar for t in numbers):  # checked when it has been lowered
        pair.assumed = Var("value", REAL.with_active(True))
    else:
        pair.assumed = Var("value", Type("numeric", None, "f", True))
    context.pairs[key] = pair
    context.lowering.append(identity)
    try:
        _lower_pair(b, pair, key, callee, own, params, added, node)
    except BaseException:
        del context.pairs[key]
        raise
    finally:
        context.lowering.pop()
    return pair, extras


def visible(callee: Any, own: Any, params: list, added: list) -> list[tuple[str, Value]]:
    """The names inside a called function that stand for something from the start."""
    everything = [*params, *added]
    if own is not None:
        everything += [(n, v) for n, v in own.captured if isinstance(v, Closure)]
        everything += [(n, v) for n, v in own.captured if isinstance(v, Known)]
        everything.append((callee.name, own))
    return everything


def _lower_pair(b: Builder, pair: Pair, key: Any, callee, own, params, added, node) -> None:
    if isinstance(callee, Closure):
        source = nested_source(callee.source, callee.node, callee.name, b.context)
    else:
        source = prepare(callee.object, b.context)
    everything = visible(callee, own, params, added)
    records: dict[tuple[int, ...], Record] = {}
    known = set(b.context.pairs)

    def record(path: tuple[int, ...]) -> Record:
        """The record of a part of the result, the same one whenever it is lowered again."""
        return b.context.records.setdefault((key, path), Record())

    for _ in range(8):
        function = lower_function(b.context, source, everything)
        function.params = (*params, *added)
        widened = pack(function, records)
        if not pair.recursive:
            break
        if template(function.result) == template(pair.assumed) and not widened:
            break
        path = growth(pair.assumed, function.result)
        if path is not None:
            records[path] = record(path)
            better = assume(pair.assumed, records)
        else:
            better = assume(function.result, records)
            if template(better) == template(pair.assumed) and not widened:
                break
        pair.assumed = better
        for other in set(b.context.pairs) - known:  # they relied on what was assumed before
            del b.context.pairs[other]
    else:
        raise UnsupportedSyntaxError(
            f"the recursion of {pair.name} gives results of ever different structure",
            spots=[b.source.spot(node)],
            fixes=["return the same structure on every path"],
        )
    pack(function, {p: record(p) for p in holders(function.result)})
    if function.written:
        _hand_out(b, pair, function, node)
    pair.function = function
    verify_function("packing what is kept", function)
    if not getattr(source.function, "__srcgrad_generated__", False):  # else it was looked at before
        require_unaliased(function, called=True)
    separate_arguments(function, called=True)


def _hand_out(b: Builder, pair: Pair, function: Function, node: Any) -> None:
    """Let a function also give back what it has made of its arguments."""
    names = [name for name, _ in function.params]
    if pair.recursive or not all(isinstance(end, Var) for _, end in function.written):
        raise b.refuse(
            node,
            f"this call of {pair.name}, which writes into its arguments,",
            "return the new array instead",
        )
    pair.written = tuple(names.index(name) for name, _ in function.written)
    function.result = Items((function.result, *(end for _, end in function.written)))
