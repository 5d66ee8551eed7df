"""Parameters of called functions: which there are, and what a call gives them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.constants import type_of_constant
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.containers.lists import template
from srcgrad.frontend.containers.structures import new_dict
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.demands import What
from srcgrad.ir.forms import Bound
from srcgrad.ir.nodes import Closure, Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.structures import name_for
from srcgrad.ir.types import Type
from srcgrad.program import facts
from srcgrad.registry import is_own

_STATIC_NAMES = {"axis", "axes", "dim", "ord", "keepdims"}


def numeric(value: Const) -> bool:
    """Whether a constant is a number, and no truth value."""
    return isinstance(value.value, int | float | complex) and not isinstance(value.value, bool)


def _spoken(function: Any) -> str:
    """A function's name; that of ``Dense.__call__`` is ``dense_call``, of ``Dense`` ``dense``."""
    name = function.__name__
    if isinstance(function, type):
        return name.lower()
    if not (name.startswith("__") and name.endswith("__") and name.strip("_")):
        return name
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    plain = name.strip("_")
    return f"{owner.lower()}_{plain}" if owner.isidentifier() else plain


def parameters_of(b: Builder, callee: Value) -> tuple[list[inspect.Parameter], str]:
    """The parameters of a function, and its name."""
    if isinstance(callee, Known):
        function = callee.object
        name = _spoken(function)
        parameters = list(facts.signature(function).parameters.values())
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
    if tree.star_kwarg is not None:
        out.append(kinds(tree.star_kwarg.name.value, kinds.VAR_KEYWORD))
    return out, callee.name


def _parameter(p: Any, kind: Any, defaults: dict[str, Value]) -> inspect.Parameter:
    default = inspect.Parameter.empty
    if p.default is not None:
        default = defaults.get(p.name.value, inspect.Parameter.empty)
    return inspect.Parameter(p.name.value, kind, default=default)


def bind_arguments(b: Builder, parameters, args, options, node, name):
    """Match arguments to parameters: (parameter, value, whether it was given)."""
    out, rest, named = [], list(args), dict(options)
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            out.append((p, Items(tuple(rest)), True))
            rest = []
        elif p.kind is p.VAR_KEYWORD:
            out.append((p, new_dict(list(named), list(named.values())), True))
            named = {}
        elif rest and p.kind is not p.KEYWORD_ONLY:
            out.append((p, rest.pop(0), True))
        elif p.name in named and p.kind is not p.POSITIONAL_ONLY:
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
    if value is None or isinstance(value, bool | int | float | complex | str):
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
        held = tuple((n, describe(v)) for n, v in value.captured)
        return ("closure", id(value.node), value.derivatives, held)
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


def ranked(value: Value) -> Value:
    """Forget how long the axes of arrays are."""
    if isinstance(value, Compound):
        return value.like(ranked(v) for v in value.items)
    if isinstance(value, Var) and isinstance(value.type.shape, tuple) and value.type.shape:
        return Var(
            value.name, replace(value.type, shape=(None,) * len(value.type.shape)), value.named
        )
    return value


def widened(value: Value) -> Value:
    """Forget what differs from call to call in a recursion that does not settle."""
    if isinstance(value, Compound):
        return value.like(widened(v) for v in value.items)
    if isinstance(value, Var) and value.type.is_number:
        dtype = "?" if value.type.dtype == "f" else value.type.dtype
        type_ = Type("numeric", None, dtype, element=value.type.element)
        return Var(value.name, type_.with_active(value.type.active), value.named)
    return value


def as_parameter(
    name: str,
    value: Value,
    tokens: dict[Any, Any],
    fixed: bool = False,
    local: Callable[[str, Closure], Closure] = lambda _, value: value,
) -> Value:
    """Return what a parameter stands for inside the function, given its argument.

    ``local`` gives what a local function stands for there.
    """
    if isinstance(value, Closure):
        return local(name, value)
    if fixed and isinstance(value, Const) and type(value.value) is int:
        return value
    if isinstance(value, Items):
        rows = enumerate(value.items)
        parts = tuple(as_parameter(f"{name}_{k}", v, tokens, fixed, local) for k, v in rows)
        return Items(parts, value.is_list, tokens.get(value.token))
    if isinstance(value, Struct):
        held = isinstance(value.form, Bound)  # a method, which is called what its object is
        names = [name if held else name_for(n, name) for n in value.form.names]
        rows = zip(names, value.items, strict=True)
        parts = tuple(as_parameter(n, v, tokens, False, local) for n, v in rows)
        return Struct(value.form, parts, tokens.get(value.token))
    if isinstance(value, Const):
        if numeric(value) and name not in _STATIC_NAMES:
            return Var(name, type_of(value), named=True)
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


def _of_formula(function: Any) -> bool:
    """Whether a function was generated from a formula, on whose options its tangent depends."""
    return hasattr(function, "__srcgrad_generated__") and is_own(function)


def formal(context: Any, callee: Value, bound: Any, tokens: dict[Any, Any]) -> Any:
    """Return what the parameters of a called function stand for inside of it.

    Returns:
        The parameters; what is passed for captured variables, by parameter; for each
        of those the parameter, its owner and the captured name; what they stand for;
        and the local function in terms of them, None for a known function.
    """
    params: list[tuple[str, Value]] = []
    extras: dict[str, Value] = {}
    found: list[tuple[str, str, str]] = []
    added: list[tuple[str, Value]] = []
    taken = {p.name for p, _, _ in bound}
    given: dict[int, Value] = {}  # what can change, by its identity

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
            elif id(held) in given:
                captured.append((inner, given[id(held)]))
            else:
                extras[label] = held
                found.append((label, owner, inner))
                made = as_parameter(label, held, tokens, False, closure_parameter)
                new = resolved(context.lengths, made)
                added.append((label, new))
                captured.append((inner, new))
        return replace(value, captured=tuple(captured))

    lengths = context.lengths
    fixed = (
        context.demands.asks(What.OPTIONS)
        and isinstance(callee, Known)
        and _of_formula(callee.object)
    )
    plain: dict[str, Value] = {}
    for p, value, _ in bound:
        if not isinstance(value, Closure):
            made = as_parameter(p.name, value, tokens, fixed, closure_parameter)
            plain[p.name] = resolved(lengths, made)
        if _can_change(value):
            given[id(value)] = plain[p.name]
    own = closure_parameter("", callee) if isinstance(callee, Closure) else None
    for p, value, _ in bound:
        if isinstance(value, Closure):
            plain[p.name] = closure_parameter(p.name, value)
        params.append((p.name, plain[p.name]))
    return params, extras, found, added, own


def _can_change(value: Value) -> bool:
    """Whether a value is a list or an object, which has to be one in a function given it twice."""
    if isinstance(value, Var):
        return value.type.kind == "list"
    return isinstance(value, Compound) and value.token is not None
