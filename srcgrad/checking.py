"""Comparing derivatives with finite differences."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.calling.api import _wrt, grad, value_and_grad, vjp
from srcgrad.calling.transformed import Transform
from srcgrad.errors import CheckFailedError

_STEP = 6e-6  # about the cube root of the rounding error, the best for central differences


def check(
    f: Callable[..., Any],
    *args: Any,
    wrt: Any = 0,
    order: int = 2,
    rtol: float = 1e-5,
    recorded: str | None = None,
):
    """Compare the derivatives of a function with central differences.

    Order 1 compares ``vjp`` with differences of the function along random
    directions, for a real scalar result ``grad`` and ``value_and_grad`` too;
    order 2 compares the derivative of the gradient with differences of the
    gradient.

    Args:
        f: the function.
        *args: the arguments at which to compare.
        wrt: what to differentiate with respect to; see ``grad``.
        order: 1, or 2 for second derivatives as well (scalar results only).
        rtol: the relative error that is tolerated.
        recorded: ``"warn"``, ``"allow"`` or ``"refuse"``; see ``grad``.

    Raises:
        CheckFailedError: with a table of what was compared.

    Example:
        >>> import numpy as np
        >>> from srcgrad import check
        >>> check(lambda x: np.sum(np.sin(x) * x), np.array([0.1, 0.2]))
    """
    rng = np.random.default_rng(0)
    wrt = _wrt(f, wrt)
    transform = Transform(f, "vjp", wrt, recorded=recorded)
    primal = functools.partial(_on_copies, f)
    shift = len(transform.bound)
    places = [transform.names.index(n.split(".")[0]) - shift for n in transform.wanted]
    names = tuple(transform.wanted)
    positions = tuple(places)
    rows: list[tuple[str, str, float, float]] = []
    value, backward = vjp(f, *copy.deepcopy(args), wrt=positions, recorded=recorded)
    seed = _direction(value, rng)
    bars = backward(seed)
    for name, place, bar in zip(names, positions, bars, strict=True):
        direction = _direction(args[place], rng)

        def along(t: float, place: int = place, direction: Any = direction) -> float:
            moved = list(args)
            moved[place] = _moved(args[place], t, direction)
            return _inner(seed, primal(*moved))

        rows.append((f"vjp, {name}", "1", _inner(bar, direction), _slope(along, args[place])))
    if _is_scalar(value) and not np.iscomplexobj(value):
        gradients = grad(f, positions, recorded=recorded)(*copy.deepcopy(args))
        both = value_and_grad(f, positions, recorded=recorded)(*copy.deepcopy(args))
        for name, place, g, h, bar in zip(names, positions, gradients, both[1], bars, strict=True):
            direction = _direction(args[place], rng)
            expected = _inner(bar, direction) / float(np.real(seed))
            rows.append((f"grad, {name}", "1", _inner(g, direction), expected))
            rows.append((f"value_and_grad, {name}", "1", _inner(h, direction), expected))
        rows.append(("value", "0", float(both[0]), float(value)))
        if order >= 2:
            rows += _second(grad(f, positions, recorded=recorded), args, names, positions, rng)
    bad = [r for r in rows if not abs(r[2] - r[3]) <= rtol * max(1.0, abs(r[2]), abs(r[3]))]
    if bad:
        raise CheckFailedError(
            f"{len(bad)} of {len(rows)} derivatives of {transform.plain.__name__} are wrong\n"
            + _table(rows, bad),
            why="Each row compares a directional derivative with central differences.",
            fixes=[
                "look for a kink or a jump at these arguments",
                "check the formulas that you registered",
            ],
        )


def _second(first, args, names, positions, rng) -> list[tuple[str, str, float, float]]:
    rows = []
    for name, place in zip(names, positions, strict=True):
        gradients, backward = vjp(first, *copy.deepcopy(args), wrt=positions)
        seeds = tuple(_direction(g, rng) for g in gradients)
        bars = backward(seeds)
        direction = _direction(args[place], rng)
        bar = bars[positions.index(place)]

        def along(t: float, place: int = place, direction: Any = direction, seeds=seeds) -> float:
            moved = list(args)
            moved[place] = _moved(args[place], t, direction)
            return sum(_inner(s, g) for s, g in zip(seeds, _on_copies(first, *moved), strict=True))

        rows.append(
            (f"vjp of grad, {name}", "2", _inner(bar, direction), _slope(along, args[place]))
        )
    return rows


def _on_copies(f: Callable[..., Any], *args: Any) -> Any:
    """Call a function that may write into its arguments."""
    return f(*copy.deepcopy(args))


def _is_scalar(value: Any) -> bool:
    return _parts(value) is None and np.ndim(value) == 0


def _parts(tree: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The parts of a tree, and what puts others together; None for a leaf."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(tree), lambda parts: type(tree)(*parts)
    if isinstance(tree, tuple | list):
        return list(tree), type(tree)
    if isinstance(tree, dict):
        return list(tree.values()), lambda parts: dict(zip(tree, parts, strict=True))
    code = (type, types.FunctionType, types.ModuleType, np.ufunc)
    if isinstance(tree, code) or not hasattr(tree, "__dict__"):
        return None

    def put_together(parts: list[Any]) -> Any:
        made = copy.copy(tree)
        for name, part in zip(vars(tree), parts, strict=True):
            object.__setattr__(made, name, part)
        return made

    return list(vars(tree).values()), put_together


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, float | complex) or getattr(leaf, "dtype", np.dtype(int)).kind in "fc"


def _direction(value: Any, rng: np.random.Generator) -> Any:
    """A random direction in the structure of a value; None beside what is no such number."""
    known = _parts(value)
    if known is not None:
        return known[1]([_direction(part, rng) for part in known[0]])
    if not _is_float(value):
        return None
    shape = np.shape(value)
    made = rng.normal(size=shape)
    if np.iscomplexobj(value):
        made = made + 1j * rng.normal(size=shape)
    return made if shape else np.asarray(made).item()


def _moved(value: Any, t: float, direction: Any) -> Any:
    """A value moved along a direction."""
    known, along = _parts(value), _parts(direction)
    if known is not None and along is not None:
        rows = zip(known[0], along[0], strict=True)
        return known[1]([_moved(part, t, step) for part, step in rows])
    return value if direction is None else value + t * direction


def _leaves(tree: Any) -> list[Any]:
    known = _parts(tree)
    return [tree] if known is None else [leaf for part in known[0] for leaf in _leaves(part)]


def _inner(a: Any, b: Any) -> float:
    """The real inner product of two trees; a part that is None in one of them counts nothing."""
    if a is None or b is None:
        return 0.0
    known, other = _parts(a), _parts(b)
    if known is not None and other is not None:
        return sum(_inner(x, y) for x, y in zip(known[0], other[0], strict=True))
    return float(np.real(np.sum(np.asarray(a) * np.asarray(b))))


def _slope(along: Callable[[float], float], at: Any) -> float:
    sizes = [float(np.max(np.abs(x), initial=0.0)) for x in _leaves(at) if _is_float(x)]
    step = _STEP * max(1.0, *sizes)
    return (along(step) - along(-step)) / (2 * step)


def _table(rows: list[Any], bad: list[Any]) -> str:
    width = max(len(r[0]) for r in rows)
    lines = [f"  {'derivative':<{width}}  order      srcgrad    differences"]
    for row in rows:
        mark = "  <-- wrong" if row in bad else ""
        lines.append(f"  {row[0]:<{width}}  {row[1]:>5}  {row[2]:>11.6g}  {row[3]:>13.6g}{mark}")
    return "\n".join(lines)
