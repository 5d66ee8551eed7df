"""Functions that make iterators over active values: written as comprehensions and loops.

An iterator can be gone through once. So these calls are written in other words only where
they stand in the place that goes through them; one that has a name is refused.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers import objects
from srcgrad.frontend.containers.spreading import elements
from srcgrad.frontend.containers.structures import is_dict, sequence
from srcgrad.frontend.expressions.combinations import Lines, choices, product
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.rewriting import (
    Rewriting,
    fresh_name,
    held,
    in_place_of,
    is_consumed,
    is_gone_through,
    way_of,
    way_to,
)
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.operators import BINARY
from srcgrad.frontend.text.templates import (
    assignment,
    bracketed,
    expression,
    is_path,
    statements,
    substituted,
    text_of,
)
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.forms import View
from srcgrad.ir.nodes import Closure, Const, Items, Known, Method, Struct, Value, Var, is_active
from srcgrad.ir.structures import is_written
from srcgrad.program import facts

_LOOP = cst.While  # whose test is evaluated several times


def refuse_active(b: Builder, args, options, node) -> Value | None:
    """Refuse an iterator over active values that is not the head of a loop."""
    if any(is_active(a) for a in args):
        raise b.refuse(
            node,
            "this iterator over active values outside of a for statement",
            "put it into the head of a for loop",
        )
    return None


def lower_zip(b: Builder, args, options, node) -> Value | None:
    """Lower ``zip(...)`` that is gone through at once, outside of the head of a loop."""
    way = way_to(b.statement, node)
    if not any(is_active(a) for a in args):
        columns = [sequence(arg) for arg in args]
        return None if None in columns or not columns else _rows(columns, options)
    if way is None or not is_gone_through(way) or set(options) - {"strict"}:
        return refuse_active(b, args, options, node)
    consumer = way[-3].func.value if is_consumed(way) else ""
    columns = [_column(b, arg) for arg in args]
    named = any(not type_of(part).is_number for column in columns for part in column or ())
    if None in columns and (consumer == "dict" or named):
        columns = [elements(b, a) if c is None else c for a, c in zip(args, columns, strict=True)]
    if None not in columns:
        return _rows(columns, options)
    if consumer == "dict" and b.context.demands.may_ask(What.PARTS):
        raise Specialise(What.PARTS)
    if consumer == "list" and len(node.args) == len(args) and not isinstance(b.statement, _LOOP):
        raise _as_comprehension(b, way[-3], node)
    return refuse_active(b, args, options, node)


def _rows(columns: Any, options: Any) -> Items | None:
    strict = options.get("strict", Const(False))
    if strict != Const(False) and len({len(column) for column in columns}) > 1:
        return None  # Python raises what it raises there
    return Items(tuple(Items(row) for row in zip(*columns, strict=False)))


def _column(b: Builder, value: Value) -> tuple[Value, ...] | None:
    """The elements of a sequence that are known without a call at hand."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return tuple(map(Const, value.value))
    if isinstance(value, Known):
        return elements(b, value) if _holds_names(value.object) else None
    return sequence(value)


def _holds_names(thing: Any) -> bool:
    return isinstance(thing, list | tuple) and any(isinstance(part, str) for part in thing)


def _as_comprehension(b: Builder, call: Any, node: cst.Call) -> Rewriting:
    """Write ``list(zip(a, b))`` as ``[(p, q) for p, q in zip(a, b)]``."""
    names = ", ".join(fresh_name(b, f"item_{k + 1}") for k in range(len(node.args)))
    return in_place_of(call, expression(f"[({names}) for {names} in _z]", _z=node))


def _rule(
    write: Callable[[Builder, list[Any], dict[str, Any], tuple[Value, ...], Any], Lines | None],
):
    """A rule that writes a call in other words where one of its arguments is active."""

    def lower(b: Builder, args, options, node) -> Value | None:
        if b.formula is not None or not isinstance(node, cst.Call):
            return None
        given = (*args, *options.values())
        if write is not _partial and not any(is_active(capture(b, v)) for v in given):
            return None
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else node.func.value  # type: ignore[union-attr]
        way = way_of(b, node, f"{name} of active values here", "write it as a loop")
        if write not in (_reduce, _partial, _iter, _next) and not is_gone_through(way):
            raise b.refuse(
                node,
                f"the iterator {name} over active values here",
                "go through it in the head of a for loop, or make it a list",
            )
        plain = _written_one_by_one(node, len(args))
        named = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
        made = None if plain is None else write(b, plain, named, tuple(args), way)
        if made is None:
            raise b.refuse(node, f"this call of {name} with active values", "write it as a loop")
        before, new = made
        if isinstance(new, cst.ListComp) and is_consumed(way):
            new = cst.GeneratorExp(new.elt, new.for_in, lpar=(), rpar=())
        raise in_place_of(node, new, before)

    return lower


def _written_one_by_one(node: cst.Call, count: int) -> list[Any] | None:
    """The arguments of a call that are passed by position: ``p[0], p[1]`` for ``*p``."""
    found: list[Any] = []
    given = [a for a in node.args if a.keyword is None and a.star != "**"]
    stars = [a for a in given if a.star]
    if len(stars) != 1:
        return None if stars or len(given) < count else [a.value for a in given]
    if not is_path(stars[0].value):
        return None
    for arg in given:
        places = range(count - len(given) + 1) if arg.star else ()
        found += [expression(f"_p[{k}]", _p=arg.value.deep_clone()) for k in places]
        found += [] if arg.star else [arg.value]
    return found


def _applied(b: Builder, function: Any, value: Value, count: int) -> tuple[list[str], Any]:
    """Names for a function's arguments, and the expression of its result."""
    called = value.object if isinstance(value, Known) else None
    operator = next((kind for kind, fn in BINARY.items() if fn is called), None)
    if operator is not None and count == 2:
        names = [fresh_name(b, f"item_{k}") for k in (1, 2)]
        return names, cst.BinaryOperation(cst.Name(names[0]), operator(), cst.Name(names[1]))
    if isinstance(function, cst.Lambda):
        params = function.params
        names = [p.name.value for p in params.params]
        plain = not any(p.default for p in params.params) and not params.kwonly_params
        if plain and params.star_arg is cst.MaybeSentinel.DEFAULT and len(names) == count:
            taken = b.source.taken() - names_in(function)
            if not (set(names) & (taken | bound_names(b.source.tree) | set(b.env))):
                return names, function.body
            own = [fresh_name(b, f"{name}_") for name in names]
            new = {n: cst.Name(o) for n, o in zip(names, own, strict=True)}
            return own, substituted(function.body, new)
    name = fresh_name(b, "item")
    names = [name] if count == 1 else [f"{name}_{k + 1}" for k in range(count)]
    return names, expression(f"f({', '.join(names)})", f=bracketed(function))


def _map(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    if len(args) < 2 or options:
        return None
    names, body = _applied(b, args[0], values[0], len(args) - 1)
    source = args[1]
    if len(args) > 2:
        source = cst.Call(cst.Name("zip"), [cst.Arg(arg) for arg in args[1:]])
    return [], expression(f"[_e for {', '.join(names)} in _s]", _e=body, _s=source)


def _filter(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    if len(args) != 2 or options:
        return None
    if isinstance(args[0], cst.Name) and args[0].value == "None":
        names = [fresh_name(b, "item")]
        test: Any = cst.Name(names[0])
    else:
        names, test = _applied(b, args[0], values[0], 1)
    return [], expression(f"[{names[0]} for {names[0]} in _s if _t]", _s=args[1], _t=test)


def _reduce(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    if not 2 <= len(args) <= 3 or options:
        return None
    result, element = fresh_name(b, "result"), fresh_name(b, "item")
    read: Any = cst.Name(element)
    if len(args) == 3:
        before, source = [assignment(result, args[2])], args[1]
    else:
        before, rows = held(b, args[1], listed=True)
        before = [*before, assignment(result, expression("_t[0]", _t=rows))]
        source = expression("_t[1:]", _t=rows.deep_clone())
        if sequence(values[1]) is None:  # its elements are read by their numbers
            element = fresh_name(b, "k")
            source = expression("range(1, len(_t))", _t=rows.deep_clone())
            read = expression(f"_t[{element}]", _t=rows.deep_clone())
    names, body = _applied(b, args[0], values[0], 2)
    value = substituted(body, dict(zip(names, (cst.Name(result), read), strict=True)))
    loop = f"for {element} in _s:\n    {result} = _v\n"
    return [*before, *statements(loop, _s=source, _v=value)], cst.Name(result)


def _pairwise(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    if len(args) != 1:
        return None
    before, rows = held(b, args[0], listed=True)
    return before, expression("zip(_t, _t[1:])", _t=rows)


def _iter(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    """``next(iter(x))`` is the first element; an iterator with a name is a sequence and a place."""
    around = way[-3] if len(way) > 2 else None
    if isinstance(around, cst.Call) and text_of(around.func) == "next" and len(around.args) == 1:
        if _has_keys(values[0]):
            raise in_place_of(around, expression("list(_s)[0]", _s=args[0]))
        if not isinstance(values[0], Struct):
            raise in_place_of(around, expression("_s[0]", _s=bracketed(args[0])))
    return _next(b, args, options, values, way)


def _next(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    """What is taken from an iterator is an element of a sequence, where its text tells which."""
    if b.context.demands.asks_of(What.ITERATORS, b.source):
        return None
    raise Specialise(What.ITERATORS, b.source, args[0])


def _has_keys(value: Value) -> bool:
    """Whether a value is a dict, or a view of one."""
    return isinstance(value, Struct) and (is_dict(value) or isinstance(value.form, View))


def held_still(b: Builder, value: Value, node: Any) -> Value:
    """Return what is gone through under a name of ``source.iterated``, which nobody changes."""
    if _has_keys(value):
        raise in_place_of(node, expression("list(_d)", _d=node))
    known = isinstance(value, Items) or (isinstance(value, Known) and type(value.object) is tuple)
    if not known and not (isinstance(value, Var) and value.type.kind in ("array", "list")):
        raise b.refuse(node, "this iterator with a name", "go through it in a for loop")
    b.freeze(value)
    if isinstance(value, Var) and value.type.kind == "list":
        b.frozen.add(value)
    return value


def _partial(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    """``functools.partial(f, a, k=c)`` as a lambda of the parameters that are left."""
    function = values[0]
    parameters = _parameters(function)
    of_object = isinstance(args[0], cst.Attribute) and _method_of(function) is not None
    if parameters is None or not (of_object or is_path(args[0])):
        return None
    names = list(parameters)
    left = [name for name in names[len(args) - 1 :] if name not in options]
    before: list[Any] = []

    def bound(node: Any, label: str) -> Any:
        """What is bound now, whatever its name stands for later."""
        if isinstance(node, cst.Integer | cst.Float | cst.SimpleString):
            return node
        name = cst.Name(fresh_name(b, label))
        before.append(assignment(name, node))
        return name

    values_ = [
        bound(node, names[k] if k < len(names) else "bound") for k, node in enumerate(args[1:])
    ]
    named = {name: bound(node, name) for name, node in options.items()}
    first = min([names.index(name) for name in options if name in names], default=len(names))
    parts = {f"_{k}": node for k, node in enumerate([*values_, *named.values()])}
    # behind a parameter that is bound by name, the places do not fit any more
    inner = [name if names.index(name) < first else f"{name}={name}" for name in left]
    labels = [*([""] * len(values_)), *(f"{name}=" for name in named)]
    given = [f"{label}_{k}" for k, label in enumerate(labels)]
    passed = ", ".join([*given[: len(values_)], *inner, *given[len(values_) :]])
    defaults = [n if parameters[n] is None else f"{n}={parameters[n]}" for n in left]
    head = f" {', '.join(defaults)}" if defaults else ""
    callee = args[0]
    if of_object and (names_in(callee) & b.locals or not is_path(callee)):
        callee = callee.with_changes(value=bound(callee.value, "owner"))
    return before, expression(f"(lambda{head}: _f({passed}))", _f=callee, **parts)


def _parameters(function: Value) -> dict[str, str | None] | None:
    """The parameters of a function that can be passed by position, with the text of defaults.

    They end with the first one whose default cannot be written as a literal.
    """
    found: list[tuple[str, Any]] = []
    method = _method_of(function)
    called = method or (function.object if isinstance(function, Known) else None)
    if isinstance(function, Closure) and not function.derivatives:
        for p in function.node.params.params:
            text = None if p.default is None else cst.Module([]).code_for_node(p.default)
            found.append((p.name.value, text if _is_literal(p.default) else ""))
    elif isinstance(called, types.FunctionType):
        for p in facts.signature(called).parameters.values():
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                plain = not isinstance(p.default, tuple) and is_written(p.default)
                text = repr(p.default) if plain else ""
                found.append((p.name, None if p.default is p.empty else text))
        found = found[method is not None :]
    else:
        return None
    known = next((k for k, (_, text) in enumerate(found) if text == ""), len(found))
    return dict(found[:known])


def _method_of(function: Value) -> types.FunctionType | None:
    """The function of a class that a bound method calls; None for anything else."""
    function = objects.as_method(function)
    found = getattr(function.object, "__func__", None) if isinstance(function, Known) else None
    if isinstance(function, Method) and isinstance(function.receiver, Struct):
        found = facts.in_class(function.receiver.form.cls, function.name)
    return found if isinstance(found, types.FunctionType) else None


def _is_literal(node: Any) -> bool:
    if isinstance(node, cst.UnaryOperation):
        node = node.expression
    named = isinstance(node, cst.Name) and node.value in ("None", "True", "False")
    return node is None or named or isinstance(node, cst.Integer | cst.Float | cst.SimpleString)


ITERATORS: dict[Any, Any] = {
    functools.partial: _rule(_partial),
    iter: _rule(_iter),
    next: _rule(_next),
    functools.reduce: _rule(_reduce),
    map: _rule(_map),
    filter: _rule(_filter),
    itertools.pairwise: _rule(_pairwise),
    itertools.combinations: _rule(choices),
    itertools.combinations_with_replacement: _rule(choices),
    itertools.permutations: _rule(choices),
    itertools.product: _rule(product),
}
