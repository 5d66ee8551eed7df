"""The derivatives that a tape gives: the surface of the engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import srcgrad
from srcgrad.api import Differentiated
from srcgrad.errors import ArgumentError, ResultError
from srcgrad.formulas import load_all
from srcgrad.tape.boxes import Box, boxed, is_number, kept
from srcgrad.tape.recording import Node, Tape, add, mapped, nodes_in, raw
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
    tape = tape or Tape()
    names, several = _names(f, len(args)), isinstance(wrt, tuple | list)
    positions = [_position(names, w) for w in (wrt if several else (wrt,))]
    values, named = mapped(lambda part: boxed(seen(part)), ([*args], options))
    for k in positions:
        values[k] = mapped(partial(_start, tape, names[k]), args[k])
    starts = [mapped(tape.own, values[k]) for k in positions]
    plain = inspect.isroutine(f) or isinstance(f, type | partial)
    run = f if plain or hasattr(f, "__srcgrad_primal__") else type(f).__call__.__get__(f)
    try:
        value = seen(run)(*values, **named)
    finally:
        tape.running = False
    ends = mapped(tape.own, value)

    def backward(value_bar: Any) -> Any:
        bars: dict[Node, Any] = {}
        add(bars, ends, value_bar, seed=True)
        tape.back(bars)
        made = tuple(mapped(lambda node: _gradient(node, bars.get(node)), s) for s in starts)
        return made if several else made[0]

    return mapped(partial(_end, tape), value), backward


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
        value, slope = value_and_grad(f, wrt, has_aux)(*args, **options)
        return (slope, value[1]) if has_aux else slope

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


def _names(f: Any, count: int) -> list[str]:
    """Return the names of the arguments, as far as there are any."""
    try:
        found = [p.name for p in inspect.signature(f).parameters.values() if p.kind <= 1]
    except (TypeError, ValueError):
        found = []
    return [*found, *(f"argument{k}" for k in range(len(found), count))][:count]


def _position(names: list[str], wrt: Any) -> int:
    found = names.index(wrt) if wrt in names else wrt
    if type(found) is not int or not -len(names) <= found < len(names):
        raise ArgumentError(
            f"wrt={wrt!r} does not fit a call with {len(names)} arguments",
            fixes=["give the position or the name of an argument, or a tuple of them"],
        )
    return found % len(names)


def _start(tape: Tape, name: str, part: Any) -> Box:
    """Return an argument, or a part of one, as a value that a tape starts with."""
    if not is_number(raw(part)):
        raise ArgumentError(
            f"{name} is not of real or complex numbers, and cannot be differentiated",
            fixes=["pass a float or an array of floats"],
        )
    tape.arguments.append(tape.node(kept(part), name))
    return Box(raw(part), tape.arguments[-1])


def _end(tape: Tape, part: Any) -> Any:
    """Return a result as the caller of the function sees it."""
    node = tape.own(part)
    if not node:
        return part if nodes_in(part) else raw(part)
    own = kept(part.array)
    return Box(own, node.value.node) if nodes_in(node.value) else own


def _gradient(node: Node, bar: Any) -> Any:
    """Return a gradient that only the caller holds, with the dtype of its argument."""
    value = np.asarray(raw(node.value))
    if nodes_in(bar):
        return kept(bar)
    return (np.zeros_like(value) if bar is None else np.array(raw(bar), dtype=value.dtype))[()]


# Forward mode, and second derivatives. A tape only goes backward. But the product of a
# cotangent and a Jacobian is linear in the cotangent, so that its own derivative is the
# product of the Jacobian and a tangent.


def jvp(f: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Evaluate a function and its derivative along a direction; see ``srcgrad.jvp``.

    Example:
        >>> from srcgrad.tape.derivatives import jvp
        >>> value, slope = jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
        >>> float(value), float(slope)
        (6.0, 2.0)
    """
    moving = tuple(k for k, dot in enumerate(tangents) if dot is not None)
    value, backward = vjp(f, *primals, wrt=moving)
    _, forward = vjp(backward, mapped(lambda v: np.zeros_like(v)[()], raw(value)))
    return value, forward(tuple(tangents[k] for k in moving))


def _along(f: Any, args: Any, wrt: int, direction: Any) -> Any:
    """Return the derivative along a direction of one argument."""
    return jvp(f, args, [direction if k == wrt else None for k in range(len(args))])[1]


def hvp(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian with a vector; see ``srcgrad.hvp``."""
    return lambda *args: _along(grad(f, wrt), args[:-1], wrt, args[-1])


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Jacobian column by column; see ``srcgrad.jacfwd``."""

    def columns(*args: Any) -> Any:
        x = np.asarray(raw(args[wrt]))
        if np.iscomplexobj(x):
            raise ArgumentError("a Jacobian is one of real arguments", fixes=["use vjp or jvp"])
        made = [_along(f, args, wrt, unit.reshape(x.shape)) for unit in np.eye(x.size)]
        return np.stack(made, axis=-1).reshape((*np.shape(raw(made[0])), *x.shape))

    return columns


jacfwd = jacrev = jacobian


def hessian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Hessian; see ``srcgrad.hessian``."""
    return jacobian(grad(f, wrt), wrt)


def stand_in(thing: Any) -> Any:
    """Return what stands on a tape for a derivative of srcgrad's; another thing as it is."""
    if isinstance(thing, Differentiated):
        return _decorated(thing.__srcgrad_primal__, thing.wrt)
    if hasattr(thing, "__srcgrad__"):
        made = thing.__srcgrad__
        return globals()[made.kind](made.function, made.wrt, made.has_aux)
    if hasattr(thing, "__srcgrad_of__"):
        kind, function, wrt = thing.__srcgrad_of__
        return globals()[kind](function, wrt)
    name = getattr(thing, "__name__", None)
    if name in _SAME and thing is getattr(srcgrad, name):
        return globals()[name]
    return getattr(thing, "__srcgrad_primal__", thing)


_SAME = {*srcgrad.__all__} & {*globals()}


def _decorated(primal: Any, wrt: Any) -> Any:
    def run(*args: Any, **options: Any) -> Any:
        return seen(primal)(*args, **options)

    made: Any = run
    made.__wrapped__ = primal
    made.grad, made.value_and_grad = grad(primal, wrt), value_and_grad(primal, wrt)
    made.vjp, made.jvp = partial(vjp, primal, wrt=wrt), partial(jvp, primal)
    return made
