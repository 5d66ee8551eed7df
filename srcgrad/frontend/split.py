"""Calls of functions that are differentiated in turn: each is lowered once per signature."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from typing import Any

import libcst as cst

from srcgrad.analysis.arguments import separate_arguments
from srcgrad.analysis.shapes import Lengths, type_of, type_of_constant
from srcgrad.analysis.writes import require_unaliased
from srcgrad.errors import InternalError, SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend import views
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.closures import capture
from srcgrad.frontend.factories import gives_function, hands_over, text_of
from srcgrad.frontend.functions import lower_function, nested_source, prepare
from srcgrad.frontend.lists import template
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
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.records import Record
from srcgrad.ir.types import INTEGER, REAL, Type
from srcgrad.ir.verify import verify_function
from srcgrad.transform.results import leaves

_DEPTH = 3  # calls of one function inside each other that may each have types of their own
_STATIC_NAMES = {"axis", "axes", "dim", "ord", "keepdims"}


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
        always: whether the forward function must be called even if nothing is kept of it,
            because local functions are handed over as what they captured.
        versions: the arrays of the caller that it has written, as they are then.
    """

    pair: Pair
    node: Any
    added: tuple[tuple[str, str], ...]
    always: bool = False
    versions: list[Var] = field(default_factory=list)


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
    always = always or gives_function(callee)
    if not any(is_active(v) for v in everything) and not always:
        type_ = inactive_type(b, callee, args, options, node) or UNKNOWN
        made = b.opaque(node, everything, type_)
        note_writes(b, callee, args, options, node)
        return made
    parameters, name = _parameters(b, callee)
    bound = _bind(b, parameters, args, options, node, name)
    pair, extras = _pair(b, callee, name, bound, node)
    added = []
    for extra, owner, captured in pair.extras:
        added.append((extra, _expression(b, extras[extra], captured)))
        del owner
    for parameter, value, given in bound:
        if pair.lifted and not given:
            added.append((parameter.name, _expression(b, value, "")))
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
        if (isinstance(part, Const) and not _numeric(part)) or isinstance(part, Known):
            return part
        if isinstance(part, Closure):
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
    if not targets and not pair.ends:  # a function that captured nothing
        return value
    ends = [b.define(Var(v.name, v.type), None) for v in pair.ends]
    site = CallSite(pair, node, tuple(added), always or hands_over(result))
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
        parameters, name = _parameters(b, callee)
        bound = _bind(b, parameters, args, options, node, name)
        pair, extras = _pair(b, callee, name, bound, node)
        bound = _bind(b, parameters, *given, node, name)
    except InternalError:
        raise
    except SrcgradError:
        return None
    finally:
        b.context.inferring.discard(identity)
    return pair, [v for _, v, _ in bound] + [extras[e] for e, _, _ in pair.extras]


def _numeric(value: Const) -> bool:
    return isinstance(value.value, int | float | complex) and not isinstance(value.value, bool)


def _data(value: Value) -> Value:
    """What of an argument is data: captured variables are arguments of their own."""
    return Const(None) if isinstance(value, Closure | Known) else value


def _expression(b: Builder, value: Value, name: str) -> str:
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
        return "(" + ", ".join(_expression(b, item, "") for item in value.items) + ",)"
    raise b.refuse(None, "this default of a local function", "pass the argument explicitly")


def _parameters(b: Builder, callee: Value) -> tuple[list[inspect.Parameter], str]:
    if isinstance(callee, Known):
        function = callee.object
        name = function.__name__
        parameters = list(inspect.signature(function).parameters.values())
        return parameters, name if name.isidentifier() else "lambda_"
    assert isinstance(callee, Closure)
    tree = callee.node.params
    defaults = b.local_functions.get(id(callee.node), {})
    kinds = inspect.Parameter
    out = []
    for group, kind in (
        (tree.posonly_params, kinds.POSITIONAL_ONLY),
        (tree.params, kinds.POSITIONAL_OR_KEYWORD),
    ):
        out.extend(_parameter(p, kind, defaults) for p in group)
    if isinstance(tree.star_arg, cst.Param):
        out.append(kinds(tree.star_arg.name.value, kinds.VAR_POSITIONAL))
    out.extend(_parameter(p, kinds.KEYWORD_ONLY, defaults) for p in tree.kwonly_params)
    return out, callee.name


def _parameter(p: Any, kind: Any, defaults: dict[str, Value]) -> inspect.Parameter:
    default = inspect.Parameter.empty
    if p.default is not None:
        default = defaults.get(p.name.value, inspect.Parameter.empty)
    return inspect.Parameter(p.name.value, kind, default=default)


def _bind(b: Builder, parameters, args, options, node, name):
    """Match arguments to parameters: (parameter, value, whether it was given)."""
    out, rest, named = [], list(args), dict(options)
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            out.append((p, Items(tuple(rest)), True))
            rest = []
        elif p.kind is p.VAR_KEYWORD:
            if named:
                raise b.refuse(node, "** in a definition", "write the keywords out")
        elif rest and p.kind is not p.KEYWORD_ONLY:
            out.append((p, rest.pop(0), True))
        elif p.name in named:
            out.append((p, named.pop(p.name), True))
        elif p.default is not p.empty:
            out.append((p, _default(p.default), False))
        else:
            raise b.refuse(node, f"this call of {name}, which lacks {p.name!r},", "pass it")
    if rest or named:
        raise b.refuse(node, f"this call of {name} with too many arguments", "check the call")
    return out


def _default(value: Any) -> Value:
    if isinstance(value, Var | Const | Compound | Known | Closure):
        return value
    if value is None or isinstance(value, bool | int | float | str):
        return Const(value)
    if isinstance(value, tuple):
        return Items(tuple(_default(v) for v in value))
    type_ = type_of_constant(value)
    return Var("default", type_) if type_.is_number else Known(value)


def describe(value: Value) -> Any:
    """Return a hashable description of an argument, equal for equal signatures."""
    if isinstance(value, Items):
        return ("items", value.is_list, tuple(describe(v) for v in value.items))
    if isinstance(value, Struct):
        return ("struct", value.form, tuple(describe(v) for v in value.items))
    if isinstance(value, Known):
        return ("known", id(value.object))
    if isinstance(value, Closure):
        return ("closure", id(value.node), tuple((n, describe(v)) for n, v in value.captured))
    if isinstance(value, Const):
        return value
    return template(value)


def anonymous(description: Any) -> Any:
    """Return a description in which unknown shapes are numbered in the order of appearance."""
    numbers: dict[str, str] = {}

    def walk(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(walk(p) for p in part)
        if isinstance(part, Type) and isinstance(part.shape, str):
            return replace(part, shape=numbers.setdefault(part.shape, str(len(numbers))))
        return part

    return walk(description)


def _widened(value: Value) -> Value:
    """Forget what differs from call to call in a recursion that does not settle."""
    if isinstance(value, Compound):
        return value.like(_widened(v) for v in value.items)
    if isinstance(value, Var) and value.type.is_number:
        type_ = Type("numeric", None, "?" if value.type.dtype not in "ib" else value.type.dtype)
        return Var(value.name, type_.with_active(value.type.active), value.named)
    return value


def as_parameter(name: str, value: Value) -> Value:
    """Return what a parameter stands for inside the function, given its argument."""
    if isinstance(value, Items):
        return value.like(as_parameter(f"{name}_{k}", v) for k, v in enumerate(value.items))
    if isinstance(value, Struct):
        rows = zip(value.form.names, value.items, strict=True)
        return Struct(value.form, tuple(as_parameter(str(n), v) for n, v in rows))
    if isinstance(value, Const):
        if _numeric(value) and name not in _STATIC_NAMES:
            return Var(name, INTEGER if isinstance(value.value, int) else REAL, named=True)
        return value
    if isinstance(value, Var):
        return Var(name, value.type, named=True)
    return value


def resolved(lengths: Lengths, value: Value) -> Value:
    """A parameter whose lengths have the names that they are known by now."""
    if isinstance(value, Compound):
        return value.like(resolved(lengths, v) for v in value.items)
    if isinstance(value, Var) and isinstance(value.type.shape, tuple):
        type_ = replace(value.type, shape=lengths.resolve(value.type.shape))
        return Var(value.name, type_, value.named)
    return value


def _pair(b: Builder, callee, name: str, bound, node) -> tuple[Pair, dict[str, Value]]:
    context = b.context
    params: list[tuple[str, Value]] = []
    extras: dict[str, Value] = {}
    found: list[tuple[str, str, str]] = []
    added: list[tuple[str, Value]] = []
    taken = {p.name for p, _, _ in bound}

    def closure_parameter(owner: str, value: Closure) -> Closure:
        captured = []
        for inner, held in value.captured:
            label = f"{owner}_{inner}" if owner else inner
            while label in taken:
                label += "_"
            if isinstance(held, Closure):
                captured.append((inner, closure_parameter(label, held)))
            elif isinstance(held, Known):
                captured.append((inner, held))
            else:
                extras[label] = held
                found.append((label, owner, inner))
                new = resolved(context.lengths, as_parameter(label, held))
                added.append((label, new))
                captured.append((inner, new))
        return Closure(value.node, value.source, tuple(captured), value.name)

    lengths = context.lengths
    own = closure_parameter("", callee) if isinstance(callee, Closure) else None
    for p, value, _ in bound:
        if isinstance(value, Closure):
            params.append((p.name, closure_parameter(p.name, value)))
        else:
            params.append((p.name, resolved(lengths, as_parameter(p.name, value))))
    identity = id(callee.node) if isinstance(callee, Closure) else id(callee.object)
    if context.lowering.count(identity) >= _DEPTH:
        params = [(n, _widened(v)) for n, v in params]
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


def _lower_pair(b: Builder, pair: Pair, key: Any, callee, own, params, added, node) -> None:
    if isinstance(callee, Closure):
        source = nested_source(callee.source, callee.node, callee.name, b.context)
    else:
        source = prepare(callee.object, b.context)
    everything = [*params, *added]
    if own is not None:
        everything = [*params, *added, *((n, v) for n, v in own.captured if isinstance(v, Closure))]
        everything += [(n, v) for n, v in own.captured if isinstance(v, Known)]
        everything.append((callee.name, own))
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
