"""A call with recorded values among its arguments: it becomes an entry of a tape."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.registry import (
    find_formula,
    is_nondifferentiable,
    refusal_of_complex,
    structured_parameters,
    takes_arrays,
)
from srcgrad.structures import holds_complex
from srcgrad.tape.recording import Entry, raw, shown


def call(fn: Any, args: tuple[Any, ...], options: dict[str, Any], run: Any = None) -> Any:
    """Call a function, and record the call on the innermost tape among its arguments.

    The function itself runs on the arrays as they are, so that its result shares
    memory with them as NumPy has it. Its formula runs on what the nodes hold,
    which nobody writes to. That may be boxes of the next outer tape: then the
    formula's intermediates, and later its backward function, are recorded there.

    Args:
        fn: the function.
        args: its positional arguments.
        options: its keyword arguments.
        run: what to run in its place; None for the function itself.

    Raises:
        MissingFormulaError: when there is no formula for the function.
        ArgumentError: when a value of a function that has returned comes in, or
            a complex one into a function whose derivative is that of real numbers.
    """
    result = (run or fn)(*raw(args), **raw(options))
    active = [box.node for box in boxes_in((args, options)) if box.node]
    if active:
        require_real(fn, raw((args, options)))
    if not active or is_nondifferentiable(fn):
        return boxed(result)
    rule = find_formula(fn)
    if rule is None:
        raise missing(fn)
    tape = max((node.tape for node in active), key=lambda tape: tape.level)
    if not tape.running:
        raise ArgumentError(
            "a value that was recorded on a tape is used after the function has returned",
            fixes=["return it from the function"],
        )
    inputs, keywords = bind(fn, rule, args, options)
    if takes_arrays(fn, rule):
        inputs = _with_arrays(fn, rule, inputs)
    value, backward, *_ = _seen(rule)(*[_kept(v, tape) for v in inputs], **keywords)
    labels = [_label(v, tape) for v in inputs]
    labels += [f"{name}={v!r}" for name, v in keywords.items()]
    made = boxed(result, value, tape)
    wanted, _, variadic = _parameters(rule)
    back = (lambda z_bar: (backward(z_bar),)) if len(wanted) == 1 and not variadic else backward
    ins = [nodes(v, tape) for v in inputs]
    tape.entries.append(Entry(fn, ins, labels, nodes(made, tape), back))
    return made


def _with_arrays(fn: Any, rule: Any, inputs: list[Any]) -> list[Any]:
    """The arguments of a formula, with arrays in the place of lists and tuples."""
    wanted, _, _ = _parameters(rule)
    names = [*wanted, *["*"] * (len(inputs) - len(wanted))]
    structured = structured_parameters(fn)
    if "*" in names and "operands" in structured:
        return inputs
    made = []
    for name, value in zip(names, inputs, strict=False):
        if name not in structured:
            made.append(_as_array(value))
        elif name in ("arrays", "choices", "conditions") and isinstance(value, tuple | list):
            made.append([_as_array(part) for part in value])
        else:
            made.append(value)
    return made


def _as_array(value: Any) -> Any:
    """The array that NumPy makes of a list or tuple."""
    if not isinstance(value, tuple | list):
        return value
    if any(True for _ in boxes_in(value)):
        return call(np.stack, ([_as_array(part) for part in value],), {})
    return np.asarray(value)


def boxed(result: Any, value: Any = None, tape: Any = None) -> Any:
    """Return a result in boxes: as a constant, or as a new node of a tape.

    Args:
        result: what a function returned.
        value: the same, as its formula computed it.
        tape: the tape; None for a constant, of which only arrays are boxed, for
            what is written into them later.
    """
    from srcgrad.tape.boxes import Box

    if isinstance(result, tuple | list):
        values = result if tape is None else value
        made = [boxed(r, v, tape) for r, v in zip(result, values, strict=True)]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    numeric = isinstance(result, float | complex | np.generic | np.ndarray)
    kind = np.asarray(result).dtype.kind if numeric else ""
    number = kind in tuple("fc")
    if tape is None:
        return Box(result, None) if number and isinstance(result, np.ndarray) else result
    return Box(result, tape.node(as_numpys(value))) if number else result


def as_numpys(value: Any) -> Any:
    """Return a number of Python's as one of NumPy's, which has a shape; all else as it is."""
    kinds = {float: np.float64, complex: np.complex128}
    return kinds[type(value)](value) if type(value) in kinds else value


def require_real(fn: Any, operands: Any) -> None:
    """Refuse complex operands where the derivative is only known for real ones."""
    reason = refusal_of_complex(fn)
    if reason is not None and holds_complex(operands):
        raise ArgumentError(
            f"{getattr(fn, '__name__', fn)} is called with complex numbers",
            why=f"{reason[0].upper()}{reason[1:]}.",
            fixes=["compute with real and imaginary part, or with the absolute value"],
        )


def boxes_in(value: Any) -> Iterator[Any]:
    """Yield the boxes in nested tuples, lists and dicts."""
    if hasattr(value, "__srcgrad_box__"):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from boxes_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from boxes_in(part)


def nodes(value: Any, tape: Any) -> Any:
    """Return the node of a box of a tape; a list of them for a tuple; None for a constant."""
    if isinstance(value, tuple | list):
        return [nodes(part, tape) for part in value]
    node = getattr(value, "__srcgrad_box__", None)
    return node if node and node.tape is tape else None


def _kept(value: Any, tape: Any) -> Any:
    """Return what the boxes of a tape hold; everything else as nobody can write to it."""
    if isinstance(value, tuple | list):
        made = [_kept(part, tape) for part in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    node = nodes(value, tape)
    if node:
        return node.value
    if getattr(value, "__srcgrad_box__", None):
        return value.snapshot()
    value = raw(value)
    if isinstance(value, np.ndarray):
        return value.copy()
    return as_numpys(value)


def _label(value: Any, tape: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_label(part, tape) for part in value)}]"
    node = nodes(value, tape)
    return node.name if node else shown(value)


def bind(fn: Any, rule: Any, args: Any, options: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as those of its formula.

    Positional parameters of the formula stand in the order in which the function
    takes them; the function's further ones are the formula's keyword-only ones.
    """
    wanted, keywords, variadic = _parameters(rule)
    own = _defaults(fn)
    values, rest = list(args), dict(options)
    if not variadic:
        rest.update(zip(list(own)[len(wanted) :], values[len(wanted) :], strict=False))
        values = values[: len(wanted)]
    for name, other in list(zip(wanted, [*own, *wanted], strict=False))[len(values) :]:
        if name not in rest and other not in rest:
            break
        values.append(rest.pop(name if name in rest else other))
    for name, value in rest.items():
        default = name not in keywords and value is own.get(name, rest)
        if not default and (name not in keywords or any(box.node for box in boxes_in(value))):
            raise MissingFormulaError(
                f"the formula for {getattr(fn, '__name__', fn)} does not differentiate {name}=",
                fixes=["leave it out", "register a formula that has it as a positional parameter"],
            )
    return values, {name: raw(value) for name, value in rest.items() if name in keywords}


@functools.lru_cache(maxsize=1024)
def _parameters(rule: Any) -> tuple[list[str], set[str], bool]:
    """Return a formula's positional parameters, its options, and whether it has ``*args``."""
    found = inspect.signature(rule).parameters.values()
    wanted = [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name for p in found if p.kind is p.KEYWORD_ONLY}
    return wanted, keywords, any(p.kind is p.VAR_POSITIONAL for p in found)


@functools.lru_cache(maxsize=1024)
def _defaults(fn: Any) -> dict[str, Any]:
    """Return a function's own parameters with their defaults, where Python can tell them."""
    try:
        return {p.name: p.default for p in inspect.signature(fn).parameters.values()}
    except (TypeError, ValueError):
        return {}


@functools.lru_cache(maxsize=1024)
def _seen(rule: Any) -> Any:
    """Return a formula that sees boxes wherever it calls a function."""
    from srcgrad.tape.seeing import seen

    return seen(rule, user=False)


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
