"""The derivatives that a tape gives: the surface of the engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, ResultError
from srcgrad.tape.boxes import box
from srcgrad.tape.recording import Node, Tape, add, raw
from srcgrad.tape.seeing import running, seen


def vjp(
    f: Callable[..., Any], *args: Any, wrt: Any = 0, tape: Tape | None = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run a function on a tape and return its value with its backward function.

    Args:
        f: the function; it may return arrays, numbers, and tuples and lists of them.
        *args: its arguments.
        wrt: position or name of the argument to differentiate with respect to, or
            a tuple of them; a tuple gives a tuple of gradients.
        tape: an empty tape to record on, for those who want to read it.
        **options: its keyword arguments.

    Returns:
        ``(value, backward)``; ``backward(value_bar)`` takes a cotangent with the
        structure of the value, where None stands for zero.

    Raises:
        ArgumentError: when ``wrt`` does not fit, or an argument is not of real numbers.
        MissingFormulaError: when a function without a formula is called.
        MutationError: when an array is written that somebody else can see.

    Example:
        >>> import math
        >>> from srcgrad.tape import vjp
        >>> value, backward = vjp(lambda x: math.sin(x), 0.0)
        >>> float(backward(2.0))
        2.0
    """
    tape = Tape() if tape is None else tape
    positions = [_position(f, w, len(args)) for w in (wrt if isinstance(wrt, tuple) else (wrt,))]
    values = [seen(a) if inspect.isroutine(a) else a for a in args]
    for k, name in zip(positions, _names(f, args, positions), strict=True):
        values[k] = box(_owned(args[k], name), tape, name)
        tape.arguments.append(values[k].__srcgrad_node__)
    running.append(tape)
    try:
        value = seen(_function(f))(*values, **options)
    finally:
        running.pop()
        tape.running = False

    def backward(value_bar: Any) -> Any:
        bars: dict[Node, Any] = {}
        _seed(bars, value, value_bar, tape)
        tape.back(bars)
        made = tuple(_gradient(node, bars.get(node)) for node in tape.arguments)
        return made if isinstance(wrt, tuple) else made[0]

    return _opened(value, tape), backward


def grad(f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes a gradient with a tape; see ``srcgrad.grad``.

    Args:
        f: the function; it must return one real number.
        wrt: see ``vjp``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.

    Returns:
        A function with the parameters of ``f``.

    Raises:
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> from srcgrad.tape import grad
        >>> float(grad(grad(lambda x: x * x * x))(2.0))
        12.0
    """

    def gradient(*args: Any, **options: Any) -> Any:
        made = value_and_grad(f, wrt, has_aux)(*args, **options)
        return (made[1], made[0][1]) if has_aux else made[1]

    gradient.__name__ = f"{getattr(f, '__name__', 'function')}_grad"
    return gradient


def value_and_grad(
    f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes a value and its gradient with a tape.

    Args:
        f: the function; it must return one real number.
        wrt: see ``vjp``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.

    Returns:
        A function that returns ``(value, gradient)``.

    Raises:
        ResultError: see ``grad``.

    Example:
        >>> from srcgrad.tape import value_and_grad
        >>> value, slope = value_and_grad(lambda x: x * x)(3.0)
        >>> float(value), float(slope)
        (9.0, 6.0)
    """

    def both(*args: Any, **options: Any) -> Any:
        value, backward = vjp(f, *args, wrt=wrt, **options)
        number = value[0] if has_aux else value
        if np.ndim(raw(number)) != 0 or np.iscomplexobj(raw(number)):
            raise ResultError(
                f"the result has the shape {np.shape(raw(number))}; "
                "a gradient asks for one real number",
                fixes=["sum it or index it", "use vjp"],
            )
        return value, backward((1.0, None) if has_aux else 1.0)

    return both


def _function(f: Any) -> Any:
    f = getattr(f, "__srcgrad_primal__", f)
    if inspect.isroutine(f) or isinstance(f, type) or hasattr(f, "func"):
        return f
    return type(f).__call__.__get__(f)


def _position(f: Any, wrt: Any, count: int) -> int:
    names = list(inspect.signature(f).parameters) if isinstance(wrt, str) else []
    position = names.index(wrt) if wrt in names else wrt
    if isinstance(position, bool) or not isinstance(position, int) or not -count <= position < count:
        raise ArgumentError(
            f"wrt={wrt!r} does not fit a call with {count} arguments",
            fixes=["give the position or the name of an argument, or a tuple of them"],
        )
    return position % count


def _names(f: Any, args: Any, positions: list[int]) -> list[str]:
    """The names of the differentiated arguments, for printing."""
    try:
        parameters = [p.name for p in inspect.signature(f).parameters.values() if p.kind <= 1]
    except (TypeError, ValueError):
        parameters = []
    return [parameters[k] if k < len(parameters) else f"argument{k}" for k in positions]


def _owned(value: Any, name: str) -> Any:
    """An argument that nobody else can write to."""
    kind = getattr(np.asarray(raw(value)), "dtype", np.dtype(object)).kind
    if kind != "f":
        raise ArgumentError(
            f"{name} is not of real numbers, and cannot be differentiated",
            fixes=["pass a float or an array of floats"],
        )
    return value.copy() if isinstance(value, np.ndarray) else value


def _seed(bars: dict[Node, Any], value: Any, bar: Any, tape: Tape) -> None:
    if isinstance(value, tuple | list):
        for part, part_bar in zip(value, bar or [None] * len(value), strict=True):
            _seed(bars, part, part_bar, tape)
    elif getattr(value, "__srcgrad_tape__", None) is tape and bar is not None:
        if np.shape(raw(bar)) != value.shape:
            raise ArgumentError(
                f"the cotangent has the shape {np.shape(raw(bar))}, and the result {value.shape}",
                fixes=["give a cotangent with the shape of the result"],
            )
        bar = np.float64(bar) if isinstance(bar, int | float) else bar
        add(bars, value.__srcgrad_node__, bar)


def _gradient(node: Node, bar: Any) -> Any:
    """A gradient that only the caller holds, with the dtype of its argument."""
    if bar is None:
        return np.zeros_like(raw(node.value)) if np.ndim(raw(node.value)) else 0.0
    if raw(bar) is not bar:
        return bar
    return np.array(bar, dtype=raw(node.value).dtype)[()]


def _opened(value: Any, tape: Tape) -> Any:
    if isinstance(value, tuple | list):
        made = [_opened(part, tape) for part in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if getattr(value, "__srcgrad_tape__", None) is tape:
        value = value.__srcgrad_node__.value
        return value.copy() if isinstance(value, np.ndarray) else value
    return value
