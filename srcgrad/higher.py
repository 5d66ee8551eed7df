"""Checking a derivative formula in mixed modes and at third order, at one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from srcgrad.calling.api import grad, vjp
from srcgrad.calling.pushforward import jvp

_RTOL, _ATOL = 1e-7, 1e-9  # both sides are exact


class Call(Protocol):
    """A call of a function as a small program; see ``srcgrad.testing``."""

    names: list[str]
    values: dict[str, Any]

    @property
    def places(self) -> tuple[int, ...]: ...

    def program(
        self, body: str, extra: tuple[str, ...] = (), known: dict[str, Any] | None = None
    ) -> Callable[..., Any]: ...

    def weighted(self) -> tuple[str, dict[str, Any]]: ...


def check_mixed_modes(call: Call) -> str:
    """Compare second derivatives: reverse over reverse, forward over reverse, reverse over forward.

    Args:
        call: the call.

    Returns:
        What differs, with the numbers; an empty string if nothing does.
    """
    body, weights = call.weighted()
    rng = np.random.default_rng(3)
    program = call.program(body, tuple(weights))
    args = (*call.values.values(), *weights.values())
    moves = [_like(args[k], rng) for k in call.places]
    seeds = [_like(args[k], rng) for k in call.places]
    tangents: list[Any] = [None] * len(args)
    for place, move in zip(call.places, moves, strict=True):
        tangents[place] = move
    gradient = grad(program, call.places)
    _, backward = vjp(gradient, *args, wrt=call.places)
    wanted = _inner(moves, backward(tuple(seeds)))
    _, bars_dot = jvp(gradient, args, tuple(tangents))
    forward = _inner(seeds, bars_dot)
    if not _close(forward, wanted):
        return f"forward over reverse: {forward}, reverse over reverse: {wanted}"

    names = [*call.values, *weights]
    moved = [f"move{k}" if move is not None else "None" for k, move in enumerate(tangents)]
    extra = [name for name in moved if name != "None"]
    along = call.program(
        f"    return jvp(program, ({', '.join(names)},), ({', '.join(moved)},))[1]",
        (*weights, *extra),
        {"jvp": jvp, "program": program},
    )
    twice = _inner(seeds, grad(along, call.places)(*args, *moves))
    if not _close(twice, wanted):
        return f"reverse over forward: {twice}, reverse over reverse: {wanted}"
    return ""


def check_third_order(call: Call, slope: Callable[..., float]) -> str:
    """Compare third derivatives with differences of second ones.

    Args:
        call: the call.
        slope: gives the derivative of a function along a direction of one argument,
            by differences.

    Returns:
        What differs, with the numbers; an empty string if nothing does.
    """
    body, weights = call.weighted()
    rng = np.random.default_rng(4)
    args = (*call.values.values(), *weights.values())
    moves = [_like(args[k], rng) for k in call.places]
    gradient = grad(call.program(body, tuple(weights)), call.places)

    names = ", ".join((*call.values, *weights))
    terms = [f"np.sum(move{k} * bars[{k}])" for k in range(len(moves))]
    total = " + ".join(terms)
    if any(np.iscomplexobj(move) for move in moves):
        total = f"np.real({total})"
    along = call.program(
        f"    bars = gradient({names})\n    return {total}",
        tuple(weights),
        {"gradient": gradient} | {f"move{k}": move for k, move in enumerate(moves)},
    )
    second = grad(along, call.places)
    bars, backward = vjp(second, *args, wrt=call.places)
    seeds = tuple(_like(bar, rng) for bar in bars)
    for place, name, third in zip(call.places, call.names, backward(seeds), strict=True):
        direction = _like(args[place], rng)
        wanted = slope(lambda *moved: _inner(seeds, second(*moved)), args, place, direction)
        found = _inner([third], [direction])
        if not abs(found - wanted) <= 2e-6 + 2e-5 * max(abs(found), abs(wanted)):
            return f"third derivative in {name}: {found}, by differences: {wanted}"
    return ""


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= _ATOL + _RTOL * max(abs(a), abs(b)) or (np.isnan(a) and np.isnan(b))


def _like(x: Any, rng: np.random.Generator) -> Any:
    made = rng.normal(size=np.shape(x))
    if np.iscomplexobj(x):
        made = made + 1j * rng.normal(size=np.shape(x))
    return made if isinstance(x, np.ndarray) else np.asarray(made).item()


def _inner(left: Any, right: Any) -> float:
    pairs = zip(left, right, strict=True)
    return float(sum(np.real(np.sum(np.asarray(a) * np.asarray(b))) for a, b in pairs))
