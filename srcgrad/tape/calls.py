"""A call with recorded values among its arguments: it becomes an entry of a tape."""

from __future__ import annotations

import functools
import inspect
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
from srcgrad.tape.recording import Entry, Node, Tape, leaves, mapped, raw


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
    given, keywords = bind(fn, rule, args, options)
    if takes_arrays(fn, rule):
        given = with_arrays(fn, rule, given)
    inputs = [mapped(lambda value: tape.own(value) or kept(value), part) for part in given]
    held = mapped(lambda value: value.value if isinstance(value, Node) else value, inputs)
    value, backward, *_ = _seen(rule)(*held, **keywords)
    made = boxed(result, value, tape)
    wanted, _, variadic = _parameters(rule)
    back = (lambda z_bar: (backward(z_bar),)) if len(wanted) == 1 and not variadic else backward
    outputs = mapped(tape.own, made)
    tape.entries.append(Entry(fn, inputs, keywords, outputs, back))
    return made


def boxes_in(tree: Any) -> list[Any]:
    """Return the boxes in nested tuples, lists and dicts."""
    return [leaf for leaf in leaves(tree) if hasattr(leaf, "__srcgrad_box__")]


def boxed(result: Any, value: Any = None, tape: Tape | None = None) -> Any:
    """Return a result in boxes: as a constant, or as a new node of a tape.

    Args:
        result: what a function returned.
        value: the same, as its formula computed it.
        tape: the tape; None for a constant, of which only arrays are boxed, for
            what is written into them later.
    """
    from srcgrad.tape.boxes import Box

    values = iter(leaves(value))

    def box(leaf: Any) -> Any:
        held = next(values) if tape is not None else None
        numeric = isinstance(leaf, float | complex | np.generic | np.ndarray)
        if not numeric or np.asarray(leaf).dtype.kind not in tuple("fc"):
            return leaf
        if tape is None:
            return Box(leaf, None) if isinstance(leaf, np.ndarray) else leaf
        return Box(leaf, tape.node(_of_numpy(held)))

    return mapped(box, result)


def kept(value: Any) -> Any:
    """Return a constant of a tape as nobody can write to it."""
    if getattr(value, "__srcgrad_box__", None):  # it is recorded on an outer tape
        return value.snapshot()
    value = raw(value)
    return value.copy() if isinstance(value, np.ndarray) else _of_numpy(value)


def _of_numpy(value: Any) -> Any:
    """Return a number of Python's as one of NumPy's, which has a shape; all else as it is."""
    kinds = {float: np.float64, complex: np.complex128}
    return kinds[type(value)](value) if type(value) in kinds else value


def with_arrays(fn: Any, rule: Any, given: list[Any]) -> list[Any]:
    """Return the arguments of a formula, with arrays in the place of lists and tuples."""
    wanted, _, variadic = _parameters(rule)
    structured = structured_parameters(fn)
    if variadic and "operands" in structured and not isinstance(given[0], str):
        return given  # labels of axes stand between the arrays

    def of(name: str, value: Any) -> Any:
        if name in ("arrays", "choices", "conditions") and isinstance(value, tuple | list):
            return [_as_array(part) for part in value]
        return value if name in structured else _as_array(value)

    names = [*wanted, *["*"] * (len(given) - len(wanted))]
    return [of(name, value) for name, value in zip(names, given, strict=False)]


def _as_array(value: Any) -> Any:
    """Return the array that NumPy makes of a list or tuple."""
    if not isinstance(value, tuple | list):
        return value
    if boxes_in(value):
        return call(np.stack, ([_as_array(part) for part in value],), {})
    return np.asarray(value)


def bind(fn: Any, rule: Any, args: Any, options: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as those of its formula.

    Positional parameters of the formula stand in the order in which the function
    takes them; the function's further ones are the formula's keyword-only ones.
    """
    wanted, keywords, variadic = _parameters(rule)
    own = _defaults(fn)
    values, rest = list(args), dict(options)
    if not variadic:
        alias = dict(zip(own, wanted, strict=False))
        rest = dict(zip([*wanted, *list(own)[len(wanted) :]], args, strict=False))
        rest |= {alias.get(name, name): value for name, value in options.items()}
        last = max((k for k, name in enumerate(wanted) if name in rest), default=-1)
        values = [rest.pop(name, wanted[name]) for name in list(wanted)[: last + 1]]
    for name, value in rest.items():
        default = name not in keywords and value is own.get(name, rest)
        if not default and (name not in keywords or any(box.node for box in boxes_in(value))):
            raise MissingFormulaError(
                f"the formula for {getattr(fn, '__name__', fn)} does not differentiate {name}=",
                fixes=["leave it out", "register a formula that has it as a positional parameter"],
            )
    return values, {name: raw(value) for name, value in rest.items() if name in keywords}


@functools.lru_cache(maxsize=1024)
def _parameters(rule: Any) -> tuple[dict[str, Any], set[str], bool]:
    """Return a formula's parameters with defaults, its options, and whether it has ``*args``."""
    found = inspect.signature(rule).parameters.values()
    wanted = {p.name: p.default for p in found if p.kind is p.POSITIONAL_OR_KEYWORD}
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


def require_real(fn: Any, operands: Any) -> None:
    """Refuse complex operands where the derivative is only known for real ones."""
    reason = refusal_of_complex(fn)
    if reason is not None and any(map(np.iscomplexobj, leaves(operands))):
        raise ArgumentError(
            f"{getattr(fn, '__name__', fn)} is called with complex numbers",
            why=f"{reason[0].upper()}{reason[1:]}.",
            fixes=["compute with real and imaginary part, or with the absolute value"],
        )


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
