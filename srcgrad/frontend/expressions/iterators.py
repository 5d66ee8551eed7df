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

from srcgrad.frontend.containers.structures import sequence
from srcgrad.frontend.expressions.unrolling import assignment, is_path, substituted
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.rewriting import (
    Rewriting,
    fresh_name,
    is_consumed,
    is_gone_through,
    way_to,
)
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Closure, Known, Value, is_active
from srcgrad.ir.structures import is_written
from srcgrad.program import facts

_TEXT = cst.Module([]).code_for_node
Lines = tuple[list[Any], Any]  # statements that go before, and the expression


def _rule(write: Callable[[Builder, list[Any], dict[str, Any], tuple[Value, ...]], Lines | None]):
    """A rule that writes a call in other words where one of its arguments is active."""

    def lower(b: Builder, args, options, node) -> Value | None:
        if b.formula is not None or not isinstance(node, cst.Call):
            return None
        given = (*args, *options.values())
        if write is not _partial and not any(is_active(capture(b, v)) for v in given):
            return None
        way = way_to(b.statement, node)
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else node.func.value  # type: ignore[union-attr]
        if way is None or isinstance(b.statement, cst.While) or any(a.star for a in node.args):
            raise b.refuse(node, f"{name} of active values here", "write it as a loop")
        if any(isinstance(outer, cst.IfExp | cst.BooleanOperation) for outer in way):
            raise Specialise(What.STATEMENTS, b.source, node)
        if write not in (_reduce, _partial) and not is_gone_through(way):
            raise b.refuse(
                node,
                f"the iterator {name} over active values here",
                "go through it in the head of a for loop, or make it a list",
            )
        plain = [a.value for a in node.args if a.keyword is None]
        named = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
        made = write(b, plain, named, tuple(args))
        if made is None:
            raise b.refuse(node, f"this call of {name} with active values", "write it as a loop")
        before, new = made
        if isinstance(new, cst.ListComp) and is_consumed(way):
            new = cst.GeneratorExp(new.elt, new.for_in, lpar=(), rpar=())
        raise Rewriting(lambda statement: _placed(statement, before, node, new))

    return lower


def _placed(statement: Any, before: list[Any], node: Any, new: Any) -> list[Any]:
    changed = replaced(statement, {id(node): new})
    if not before:
        return [changed]
    first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
    if hasattr(changed, "leading_lines"):
        changed = changed.with_changes(leading_lines=())
    return [first, *before[1:], changed]


def _applied(b: Builder, function: Any, count: int) -> tuple[list[str], Any]:
    """Names for a function's arguments, and the expression of its result."""
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
        function = function.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    name = fresh_name(b, "item")
    names = [name] if count == 1 else [f"{name}_{k + 1}" for k in range(count)]
    return names, cst.Call(function, [cst.Arg(cst.Name(n)) for n in names])


def _target(names: list[str]) -> Any:
    if len(names) == 1:
        return cst.Name(names[0])
    return cst.Tuple([cst.Element(cst.Name(n)) for n in names], lpar=(), rpar=())


def _call(name: str, *args: Any) -> cst.Call:
    return cst.Call(cst.Name(name), [cst.Arg(arg) for arg in args])


def _map(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    if len(args) < 2 or options:
        return None
    names, body = _applied(b, args[0], len(args) - 1)
    source = args[1] if len(args) == 2 else _call("zip", *args[1:])
    return [], cst.ListComp(body, cst.CompFor(_target(names), source))


def _filter(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    if len(args) != 2 or options:
        return None
    if isinstance(args[0], cst.Name) and args[0].value == "None":
        names = [fresh_name(b, "item")]
        test: Any = cst.Name(names[0])
    else:
        names, test = _applied(b, args[0], 1)
    loop = cst.CompFor(cst.Name(names[0]), args[1], ifs=[cst.CompIf(test)])
    return [], cst.ListComp(cst.Name(names[0]), loop)


def _held(b: Builder, node: Any, value: Value) -> Lines:
    """A list that can be indexed, under a name if it has to be made."""
    if is_path(node):
        return [], node
    name = fresh_name(b, "items")
    listed = node if isinstance(node, cst.List | cst.Tuple | cst.ListComp) else _call("list", node)
    return [assignment(cst.Name(name), listed)], cst.Name(name)


def _item(node: Any, index: Any) -> cst.Subscript:
    return cst.Subscript(node, [cst.SubscriptElement(cst.Index(index))])


def _others(b: Builder, held: Any, value: Value) -> tuple[Any, Any, Any]:
    """The target, what a loop goes through, and the element, for all but the first element."""
    if sequence(value) is not None:
        name = fresh_name(b, "item")
        rest = cst.SubscriptElement(cst.Slice(cst.Integer("1"), None))
        return cst.Name(name), cst.Subscript(held, [rest]), cst.Name(name)
    k = cst.Name(fresh_name(b, "k"))
    return k, _call("range", cst.Integer("1"), _call("len", held)), _item(held, k)


def _fold(b: Builder, function: Any, result: Any, item: Any) -> Any:
    """The expression of ``function(result, item)``."""
    if function is None:
        return cst.BinaryOperation(result, cst.Add(), item)
    names, body = _applied(b, function, 2)
    return substituted(body, dict(zip(names, (result, item), strict=True)))


def _loop(target: Any, source: Any, small: Any) -> cst.For:
    return cst.For(target, source, cst.IndentedBlock([cst.SimpleStatementLine([small])]))


def _reduce(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    if not 2 <= len(args) <= 3 or options:
        return None
    result = cst.Name(fresh_name(b, "result"))
    if len(args) == 3:
        before, held = [assignment(result, args[2])], args[1]
        target = item = cst.Name(fresh_name(b, "item"))
        source = held
    else:
        before, held = _held(b, args[1], values[1])
        before = [*before, assignment(result, _item(held, cst.Integer("0")))]
        target, source, item = _others(b, held, values[1])
    value = _fold(b, args[0], result, item)
    small = cst.Assign([cst.AssignTarget(result)], value)
    return [*before, _loop(target, source, small)], result


def _pairwise(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    if len(args) != 1:
        return None
    before, held = _held(b, args[0], values[0])
    rest = cst.Subscript(held, [cst.SubscriptElement(cst.Slice(cst.Integer("1"), None))])
    return before, _call("zip", held, rest)


def _partial(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``functools.partial(f, a, k=c)`` as a lambda of the parameters that are left."""
    function = values[0]
    parameters = _parameters(function)
    if parameters is None or not is_path(args[0]):
        return None
    names = list(parameters)
    left = [name for name in names[len(args) - 1 :] if name not in options]
    before: list[Any] = []

    def held(node: Any, label: str) -> Any:
        """What is bound now, whatever its name stands for later."""
        if isinstance(node, cst.Integer | cst.Float | cst.SimpleString):
            return node
        name = cst.Name(fresh_name(b, label))
        before.append(assignment(name, node))
        return name

    bound = [
        cst.Arg(held(node, names[k] if k < len(names) else "bound"))
        for k, node in enumerate(args[1:])
    ]
    named = [
        cst.Arg(held(node, name), keyword=cst.Name(name), equal=_EQUAL)
        for name, node in options.items()
    ]
    first = min([names.index(name) for name in options if name in names], default=len(names))
    inner = [  # behind a parameter that is bound by name, the places do not fit any more
        cst.Arg(cst.Name(name))
        if names.index(name) < first
        else cst.Arg(cst.Name(name), keyword=cst.Name(name), equal=_EQUAL)
        for name in left
    ]
    params = cst.Parameters([cst.Param(cst.Name(n), default=parameters[n]) for n in left])
    parens = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
    called = cst.Call(args[0], [*bound, *inner, *named])
    return before, cst.Lambda(params, called, **parens)  # type: ignore[arg-type]


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _parameters(function: Value) -> dict[str, Any] | None:
    """The parameters of a function that can be passed by position, with their defaults.

    They end with the first one whose default cannot be written as a literal.
    """
    found: list[tuple[str, Any]] = []
    if isinstance(function, Closure) and not function.derivatives:
        found = [(p.name.value, p.default) for p in function.node.params.params]
    elif isinstance(function, Known) and isinstance(function.object, types.FunctionType):
        for p in facts.signature(function.object).parameters.values():
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                known = None if p.default is p.empty else _literal(p.default)
                found.append((p.name, known))
    else:
        return None
    out = {}
    for name, default in found:
        if default is not None and not _is_literal(default):
            break
        out[name] = default
    return out


def _literal(value: Any) -> Any:
    plain = not isinstance(value, tuple) and is_written(value)
    return cst.parse_expression(repr(value)) if plain else ()


def _is_literal(node: Any) -> bool:
    if isinstance(node, cst.UnaryOperation):
        node = node.expression
    named = isinstance(node, cst.Name) and node.value in ("None", "True", "False")
    return named or isinstance(node, cst.Integer | cst.Float | cst.SimpleString)


ITERATORS: dict[Any, Any] = {
    functools.partial: _rule(_partial),
    functools.reduce: _rule(_reduce),
    map: _rule(_map),
    filter: _rule(_filter),
    itertools.pairwise: _rule(_pairwise),
}
