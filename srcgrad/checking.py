"""Comparing derivatives with finite differences."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.calling.api import grad, own_wrt, value_and_grad, vjp
from srcgrad.calling.arguments.local_names import LocalName, not_an_argument
from srcgrad.calling.options import Options
from srcgrad.calling.transformed import Transform
from srcgrad.errors import CheckFailedError
from srcgrad.late import late

_SMALLER = (1.0, 1e-1, 1e-2, 1e-3)  # of the step, where it disagrees
STEP = 6e-6  # about the cube root of the rounding error, the best for central differences


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
    directions, for a real scalar result ``grad`` and ``value_and_grad`` with ``vjp``;
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
        CheckFailedError: with a table of what was compared. For a real scalar result it names
            the first statement whose backward part gives a wrong cotangent: the cotangents
            of intermediate values are compared with differences, too. At a kink, whose
            slopes to both sides differ, each slope between them is right.

    Example:
        >>> import numpy as np
        >>> from srcgrad import check
        >>> check(lambda x: np.sum(np.sin(x) * x), np.array([0.1, 0.2]))
    """
    rng = np.random.default_rng(0)
    wrt = own_wrt(f, wrt)
    transform = Transform(f, "vjp", wrt, options=Options(recorded))
    primal = functools.partial(_on_copies, f)
    shift = len(transform.bound)
    inside = [name for name in transform.wanted if isinstance(name, LocalName)]
    if inside:
        raise not_an_argument(inside[0])
    places = [transform.names.index(n.split(".")[0]) - shift for n in transform.wanted]
    names = tuple(transform.wanted)
    positions = tuple(places)
    rows: list[Row] = []
    value, backward = vjp(f, *copy.deepcopy(args), wrt=positions, recorded=recorded)
    seed = _direction(value, rng)
    bars = backward(seed)
    for name, place, bar in zip(names, positions, bars, strict=True):
        direction = _direction(args[place], rng)

        def along(t: float, place: int = place, direction: Any = direction) -> float:
            moved = list(args)
            moved[place] = _moved(args[place], t, direction)
            return inner(seed, primal(*moved))

        rows.append(_compared(f"vjp, {name}", "1", inner(bar, direction), along, args[place], rtol))
    if _is_scalar(value) and not np.iscomplexobj(value):
        gradients = grad(f, positions, recorded=recorded)(*copy.deepcopy(args))
        both = value_and_grad(f, positions, recorded=recorded)(*copy.deepcopy(args))
        for name, place, g, h, bar in zip(names, positions, gradients, both[1], bars, strict=True):
            direction = _direction(args[place], rng)
            expected = inner(bar, direction) / float(np.real(seed))
            found = inner(g, direction), inner(h, direction)
            rows.append(Row(f"grad, {name}", "1", found[0], expected, "vjp"))
            rows.append(Row(f"value_and_grad, {name}", "1", found[1], expected, "vjp"))
        rows.append(Row("value", "0", float(both[0]), float(value), "vjp"))
        if order >= 2:
            gradient = grad(f, positions, recorded=recorded)
            rows += _second(gradient, args, names, positions, rng, rtol)
    bad = [row for row in rows if row.is_wrong(rtol)]
    if bad:
        blame = None
        if any(row.order == "1" for row in bad) and _is_scalar(value):
            blame = late("blame")(f, args, positions, rtol, recorded)
        raise _failed(transform.plain.__name__, rows, bad, blame)


@dataclass(frozen=True)
class Row:
    """A directional derivative, compared with another one."""

    name: str  # which derivative
    order: str  # of which order
    found: float  # what srcgrad gives
    expected: float  # what it is compared with
    # what that comes from: ``differences``, or another derivative of srcgrad's
    source: str = "differences"
    # where differences to the left and to the right differ, both
    sides: tuple[float, float] | None = None

    def is_wrong(self, rtol: float) -> bool:
        """Tell whether the two differ; at a kink any slope between those of its sides will do."""
        if agree(self.found, self.expected, rtol):
            return False
        if self.sides is None or self.sides[0] == float("inf"):
            return True
        low, high = sorted(self.sides)
        slack = 1e3 * rtol * max(1.0, abs(low), abs(high))
        return not low - slack <= self.found <= high + slack


def agree(found: float, expected: float, rtol: float) -> bool:
    """Tell whether two derivatives are the same, up to rounding."""
    return abs(found - expected) <= rtol * max(1.0, abs(found), abs(expected))


def _failed(name: str, rows: list[Row], bad: list[Row], blame: Any) -> CheckFailedError:
    """Return the error that shows what was compared, and the statement that is to blame."""
    compared = [row for row in rows if row.source == "differences"]
    text = (
        f"{len(compared)} of the {len(rows)} rows compare a directional derivative with central "
        "differences, at smaller and smaller steps; the others compare derivatives of srcgrad's."
    )
    why = [text]
    fixes = ["check the formulas that you registered"]
    if any(row.sides is not None for row in bad):
        why.append("At a kink or a jump there is no derivative to compare with.")
        fixes.insert(0, "check at other arguments")
    spots: tuple[Any, ...] = ()
    if blame is not None:
        why.insert(0, blame.why)
        spots, fixes = (blame.spot,), blame.fixes or fixes
    what = f"{len(bad)} of {len(rows)} derivatives of {name} are wrong\n{_table(rows, bad)}"
    return CheckFailedError(what, spots=spots, why="\n  ".join(why), fixes=fixes)


def _second(first, args, names, positions, rng, rtol) -> list[Row]:
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
            return sum(inner(s, g) for s, g in zip(seeds, _on_copies(first, *moved), strict=True))

        found = inner(bar, direction)
        rows.append(_compared(f"vjp of grad, {name}", "2", found, along, args[place], rtol))
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


def inner(a: Any, b: Any) -> float:
    """The real inner product of two trees; a part that is None in one of them counts nothing."""
    if a is None or b is None:
        return 0.0
    known, other = _parts(a), _parts(b)
    if known is not None and other is not None:
        return sum(inner(x, y) for x, y in zip(known[0], other[0], strict=True))
    return float(np.real(np.sum(np.asarray(a) * np.asarray(b))))


def slope_along(
    along: Callable[[float], float], at: Any, found: float, rtol: float
) -> tuple[float, tuple[float, float] | None]:
    """Return the slope of a function of a number at 0, by central differences.

    Where it is not the one that is expected, smaller steps are tried: there may be a kink
    between the ends of a longer one.

    Args:
        along: the function.
        at: the value that is moved, whose size the step is chosen by.
        found: the slope that is expected.
        rtol: the relative error that is tolerated.

    Returns:
        The slope, and those to the left and to the right where they differ: at a kink. At a
        jump the left one is infinite and the right one minus infinity, with nothing between.
    """
    sizes = [float(np.max(np.abs(x), initial=0.0)) for x in _leaves(at) if _is_float(x)]
    step = STEP * max(1.0, *sizes)
    slopes, sides, middle = [], [], None
    nowhere = (float("inf"), float("-inf"))
    for smaller in _SMALLER:
        right, left = along(step * smaller), along(-step * smaller)
        slopes.append((right - left) / (2 * step * smaller))
        if agree(found, slopes[-1], rtol):
            return slopes[-1], None
        middle = along(0.0) if middle is None else middle
        sides.append(((middle - left) / (step * smaller), (right - middle) / (step * smaller)))
    first, second = sides[0], sides[1]
    if any(abs(b) > 5 * abs(a) + rtol for a, b in zip(first, second, strict=True)):
        return slopes[0], nowhere  # the slope grows with smaller steps: a jump
    steady = all(agree(*pair, 1e-3) for pair in zip(first, second, strict=True))
    return slopes[0], first if steady and not agree(first[0], first[1], 1e-3) else None


def _compared(
    name: str, order: str, found: float, along: Callable[[float], float], at: Any, rtol: float
) -> Row:
    """Compare a derivative with differences."""
    expected, sides = slope_along(along, at, found, rtol)
    return Row(name, order, found, expected, sides=sides)


def _table(rows: list[Row], bad: list[Row]) -> str:
    width = max(len(row.name) for row in rows)
    lines = [f"  {'derivative':<{width}}  order      srcgrad     expected  from"]
    for row in rows:
        mark = "  <-- wrong" if row in bad else ""
        if row in bad and row.sides is not None:
            left, right = row.sides
            mark = f"  <-- a kink: {left:.4g} on the left, {right:.4g} on the right"
            mark = "  <-- a jump" if left == float("inf") else mark
        text = f"  {row.name:<{width}}  {row.order:>5}  {row.found:>11.6g}  {row.expected:>11.6g}"
        lines.append(f"{text}  {row.source}{mark}")
    return "\n".join(lines)
