"""Calls of functions that have a formula."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MissingFormulaError, SourceNotFoundError
from srcgrad.formulas.numpy.arrays.shapes import NAMES_OF_RESULTS
from srcgrad.frontend.arrays.operands import as_arguments, nodes_of
from srcgrad.frontend.checks.outside import reads_libraries_alone
from srcgrad.frontend.checks.purity import CACHED
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import OPERATOR_NAMES, Builder
from srcgrad.frontend.state.outer_names import outer_variable, rely_on
from srcgrad.frontend.state.recursion import inactive_type
from srcgrad.frontend.state.sparse import require_product
from srcgrad.frontend.text.exits import returns_of
from srcgrad.frontend.text.source import read
from srcgrad.ir.nodes import (
    Closure,
    Const,
    Items,
    Known,
    Method,
    Op,
    Struct,
    Value,
    Var,
    embed,
    is_active,
)
from srcgrad.ir.types import OPAQUE, Type
from srcgrad.library.attributes import plainly
from srcgrad.library.axes import collapses
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts
from srcgrad.registry import (
    NOT_YET,
    called_as,
    constant_parameters,
    find_formula,
    is_nondifferentiable,
    is_own,
    method_of,
    refusal_of,
    structured_parameters,
    takes_arrays,
    with_option_as_argument,
)
from srcgrad.transformation.library_names import qualified_name


def missing_formula(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Exception:
    """Return the error for an active call of a function without a formula."""
    name = qualified_name(fn)
    guilty = [v for v in args if is_active(v)]
    subject = guilty[0].name if guilty and isinstance(guilty[0], Var) else "an argument"
    why = f"{subject} depends on what is being differentiated."
    reason = refusal_of(fn)
    if reason is not None and reason != NOT_YET:
        why += f" {reason[0].upper()}{reason[1:]}."
    return MissingFormulaError(
        f"no formula for {name}",
        spots=[b.source.spot(node)],
        why=why,
        fixes=[f"register one with @formula({name})", f"wrap {subject} in stop_gradient"],
    )


@recursion.require_formula.define
def require_formula(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse an operation on active values that has no formula."""
    if b.formula is None and find_formula(fn) is None and not is_nondifferentiable(fn):
        raise missing_formula(b, fn, args, node)


def parameters_if_any(fn: Any) -> tuple[inspect.Parameter, ...]:
    """The parameters of a function; none where it does not tell them."""
    try:
        return tuple(facts.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return ()


def _refuse_lists_of_lists(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse lists that grow and hold lists or tuples: their elements are kept apart."""
    for value in args:
        if isinstance(value, Items):
            _refuse_lists_of_lists(b, fn, value.items, node)
        elif isinstance(value, Var) and value.type.kind == "list" and is_active(value):
            if isinstance(value.type.element, tuple):
                raise b.refuse(
                    node,
                    f"a list of lists or tuples as an argument of {qualified_name(fn)}",
                    "append arrays: t.append(np.array([a, b]))",
                )


def variable_of_object(b: Builder, text: Any) -> Value:
    """Return the variable for an object of which the text is known, to be read by a formula."""
    if isinstance(text, cst.Name) and text.value not in b.env:
        return outer_variable(b, text.value, OPAQUE)
    return b.opaque(text, [])


def _with_variables(b: Builder, fn: Any, values: Any, nodes: dict[int, Any]) -> tuple[Value, ...]:
    """Return arguments with variables for the objects among them, which have no own text."""
    if b.formula is not None or not structured_parameters(fn):
        return values
    return tuple(
        variable_of_object(b, nodes[id(value)])
        if isinstance(value, Known) and id(value) in nodes and method_of(value.object) is not None
        else value
        for value in values
    )


def _holds_objects(b: Builder, fn: Any, values: Iterable[Value]) -> bool:
    """Whether there are objects in lists for a library that takes arrays of them."""
    if b.formula is not None or (structured_parameters(fn) and home(fn) != "numpy"):
        return False
    parts = [part for value in values if isinstance(value, Items) for part in value.items]
    return bool(parts) and (
        any(isinstance(p, Struct) and is_active(p) for p in parts) or _holds_objects(b, fn, parts)
    )


def call_formula(
    b: Builder, fn: Any, formula: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Bind a call to a formula's parameters and append its equation."""
    given = (*args, *options.values())
    if any(isinstance(v, Struct) for v in given) or _holds_objects(b, fn, given):
        raise b.refuse(
            node, f"a dict or an object as an argument of {qualified_name(fn)}", "pass its parts"
        )
    for value in (*args, *options.values()):
        if isinstance(value, Method):
            raise b.refuse(
                node,
                f"the attribute .{value.name} of an array as an argument of {qualified_name(fn)}",
                "check its spelling, or call it",
            )
    if is_of_library(fn) and any(isinstance(v, Closure) for v in (*args, *options.values())):
        raise b.refuse(
            node, f"a function as an argument of {qualified_name(fn)}", "call it yourself"
        )
    rely_on(b, *args, *options.values())
    nodes = nodes_of(args, options, node)
    args = _with_variables(b, fn, args, nodes)
    positional, extra = bind_formula(b, fn, formula, args, options, node)
    style = b.style
    for name, value in extra:
        other = with_option_as_argument(fn, name)
        if other is not None and (is_active(value) or name not in _option_names(formula)):
            extra = tuple((n, v) for n, v in extra if n != name)
            if isinstance(plainly(fn, "__self__"), np.ufunc) and "axis" not in dict(extra):
                extra = (*extra, ("axis", Const(0)))  # the default of the method reduce
            if name == "end_values":
                extra = (*((n, v) for n, v in extra if n != "mode"), ("mode", Const("linear_ramp")))
            fn, formula, style = other, find_formula(other), ()
            positional = (*positional, value)
            break
    positional = as_arguments(b, fn, formula, parameters_if_any(formula), positional, nodes)
    if home(fn) != "srcgrad":
        _refuse_lists_of_lists(b, fn, (*positional, *(value for _, value in extra)), node)
    for name, value in extra:
        if is_active(value):
            raise b.refuse(
                node,
                f"an active value as the option {name}= of {qualified_name(fn)}",
                "pass an inactive value",
                "Options are not differentiated.",
            )
    _refuse_active_constants(b, fn, formula, positional, node)
    if not constant_parameters(formula):
        require_product(b, fn, positional, node)
    if is_nondifferentiable(fn):
        return b.emit(Op(fn), positional, node, extra, active=False)
    if fn in (np.linalg.eig, np.linalg.eigvals, np.real_if_close):
        b.context.perhaps_real = True
    _note_roles(b, fn, positional)
    extra = _without_axis(fn, formula, positional, extra)
    type_ = result_type(b, fn, positional, dict(extra), node)
    if type_ is None and not is_own(formula):
        type_ = _fresh(b, results_of(fn))
    made = b.emit(Op(fn, *style), positional, node, extra, type_=type_)
    return with_names(fn, made)


def with_names(fn: Any, made: Value) -> Value:
    """Several results of a function, under the names that it gives them."""
    if isinstance(made, Items) and isinstance(fn, Hashable) and fn in NAMES_OF_RESULTS:
        return replace(made, names=NAMES_OF_RESULTS[fn])
    return made


_ONLY = (Const(0), Const(-1))  # the axes that NumPy reduces a number along, which has none


def _without_axis(fn: Any, formula: Any, args: tuple[Value, ...], options: Any) -> Any:
    """The options of a reduction of an array without axes: it has no axis to name.

    One that only the call tells can be no other, where the call does not raise.
    """
    if not args or not isinstance(args[0], Var) or type_of(args[0]).ndim != 0:
        return options
    named = dict(options)
    defaults = {p.name: p.default for p in parameters_if_any(formula)}
    if "axis" in defaults and collapses(fn, defaults["axis"]):
        axis = named.get("axis", Const(defaults["axis"]))
        if axis in _ONLY or isinstance(axis, Var):
            named["axis"] = Const(None)
    return tuple(named.items())


def _option_names(formula: Any) -> set[str]:
    return {p.name for p in parameters_if_any(formula) if p.kind is p.KEYWORD_ONLY}


def _refuse_active_constants(b: Builder, fn: Any, formula: Any, args: Any, node: Any) -> None:
    constant = constant_parameters(formula)
    if constant:
        for parameter, value in zip(parameters_if_any(formula), args, strict=False):
            if parameter.name in constant and is_active(value):
                raise b.refuse(
                    node,
                    f"an active value as {parameter.name} of {qualified_name(fn)}",
                    "pass an inactive value or wrap it in stop_gradient",
                    f"There is no formula for the slope in {parameter.name}.",
                )


def result_type(b: Builder, fn: Any, args, options, node) -> Type | None:
    """The type of what a function of the user's gives back, if its source tells."""
    if type(fn) is CACHED:  # what it keeps may be older than what it would read now
        inner = facts.static(fn, "__wrapped__")
        fn = inner if isinstance(inner, types.FunctionType) and reads_libraries_alone(inner) else fn
    if not isinstance(fn, types.FunctionType) or is_of_library(fn) or b.formula is not None:
        return None
    if is_own(find_formula(fn)):
        return None
    return inactive_type(b, Known(fn, fn.__name__), args, options, node)


_LAYOUT = frozenset({"casting", "kind", "order", "requirements", "subok"})  # not the numbers
_BOUNDS = {"min": "low", "max": "high"}  # the names that NumPy has since 2.1
_REDUCTIONS = {"sum", "mean", "prod", "max", "min", "amax", "amin", "transpose", "diag"}


def _fresh(b: Builder, template: Any) -> Any:
    if isinstance(template, tuple):
        return tuple(_fresh(b, part) for part in template)
    if template is None or template is OPAQUE:
        return template
    return Type(template.kind, b.context.lengths.fresh_shape(), template.dtype)


def _note_roles(b: Builder, fn: Any, args: tuple[Value, ...]) -> None:
    name = plainly(fn, "__name__", "")
    if len(args) == 1 and isinstance(args[0], Var) and not args[0].named:
        if name not in _REDUCTIONS and args[0].name in OPERATOR_NAMES:
            b.layout.roles.setdefault(args[0], {"exp": "exponent"}.get(name, "pre"))


def as_formula_arguments(fn: Any, names: list[str]) -> list[str | None]:
    """What a formula calls the arguments of a call: "" by position, None where it has no use."""
    parameters = parameters_if_any(find_formula(fn))
    own = parameters_if_any(called_as(fn))
    if any(p.kind is p.VAR_POSITIONAL for p in (*parameters, *own)):
        return list(names)
    wanted = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    known = {p.name for p in parameters}
    if fn is not called_as(fn):
        wanted = wanted[:-1]  # what it takes more than the function in the text
    places = [p.name for p in own if p.kind is not p.KEYWORD_ONLY]
    renamed = dict(zip(places, wanted, strict=False))
    found: list[str | None] = []
    for k, name in enumerate(names):
        if not name and (k < len(wanted) or k >= len(places)):
            found.append("")
            continue
        name = renamed.get(name, name) or places[k]
        found.append(name if name in known else None)
    return found


def bind_formula(b, fn, formula, args, options, node):
    """Return (positional arguments, options) in terms of the formula's parameters."""
    parameters = parameters_if_any(formula)
    wanted = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    known = _option_names(formula)
    own = parameters_if_any(fn)
    names = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    values = list(args)
    if fn is np.clip:
        options = {_BOUNDS.get(name, name): value for name, value in options.items()}
    rest = dict(options)
    if not variadic and len(values) > len(wanted):
        for k in range(len(wanted), len(values)):
            if k >= len(names):
                raise b.refuse(node, f"this argument of {qualified_name(fn)}", "pass it by name")
            rest[names[k]] = values[k]
        values = values[: len(wanted)]
    for k in range(len(values), len(wanted)):
        aliases = {wanted[k].name} | ({names[k]} if k < len(names) else set())
        found = [name for name in aliases if name in rest]
        if found:
            values.append(rest.pop(found[0]))
        elif wanted[k].default is not wanted[k].empty:
            if not any(p.name in rest for p in wanted[k + 1 :]):
                break
            values.append(embed(wanted[k].default))
        else:
            raise b.refuse(node, f"this call of {qualified_name(fn)}", "pass all its arguments")
    for name in list(rest):
        if name in known:
            continue
        default = {p.name: p.default for p in own}.get(name, inspect.Parameter.empty)
        value = rest[name]
        unset = isinstance(value, Const) and value.value is default
        if unset or (name in _LAYOUT and takes_arrays(fn, formula)):
            del rest[name]
            continue
        if with_option_as_argument(fn, name) is not None:
            if value == Const(None):
                del rest[name]
            continue
        raise b.refuse(
            node,
            f"the option {name}= of {qualified_name(fn)}",
            f"leave it out or register a formula that has it (options known: {sorted(known)})",
        )
    return tuple(values), tuple(rest.items())


@functools.lru_cache(maxsize=512)
def results_of(fn: Any) -> Any:
    """Return the types of what a function gives back, in its structure.

    The function is not run. What it returns is read from its ``return``
    statements; where these do not spell a tuple out, it is taken for one array
    or number.

    Returns:
        None where there is no source; ``OPAQUE`` where the statements disagree;
        otherwise a type, or nested tuples of types.
    """
    if not isinstance(fn, types.FunctionType):
        return None
    try:
        tree = read(fn).tree
    except SourceNotFoundError:
        return None
    found = {_template(node.value) for node in returns_of(tree)}
    return found.pop() if len(found) == 1 else OPAQUE


def _template(node: Any) -> Any:
    if isinstance(node, cst.Tuple) and not any(
        isinstance(element, cst.StarredElement) for element in node.elements
    ):
        return tuple(_template(element.value) for element in node.elements)
    return Type("numeric", None, "?")
