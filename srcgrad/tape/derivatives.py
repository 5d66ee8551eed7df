"""The derivatives that a tape gives: the surface of the engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, ResultError
from srcgrad.formulas import load_all
from srcgrad.tape.boxes import Box
from srcgrad.tape.calls import boxed
from srcgrad.tape.recording import Node, Tape, add, fitted, mapped, raw
from srcgrad.tape.seeing import seen


def vjp(
    f: Callable[..., Any], *args: Any, wrt: Any = 0, tape: Tape | None = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run a function on a tape, and return its value and its backward function.

    Args:
        f: the function; arguments and results may be arrays, numbers, and nested
            tuples, lists and dicts of them.
        *args: its arguments. What it writes into them is there afterwards.
        wrt: position or name of the argument to differentiate with respect to, or
            a tuple of them; a tuple gives a tuple of gradients.
        tape: an empty tape to record on, for those who want to read it.
        **options: its keyword arguments, which are constants.

    Returns:
        ``(value, backward)``; ``backward(value_bar)`` takes a cotangent with the
        structure of the value, where None stands for zero.

    Raises:
        ArgumentError: when ``wrt`` does not fit, an argument is not of real
            numbers, or a value leaves the tape.
        MissingFormulaError: when a function without a formula is called.

    Example:
        >>> import math
        >>> from srcgrad.tape import vjp
        >>> value, backward = vjp(lambda x: math.sin(x), 0.0)
        >>> float(backward(2.0))
        2.0
    """
    load_all()
    tape = Tape() if tape is None else tape
    several = isinstance(wrt, tuple | list)
    names = _names(f, len(args))
    positions = [_position(names, w) for w in (wrt if several else (wrt,))]
    values = [
        _argument(a, tape if k in positions else None, name)
        for k, (a, name) in enumerate(zip(args, names, strict=True))
    ]
    named = {name: _argument(a, None, name) for name, a in options.items()}
    starts = [mapped(lambda box: box.node, values[k]) for k in positions]
    try:
        value = seen(_function(f))(*values, **named)
    finally:
        tape.running = False
    ends = mapped(tape.own, value)

    def backward(value_bar: Any) -> Any:
        bars: dict[Node, Any] = {}
        add(bars, ends, value_bar, _seed)
        tape.back(bars)
        made = tuple(mapped(lambda node: _gradient(node, bars.get(node)), s) for s in starts)
        return made if several else made[0]

    return mapped(lambda part: _opened(part, tape), value), backward


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
        number = raw(value[0] if has_aux else value)
        if np.ndim(number) != 0 or np.iscomplexobj(number):
            kind = "is complex" if np.iscomplexobj(number) else f"has the shape {np.shape(number)}"
            raise ResultError(
                f"the result {kind}; a gradient asks for one real number",
                fixes=["sum it or index it", "take its real part", "use vjp"],
            )
        return value, backward((1.0, None) if has_aux else 1.0)

    return both


def _function(f: Any) -> Any:
    f = getattr(f, "__srcgrad_primal__", f)
    if inspect.isroutine(f) or isinstance(f, type) or hasattr(f, "func"):
        return f
    return type(f).__call__.__get__(f)


def _names(f: Any, count: int) -> list[str]:
    """The names of the arguments, as far as there are any."""
    try:
        found = [p.name for p in inspect.signature(f).parameters.values() if p.kind <= 1]
    except (TypeError, ValueError):
        found = []
    return [*found, *(f"argument{k}" for k in range(len(found), count))][:count]


def _position(names: list[str], wrt: Any) -> int:
    found = names.index(wrt) if wrt in names else wrt
    whole = isinstance(found, int) and not isinstance(found, bool)
    if not whole or not -len(names) <= found < len(names):
        raise ArgumentError(
            f"wrt={wrt!r} does not fit a call with {len(names)} arguments",
            fixes=["give the position or the name of an argument, or a tuple of them"],
        )
    return found % len(names)


def _argument(value: Any, tape: Tape | None, name: str) -> Any:
    """Return an argument as the function receives it."""

    def leaf(part: Any) -> Any:
        if tape is None:
            return part if isinstance(part, Box) else boxed(seen(part))
        kind = np.asarray(raw(part)).dtype.kind
        if kind not in tuple("fc"):
            raise ArgumentError(
                f"{name} is not of real or complex numbers, and cannot be differentiated",
                fixes=["pass a float or an array of floats"],
            )
        kept = part.snapshot() if isinstance(part, Box) else np.array(part)[()]
        node = tape.node(kept, name if part is value else "")
        tape.arguments.append(node)
        return Box(raw(part), node)

    return mapped(leaf, value)


def _seed(node: Node, bar: Any) -> Any:
    """Return what the caller of a backward function gave as the cotangent of a result."""
    bar, own = float(bar) if isinstance(bar, int) else bar, raw(node.value)
    if np.shape(raw(bar)) != np.shape(own):
        raise ArgumentError(
            f"the cotangent has the shape {np.shape(raw(bar))}, and the result {np.shape(own)}",
            fixes=["give a cotangent with the shape of the result"],
        )
    if np.iscomplexobj(raw(bar)) and not np.iscomplexobj(own):
        raise ArgumentError(
            "the cotangent is complex, and the result is real",
            fixes=["give the real and the imaginary part one by one"],
        )
    return fitted(node, bar)


def _gradient(node: Node, bar: Any) -> Any:
    """Return a gradient that only the caller holds, with the dtype of its argument."""
    value = np.asarray(raw(node.value))
    if bar is None:
        return np.zeros_like(value)[()]
    if isinstance(bar, Box):
        return bar.snapshot(held=True)
    return np.array(bar, dtype=value.dtype)[()]


def _opened(part: Any, tape: Tape) -> Any:
    """Return a result as the caller of the function sees it."""
    node = tape.own(part)
    if node:
        part = node.value
        return part.snapshot(held=True) if isinstance(part, Box) else np.array(part)[()]
    return raw(part) if isinstance(part, Box) and part.node is None else part
