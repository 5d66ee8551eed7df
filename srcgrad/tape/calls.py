"""A call with boxes among its arguments: it becomes an entry of a tape."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, MissingFormulaError, MutationError
from srcgrad.registry import find_formula, formula, is_nondifferentiable
from srcgrad.runtime import may_repeat, unbroadcast
from srcgrad.tape.recording import Entry, Node, Tape, raw, shown


def boxes_in(value: Any) -> Iterator[Any]:
    """Yield the boxes in nested tuples, lists and dicts."""
    if hasattr(value, "__srcgrad_node__"):
        yield value
    elif type(value) in (tuple, list):
        for part in value:
            yield from boxes_in(part)
    elif type(value) is dict:
        for part in value.values():
            yield from boxes_in(part)


def call(fn: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a function, and record the call on the innermost tape among its arguments.

    The formula runs on what the boxes of that tape hold, which may be boxes of
    the next outer tape: so its intermediates, and later its backward function,
    are recorded there.

    Raises:
        MissingFormulaError: when there is no formula for the function.
    """
    boxes = list(boxes_in((args, options)))
    if not boxes or is_nondifferentiable(fn):
        return fn(*raw(args), **raw(options))
    rule = find_formula(fn)
    if rule is None:
        raise missing(fn)
    tape: Tape = max((box.__srcgrad_tape__ for box in boxes), key=lambda t: t.level)
    if not tape.running:
        raise ArgumentError(
            "a value that was recorded on a tape is used after the function has returned",
            fixes=["return it from the function"],
        )
    positional, keywords = bind(fn, rule, args, options)
    values = [strip(value, tape) for value in positional]
    result, backward = seen_rule(rule)(*values, **keywords)
    return record(tape, fn, positional, keywords, result, backward)


def record(
    tape: Tape, fn: Any, inputs: list[Any], keywords: dict[str, Any], result: Any, backward: Any
) -> Any:
    """Append an entry, and return the result in boxes."""
    from srcgrad.tape.boxes import box

    labels = [label(value, tape) for value in inputs]
    labels += [f"{name}={label(value, tape)}" for name, value in keywords.items()]
    sources = [b for b in boxes_in(tuple(inputs)) if b.__srcgrad_tape__ is tape]

    def wrap(part: Any) -> Any:
        if isinstance(part, tuple | list):
            made = [wrap(p) for p in part]
            return type(part)(*made) if hasattr(part, "_fields") else type(part)(made)
        return box(part, tape, sources=sources) if is_real(part) else part

    made = wrap(result)
    entry = Entry(fn, [nodes(v, tape) for v in inputs], labels, nodes(made, tape), backward)
    tape.entries.append(entry)
    return made


def is_real(value: Any) -> bool:
    """Tell whether a value is of real numbers, and not of whole ones."""
    return isinstance(value, float) or getattr(raw(value), "dtype", np.dtype(int)).kind == "f"


def nodes(value: Any, tape: Tape) -> Any:
    """Return the node of a box of a tape; a list of them for a tuple; None for a constant."""
    if type(value) in (tuple, list) or hasattr(value, "_fields"):
        return [nodes(part, tape) for part in value]
    return value.__srcgrad_node__ if getattr(value, "__srcgrad_tape__", None) is tape else None


def strip(value: Any, tape: Tape) -> Any:
    """Return what the boxes of a tape hold; arrays that others may write to, copied."""
    if type(value) in (tuple, list):
        return type(value)(strip(part, tape) for part in value)
    if getattr(value, "__srcgrad_tape__", None) is tape:
        return value.__srcgrad_node__.value
    return value.copy() if isinstance(value, np.ndarray) else value


def label(value: Any, tape: Tape) -> str:
    """Return an argument as it is printed."""
    if type(value) in (tuple, list):
        return f"[{', '.join(label(part, tape) for part in value)}]"
    if getattr(value, "__srcgrad_tape__", None) is tape:
        return value.__srcgrad_node__.name
    return shown(value) if isinstance(raw(value), np.ndarray) else repr(raw(value))


def bind(fn: Any, rule: Any, args: Any, options: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as those of its formula.

    Positional parameters of the formula stand in the order in which the function
    takes them; the function's further ones are the formula's keyword-only ones.
    """
    wanted, keywords, variadic = parameters(rule)
    own = list(defaults(fn))
    values, rest = list(args), dict(options)
    if not variadic:
        for name, value in zip(own[len(wanted) :], values[len(wanted) :], strict=False):
            rest[name] = value
        values = values[: len(wanted)]
    for name, other in list(zip(wanted, [*own, *wanted], strict=False))[len(values) :]:
        if name not in rest and other not in rest:
            break
        values.append(rest.pop(name if name in rest else other))
    unknown = {k for k in rest if k not in keywords and rest[k] is not defaults(fn).get(k)}
    guilty = {k for k, v in rest.items() if list(boxes_in(v))}
    if unknown or guilty:
        name = sorted(unknown or guilty)[0]
        raise MissingFormulaError(
            f"the formula for {getattr(fn, '__name__', fn)} does not differentiate {name}=",
            fixes=["leave it out", "register a formula that has it as a positional parameter"],
        )
    return values, {k: v for k, v in rest.items() if k in keywords}


@functools.lru_cache(maxsize=1024)
def parameters(rule: Any) -> tuple[list[str], set[str], bool]:
    """Return a formula's positional parameters, its options, and whether it has ``*args``."""
    found = inspect.signature(rule).parameters.values()
    wanted = [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name for p in found if p.kind is p.KEYWORD_ONLY}
    return wanted, keywords, any(p.kind is p.VAR_POSITIONAL for p in found)


@functools.lru_cache(maxsize=1024)
def defaults(fn: Any) -> dict[str, Any]:
    """Return a function's own parameters with their defaults, where Python can tell them."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in found}


@functools.lru_cache(maxsize=1024)
def seen_rule(rule: Any) -> Any:
    """Return a formula whose calls of Python functions are recorded, too."""
    from srcgrad.tape.seeing import Globals, rebuilt

    return rebuilt(rule, Globals(rule.__globals__, boxing=False))


def missing(fn: Any) -> MissingFormulaError:
    """Return the error for a function without a formula."""
    module = getattr(fn, "__module__", None)
    name = getattr(fn, "__name__", repr(fn))
    name = name if module in (None, "builtins") else f"{module}.{name}"
    return MissingFormulaError(
        f"no formula for {name}",
        why="An argument depends on what is being differentiated.",
        fixes=[f"register one with @formula({name})", "wrap the argument in stop_gradient"],
    )


def written(x: Any, index: Any, value: Any) -> Any:
    """Return a copy of an array with other entries at an index."""
    z = np.array(x)
    z[index] = value
    return z


@formula(written)
def written_(x, index, value):
    """z = x with other entries at index, none of which is named twice."""
    z = call(written, (x, index, value), {})

    def backward(z_bar):
        value_bar = unbroadcast(z_bar[index], value)
        return call(written, (z_bar, index, 0.0), {}), None, value_bar

    return z, backward


def require_single(index: Any) -> None:
    """Refuse to write through an index that may name an entry twice."""
    if may_repeat(index):
        raise MutationError(
            "an array is written at computed positions, of which two may be the same",
            fixes=["use np.add.at", "build the array with np.where"],
        )


__all__ = ["Node", "bind", "boxes_in", "call", "missing", "raw", "record", "written"]
