"""Calls of functions that are differentiated in turn: each is lowered once per signature."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import is_list
from srcgrad.analysis.shapes import passed_axes as axes
from srcgrad.analysis.shapes.results import type_of
from srcgrad.analysis.shapes.whole_numbers import passed_on
from srcgrad.errors import SrcgradError
from srcgrad.frontend.arrays import views
from srcgrad.frontend.arrays.ambiguous import changed
from srcgrad.frontend.calls.checkpoints import arguments_again
from srcgrad.frontend.calls.inactive_calls import (
    gives_own,
    holds_no_argument,
    inactive_pair,
    inactive_type,
    note_writes,
    writes_outside,
)
from srcgrad.frontend.calls.pairs import CallSite, Pair, pair_for
from srcgrad.frontend.calls.paths import expression_of
from srcgrad.frontend.calls.recorded_calls import lower_recorded, note_callee
from srcgrad.frontend.checks.changed_state import writes_only_its_own
from srcgrad.frontend.checks.iterating import gives_iterator
from srcgrad.frontend.containers.effects import checks_something, shows
from srcgrad.frontend.containers.handed_objects import (
    HandBack,
    define_ends,
    gives_object,
    lists_given_back,
    may_hold_others,
    objects_in,
    require_read_later,
)
from srcgrad.frontend.containers.parameters import bind_arguments, numeric, parameters_of
from srcgrad.frontend.containers.structures import tokens_of
from srcgrad.frontend.expressions.iterables import require_taken_at_once
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import active_defaults, capture, is_text_alone
from srcgrad.frontend.state.handed import hand
from srcgrad.frontend.state.rewriting import NotUniform
from srcgrad.frontend.statements.perturbations import perturbation
from srcgrad.frontend.text.exits import is_docstring
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    INDEX_SET,
    PAIR,
    Closure,
    Compound,
    Const,
    Equation,
    Items,
    Known,
    Method,
    Op,
    Pullback,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.rebuilding import with_leaves
from srcgrad.ir.structures import name_for
from srcgrad.ir.types import UNKNOWN
from srcgrad.ir.unassigned import is_perhaps


def call_function(
    b: Builder,
    callee: Value,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "call",
    again: bool = False,
) -> Value:
    """Lower a call of a function with source; inactive calls stay as they are."""
    defaults = active_defaults(b, callee)
    callee = capture(b, callee)
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    everything = [callee, *args, *options.values(), *defaults]
    always = is_out_of_sight(b, callee)
    if not any(is_active(v) for v in everything) and not always:
        if is_about_objects(b, callee, args, options, node):
            return call_pair(b, callee, args, options, node, style=style)
        told = inactive_type(b, callee, args, options, node)
        note = gives_own(b, callee, args, options, node)
        apart = holds_no_argument(b, callee, args, options, node)
        note_writes(b, callee, args, options, node)
        if not isinstance(callee, Known) or shows(b, callee.object):
            b.layout.impure.add(id(node))
        return b.opaque(node, everything, told or UNKNOWN, note, told is not None, apart)
    return call_pair(b, callee, args, options, node, style=style, always=always, again=again)


def is_about_objects(b: Builder, callee: Value, args, options, node) -> bool:
    """Whether a call, none of whose arguments is active, gives an object, or writes to one."""
    found = inactive_pair(b, callee, args, options, node)
    if found is None and any(name.function != b.source.name for name in b.context.perturbed):
        what = "a call of a function that cannot be looked into, beside a derivative inside of one,"
        raise b.refuse(node, what, "make what is differentiated an argument")
    function = None if found is None else found[0].function
    if function is None:
        return False
    shown = found[0].shown  # type: ignore[index]
    made = isinstance(shown, Known) and isinstance(callee, Known) and not shows(b, callee.object)
    return bool(function.objects or function.perturbed) or gives_object(shown) or made


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


@recursion.call_pair.define
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
    again: bool = False,
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
        again: whether nothing is kept of it, and the backward part calls it again.
    """
    parameters, name = parameters_of(b, callee)
    bound = bind_arguments(b, parameters, args, options, node, name)
    if any(has_pullback(v) for v in (callee, *args, *options.values())):
        raise b.refuse(node, "a backward function in another function", "call it where vjp is")
    if isinstance(callee, Known) and gives_iterator(callee.object):
        require_taken_at_once(b, callee.object, node)
        always = True  # the text is given a list, which can be gone through twice
    plain = not (texts or skipped or unpassed or always or again)
    if plain:
        value = lower_recorded(b, callee, args, options, node, style)
        if value is not None:
            return value
    try:
        pair, extras = pair_for(b, callee, name, bound, node)
    except SrcgradError as error:
        if plain:
            note_callee(b, error, callee, args, options, node, style)
        line = b.source.line_of(b.statement)
        if line is not None:
            error.calls = (*error.calls, (b.source.function, line))
        if error.by_iterations and b.loops:
            raise NotUniform(frozenset(names_in(node)), error) from None
        raise
    if plain and _only_returns(pair):
        given = zip(pair.function.params, bound, strict=True)  # type: ignore[union-attr]
        rows = [(leaves(p), leaves(v)) for (_, p), (_, v, _) in given]
        parts = dict(pair for inner, outer in rows for pair in zip(inner, outer, strict=False))
        view = views.taken_by_call(b, pair.function, parts, node)  # type: ignore[arg-type]
        if view is not None:
            return view
    added = [*texts]
    for extra, owner, captured in pair.extras:
        added.append((extra, expression_of(b, extras[extra], captured)))
        del owner
    for parameter, value, given in bound:
        if pair.lifted and not given:
            added.append((parameter.name, expression_of(b, value, "")))
    for p, v, given in bound:
        if _is_own(p, v, given) and not writes_only_its_own(b.context):
            what = f"an array that {name} has as its default, where the program writes into arrays"
            raise b.refuse(node, what, "pass it")
    values: list[Any] = [
        Const(None) if _is_own(*argument) else _data(argument[1]) for argument in bound
    ]
    values += [extras[e] for e, _, _ in pair.extras]
    if pair.function is not None:
        for wanted, inner in pair.function.perturbed:
            values.append(perturbation(b, wanted, type_of(inner).dtype))
    result = pair.shown if pair.function is not None else pair.assumed
    lengths = b.context.lengths
    if pair.function is None:
        pair.recursive = True
    targets: list[Var] = []
    built: list[tuple[Value, Var]] = []
    shapes = _shapes(pair, values)
    given = () if pair.function is None else [v for _, v in pair.function.params]
    numbers = passed_on(lengths, given, values[: len(given)])
    rows = [(leaves(p), leaves(v)) for p, (_, v, _) in zip(given, bound, strict=False)]
    closures = {
        id(p): _as_defined(b, v)
        for inner, outer in rows
        for p, v in zip(inner, outer, strict=False)
        if isinstance(v, Closure)
    }

    absent: set[Var] = set()  # parts of what may be None

    def inside(path: tuple[int, ...] | None, k: Any) -> tuple[int, ...] | None:
        return None if path is None else (*path, k)

    def build(part: Any, label: str, path: tuple[int, ...] | None) -> Value:
        if is_perhaps(part):  # of None, no part can be kept where the call stands
            return part.like(build(p, label, None) for p in part.items)
        if isinstance(part, Compound) and part.token in given_objects:
            handed_on.append(part.token)
            return part
        if isinstance(part, Items):
            parts = enumerate(part.items)
            items = tuple(build(p, f"{label}_{k}", inside(path, k)) for k, p in parts)
            return Items(items, part.is_list, fresh.get(id(part)))
        if isinstance(part, Struct):
            form, rows = part.form, enumerate(part.items)
            names = [name_for(key, label) for key in form.names]
            items = [build(p, names[k], inside(path, form.access(k))) for k, p in rows]
            return Struct(form, tuple(items), fresh.get(id(part)))
        if (isinstance(part, Const) and not numeric(part)) or isinstance(part, Known):
            return part
        if isinstance(part, Closure) and (is_text_alone(part) or id(part) in closures):
            return closures.get(id(part), part)
        if isinstance(part, Closure | Pullback | Method):
            raise b.refuse(node, "a function that returns a function", "call it where it is made")
        type_ = type_of(part)
        if isinstance(type_.shape, str):  # names of unknown shapes mean something in one body only
            type_ = replace(type_, shape=shapes.get(type_.shape) or lengths.fresh_shape())
        var = Var(label, type_)
        targets.append(b.define(var, None if path is None else node, path or ()))
        absent.update([var] if path is None else [])
        built.append((part, var))
        number = numbers.get(part) if isinstance(part, Var) else None
        if number is not None:  # it gives a whole number that it was given
            lengths.values[var] = number
        return var

    function, count = pair.function, len(pair.written)
    given_objects = set()
    if function is not None:
        given_objects = {held.token for held in objects_in(v for _, v in function.params)}
    handed_on: list[Any] = []
    fresh = tokens_of(result)
    if pair.recursive:  # there the result is not taken apart from what it was given
        fresh = {} if given_objects else fresh
        given_objects = set()
    holds_nothing = isinstance(result, Var) and result.type.is_number
    if may_hold_others(result) or (pair.recursive and not holds_nothing):  # what it was given
        b.freeze(*values)
    hint = f"{name}_value" if not name.startswith("lambda") else "value"
    value = build(result, hint, ())
    axes.hand_back(lengths, built, given, values[: len(given)])
    _note_shapes(b, [var for _, var in built if var in absent], values)
    if pair.function is not None and checks_something(pair.function):
        b.layout.impure.add(id(node))
    changes = function is not None and function.objects
    if not targets and not pair.ends and not always and not changes and not handed_on:
        return value  # a function that captured nothing, or gives nothing
    ends = [b.define(Var(v.name, v.type), None) for v in pair.ends[:count]]
    parts = [] if function is None else define_ends(b, function, shapes)
    repeated = arguments_again(b, pair, bound, extras, node) if again else None
    site = CallSite(pair, node, tuple(added), skipped, unpassed, always, again=repeated)
    made = (*targets, *ends, *parts)
    if not made and always:  # the text calls what it is given
        func = getattr(node, "func", None)
        if not isinstance(func, cst.Name) or func.value not in b.locals:
            what = "a call of a function that was captured, for what it does beside giving a value,"
            raise b.refuse(node, what, "give it that function as an argument")
        b.layout.impure.add(id(node))
        always = False
    hand(b, values, tuple(target.type for target in targets))
    if made or always:
        op = Op(PAIR, style, name)
        b.block.append(Equation(made, op, tuple(values), (), b.origin(node), site))
    if function is not None and function.objects:
        b.layout.writing.add(id(node))
        b.layout.impure.add(id(node))
    if function is not None and function.objects:
        require_read_later(b, function, values, node)
    if function is not None and writes_outside(function):
        views.may_write_outside(b)
    arrays: list[Value] = []
    if ends:
        value, arrays = hand_back(b, site, value, pair.arrays(values), ends)
    if function is not None and (function.objects or handed_on):
        back = HandBack(b, function, values, parts, node, arrays, closures)
        back.run()
        value = back.result(value)
    if function is not None:
        value = lists_given_back(b, function, result, value, values, parts)
    else:  # which lists a recursive call gives back is not known
        b.frozen |= {v for part in (value, *values) for v in variables(part) if is_list(v)}
    return value


def _note_shapes(b: Builder, parts: list[Var], values: list[Value]) -> None:
    """Note which arguments of a call parts of its result are as long as, which may not be there."""
    arrays = [v for value in values for v in leaves(value) if isinstance(v, Var) and v.named]
    for part in parts:
        if isinstance(part.type.shape, tuple) and all(isinstance(n, int) for n in part.type.shape):
            continue  # which is written out
        same = [v for v in arrays if v.type.kind == "array" and v.type.dtype == part.type.dtype]
        same = [v for v in same if b.context.lengths.same(v.type, part.type)]
        if same:
            b.context.shaped_as[part] = same[0]


def _only_returns(pair: Pair) -> bool:
    """Whether a function is one return statement, which writes nothing and knows its arguments."""
    function = pair.function
    if function is None or pair.extras or pair.written or function.objects or function.perturbed:
        return False
    body = function.source.tree.body.body
    body = body[1:] if is_docstring(body[0]) else body
    alone = len(body) == 1 and isinstance(body[0], cst.SimpleStatementLine)
    return alone and isinstance(body[0].body[0], cst.Return)


def hand_back(
    b: Builder, site: CallSite, value: Value, given: list[Value], ends: list[Var]
) -> tuple[Value, list[Value]]:
    """Let the caller's arrays be what a called function has made of them.

    Returns:
        The result; where that is one of these arrays, it is the caller's. And the
        caller's arrays, as they are then.
    """
    outputs, node = leaves(site.pair.shown), site.node
    b.layout.writing.add(id(node))
    b.layout.impure.add(id(node))
    parts = dict(zip(map(id, leaves(value)), outputs, strict=True))
    b.env |= {Unnamed("handed", k): array for k, array in enumerate(given)}
    for k, (end, inner) in enumerate(zip(ends, site.pair.ends, strict=False)):
        array = b.env[Unnamed("handed", k)]
        if not isinstance(array, Var):
            raise b.refuse(node, "this argument, which the function writes into,", "name it")
        given_back = [p for p, output in parts.items() if output is inner]
        if array.type.kind == "numeric" and not b.source.is_generated:
            raise changed(b, node, "a function writes into it")
        b.context.shaped_as[end] = array
        new = views.write(b, array, views.WHOLE, end, Op(INDEX_SET), node)
        site.versions.append(new)
        array = b.env[Unnamed("handed", k)]
        value = with_leaves(value, dict.fromkeys(given_back, array))
    return value, [b.env.pop(Unnamed("handed", k)) for k in range(len(ends))]


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


def _is_own(parameter: inspect.Parameter, value: Value, given: bool) -> bool:
    """Whether an argument is an array that the function has as its default: no value here."""
    return not given and isinstance(value, Var) and value is not parameter.default


def _as_defined(b: Builder, value: Closure) -> Closure:
    """Return a local function that reads what is around it when it is called, not before."""
    return replace(value, captured=()) if id(value.node) in b.local_functions else value


def _data(value: Value) -> Value:
    """What of an argument is data: captured variables are arguments of their own."""
    if isinstance(value, Compound):
        local = [id(leaf) for leaf in leaves(value) if isinstance(leaf, Closure)]
        return with_leaves(value, dict.fromkeys(local, Const(None)))
    return Const(None) if isinstance(value, Closure | Known | Pullback) else value
