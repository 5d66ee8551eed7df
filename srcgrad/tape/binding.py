"""The formula of a call, and the arguments of the call as the formula takes them."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from srcgrad import registry
from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.tape.recording import leaves, nodes_in, raw


def formula_of(fn: Any, operands: Any) -> Any:
    """Return the formula of a function; None for one that is not differentiable.

    Raises:
        ArgumentError: when the formula is that of real numbers, and an operand is complex.
        MissingFormulaError: when there is none.
    """
    name = getattr(fn, "__name__", repr(fn))
    reason = registry.refusal_of_complex(fn)
    if reason is not None and any(map(np.iscomplexobj, leaves(operands))):
        raise ArgumentError(
            f"{name} is called with complex numbers",
            why=f"{reason[0].upper()}{reason[1:]}.",
            fixes=["compute with real and imaginary part, or with the absolute value"],
        )
    rule, module = registry.find_formula(fn), getattr(fn, "__module__", None)
    if rule is None and not registry.is_nondifferentiable(fn):
        name = name if module in (None, "builtins") else f"{module}.{name}"
        raise MissingFormulaError(
            f"no formula for {name}",
            why="An argument depends on what is being differentiated.",
            fixes=[f"register one with @formula({name})", "wrap the argument in stop_gradient"],
        )
    return rule


def written_in_python(fn: Any, args: Any, options: Any) -> Any:
    """Return what stands in the place of a formula of a function, with these options, or None."""
    own, option, values = registry.find_in_python(fn) or (None, "", ())
    given = dict(zip(parameters(fn)[0], args, strict=False)) | options
    return own if not option or given.get(option) in values else None


def with_options_as_arguments(fn: Any, args: Any, options: Any) -> tuple[Any, Any, Any]:
    """Return a call that takes an option as an argument, where the formula knows it as such."""
    own, known = list(parameters(fn)[0]), parameters(registry.find_formula(fn))[1]
    given = dict(zip(own, args, strict=False)) | options
    for name, value in given.items():
        other = registry.with_option_as_argument(fn, name)
        if other is None or value is None or (name in known and not nodes_in(value)):
            continue
        count = len(parameters(registry.find_formula(other))[0]) - 1
        if len(own) >= max(count, len(args)):
            values = [given.pop(label) for label in own[:count]]
            return other, (*values, given.pop(name)), given
    return fn, args, options


def bind(fn: Any, rule: Any, args: Any, options: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as those of its formula.

    Positional parameters of the formula stand in the order in which the function
    takes them; the function's further ones are the formula's keyword-only ones.
    """
    wanted, keywords, variadic = parameters(rule)
    own, _, _ = parameters(fn)
    values, rest = list(args), options
    if not variadic:
        order = [*wanted, *list(own)[len(wanted) :]]
        order += [f"argument {k}" for k in range(len(order), len(args))]
        alias = dict(zip(own, wanted, strict=False))
        rest = dict(zip(order, args, strict=False))
        rest |= {alias.get(name, name): value for name, value in options.items()}
        last = max((k for k, name in enumerate(wanted) if name in rest), default=-1)
        values = [rest.pop(name, wanted[name]) for name in list(wanted)[: last + 1]]
    for name, value in rest.items():
        default = name not in keywords and value is own.get(name, rest)
        if not default and (name not in keywords or nodes_in(value)):
            raise MissingFormulaError(
                f"the formula for {getattr(fn, '__name__', fn)} does not differentiate {name}=",
                fixes=["leave it out", "register a formula that has it as a positional parameter"],
            )
    structured = registry.structured_parameters(fn)
    labels = "operands" in structured and not isinstance(values[0], str)  # between the arrays
    if registry.takes_arrays(fn, rule) and not labels:
        names = [*wanted, *["*"] * len(values)]
        values = [_operand(*pair, structured) for pair in zip(names, values, strict=False)]
    return values, {name: raw(value) for name, value in rest.items() if name in keywords}


def _operand(name: str, value: Any, structured: Any = ()) -> Any:
    """Return the array that NumPy makes of a list or tuple that is given as an array."""
    from srcgrad.tape.boxes import call

    if not isinstance(value, tuple | list):
        return value
    if name in ("arrays", "choices", "conditions"):
        return [_operand("", part) for part in value]
    return value if name in structured else call(np.array, (value,))


@functools.lru_cache(maxsize=1024)
def parameters(fn: Any) -> tuple[dict[str, Any], set[str], bool]:
    """Return what a function takes, as far as Python can tell.

    Returns:
        Its parameters with their defaults, the names of its keyword-only ones if it is
        a formula, and whether it takes any number of arguments.
    """
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}, set(), False
    keywords = {p.name for p in found if p.kind is p.KEYWORD_ONLY}
    variadic = any(p.kind is p.VAR_POSITIONAL for p in found)
    named = {p.name: p.default for p in found if p.kind <= p.POSITIONAL_OR_KEYWORD}
    return named, keywords, variadic
