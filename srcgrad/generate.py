"""Generating the code of one derivative for one signature: the way through all passes."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from srcgrad.analysis.arguments import separate_arguments
from srcgrad.analysis.exposure import expose
from srcgrad.analysis.shapes import type_of
from srcgrad.analysis.writes import require_unaliased
from srcgrad.arguments import GENERIC, value_of_argument
from srcgrad.context import Context
from srcgrad.emit.derivatives import Derivatives
from srcgrad.emit.returned import skeleton
from srcgrad.errors import ResultError, UnsupportedSyntaxError
from srcgrad.frontend.functions import lower_function, prepare
from srcgrad.frontend.lists import leaves
from srcgrad.frontend.returned import returned
from srcgrad.frontend.rewriting import NeedsExpansion
from srcgrad.ir.nodes import Compound, Const, Derivative, Function, Items, Value, Var
from srcgrad.load.compile import load
from srcgrad.real_results import require_real_results
from srcgrad.signature import guard
from srcgrad.transformed import Specialisation, Transform

WORDS = {"grad": "Gradient", "value_and_grad": "Value and gradient"}


def generate(
    transform: Transform, arguments: list[Any] | None, ranks: dict[str, int]
) -> Specialisation:
    """Generate the code of a derivative.

    Args:
        transform: which derivative of which function.
        arguments: the arguments of a call, one per parameter; None for any.
        ranks: declared numbers of dimensions, by parameter.

    Returns:
        The generated code, compiled.
    """
    import srcgrad.formulas

    srcgrad.formulas.load_used()
    function, inner_guard = primal_function(transform, arguments, ranks)
    expanded: set[Any] = set()
    mixed = False
    while True:
        context = Context()
        context.expanded |= expanded
        context.mixed = mixed
        source = prepare(function, context)
        context.keep_names(source, transform.kind)
        try:
            return _generate(context, transform, source, arguments, ranks, inner_guard)
        except _Mixed:
            mixed = True
        except NeedsExpansion as need:
            if need.key in expanded:
                culprit = need.source or source
                raise UnsupportedSyntaxError(
                    f"{culprit.name} needs an intermediate value of an expression "
                    "that cannot be named",
                    spots=[culprit.spot(need.node or culprit.tree)],
                    fixes=["write the loop's test or the short-circuit expression as statements"],
                ) from None
            expanded.add(need.key)


class _Mixed(Exception):
    """There are complex numbers, and such of which it is not known whether they are."""


def primal_function(transform: Transform, arguments: Any, ranks: dict[str, int]):
    """Return the Python function whose text is differentiated, and its own guard."""
    function = transform.plain
    inner = getattr(function, "__srcgrad__", None)
    if inner is None:
        return function, None
    if arguments is None:
        special = inner.specialise(None, ranks)
        return inspect.unwrap(special.run), None
    special = inner.find(tuple(arguments))
    return inspect.unwrap(special.run), special.guard


def _generate(context, transform, source, arguments, ranks, inner_guard) -> Specialisation:
    if transform.kind == "jvp" and arguments is not None:
        arguments = arguments[: len(transform.parameters)]
    values, actuals = bind(transform, arguments, ranks)
    for value, actual in zip(values, actuals, strict=True):
        for var, array in _arrays(value, actual):
            shape = zip(var.type.shape or (), array.shape, strict=True)
            context.lengths.observed |= {name: n for name, n in shape if isinstance(name, str)}
    function = lower_function(context, source, list(zip(transform.names, values, strict=True)))
    if context.unsure and context.complex and not context.mixed and arguments is not None:
        raise _Mixed
    returned(source, function.result)
    require_unaliased(function)
    separate_arguments(function)
    standing = dict(zip(transform.names, values, strict=True))
    wrt = [pick_part(standing, name) for name in transform.wanted]
    many = isinstance(transform.wrt, tuple | list)
    if transform.kind != "jvp":  # nothing is kept there
        expose(function)
    context.casts = _casts(values, actuals)
    made = Derivatives(context)
    names = ", ".join(n.replace(".", "_") for n in transform.wanted)
    names = f"({names})" if many else names
    place = place_of(source)
    slots = None
    if transform.kind == "vjp":
        forward, backward, slots = made.vjp(
            function,
            wrt,
            (
                f"{place}, with what its backward function needs.",
                f"Cotangents of {names} from the cotangent of the result of {place}.",
            ),
        )
        main, second = forward, backward
    elif transform.kind == "jvp":
        doc = f"Value and tangent of {place} with respect to {names}."
        main, dots = made.jvp(function, wrt, doc)
        slots = dots, [skeleton(value) for value in wrt]
        second = None
    else:
        require_scalar(function, transform, source)
        doc = f"{WORDS[transform.kind]} of {place} with respect to {names}."
        main = made.joint(
            function,
            wrt,
            transform.kind,
            doc,
            many=many,
            has_aux=transform.has_aux,
            exact=arguments is not None,
            casts=context.casts,
        ).name
        second = None
    functions, filename, text = load(made.functions, main)
    if arguments is None:
        test = _never
    else:
        test = guard(transform.names, values, actuals, context.lengths, context.guards)
        if inner_guard is not None:
            test = functools.partial(_both, test, inner_guard)
    run, backward = functions[main], functions.get(second)
    if context.unsure and not context.complex and arguments is not None:
        if transform.kind == "vjp":
            backward = require_real_results(backward, "vjp")
        else:
            run = require_real_results(run, transform.kind, transform.has_aux)
    return Specialisation(test, run, backward, slots, text, filename, made)


def place_of(source: Any) -> str:
    """What a docstring says of a function: its name and where it stands."""
    return f"{source.name} ({source.short_filename}:{source.line_of(source.tree) or '?'})"


def _never(*args: Any) -> bool:
    return False


def _both(first: Any, second: Any, *args: Any) -> bool:
    return first(*args) and second(*args)


def bind(transform: Transform, arguments: Any, ranks: dict[str, int]):
    """Return what each parameter stands for, and the arguments."""
    values: list[Value] = []
    actuals: list[Any] = []
    for k, p in enumerate(transform.parameters):
        active = p.name in transform.wanted
        if arguments is not None:
            actual = arguments[k]
        elif k < len(transform.bound):
            actual = transform.bound[k]
        elif p.default is not inspect.Parameter.empty and not active:
            actual = p.default
            if isinstance(actual, int | float) and not isinstance(actual, bool):
                actual = GENERIC
        else:
            actual = GENERIC
        if p.kind is p.VAR_POSITIONAL:
            if actual is GENERIC:
                raise UnsupportedSyntaxError(
                    f"the number of arguments of *{p.name} is not known before a call",
                    fixes=["call the derivative once and ask for its source then"],
                )
            parts = tuple(
                value_of_argument(
                    f"{p.name}_{j}", v, f"{p.name}.{j}" in transform.wanted or active, None, None
                )
                for j, v in enumerate(actual)
            )
            values.append(Items(parts))
        else:
            values.append(
                value_of_argument(p.name, actual, active, ranks.get(p.name), p.annotation)
            )
        actuals.append(actual)
    return values, actuals


def pick_part(values: dict[str, Value], name: str) -> Value:
    """Return the value of a differentiated parameter, given those of all parameters."""
    base, _, part = name.partition(".")
    value = values[base]
    if part:
        assert isinstance(value, Items)
        return value.items[int(part)]
    return value


def _casts(values: list[Value], actuals: list[Any]) -> bool:
    """Whether arguments of several floating-point types meet."""
    precisions = {
        np.finfo(array.dtype).dtype  # of a complex number, that of its parts
        for v, a in zip(values, actuals, strict=True)
        for var, array in _arrays(v, a)
        if var.type.dtype in ("f", "c")
    }
    return len(precisions) > 1


def _arrays(value: Value, actual: Any) -> list[tuple[Var, Any]]:
    """The arrays in an argument, with what they stand for."""
    if actual is GENERIC:
        return []
    if isinstance(value, Compound):
        parts = actual if isinstance(value, Items) else value.form.parts(actual)
        rows = zip(value.items, parts, strict=True)
        return [found for item, part in rows for found in _arrays(item, part)]
    return [(value, actual)] if isinstance(value, Var) and value.type.kind == "array" else []


def require_scalar(function: Function, transform: Transform | Derivative, source: Any) -> None:
    """Refuse a result that has no gradient."""
    result = function.result
    if transform.has_aux:
        if not isinstance(result, Items) or len(result.items) != 2:
            raise ResultError(
                f"{source.name} does not return (value, auxiliary)",
                fixes=["return a tuple of two, or leave has_aux out"],
            )
        result = result.items[0]
    if isinstance(result, Items) or not isinstance(result, Var | Const):
        raise ResultError(
            f"{source.name} returns {len(leaves(result))} values; "
            f"{transform.kind} asks for one real number",
            fixes=["return one of them", "use vjp"],
        )
    type_ = type_of(result)
    if type_.ndim:
        raise ResultError(
            f"{source.name} returns an array with {type_.ndim} "
            f"dimension{'s' if type_.ndim > 1 else ''}; "
            f"{transform.kind} asks for one real number",
            fixes=["sum it or index it", "use vjp"],
        )
    if type_.dtype == "c":
        raise ResultError(
            f"{source.name} returns a complex number; {transform.kind} asks for a real one",
            fixes=["take its real part", "use vjp"],
        )
