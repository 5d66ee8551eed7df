"""How many axes a result has where NumPy cannot be asked.

The lengths that a call is tried with do not fit: 5 elements are no ``(4, 2)``, and a list of
three places is no list of five. What such a call gives is known from its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir.nodes import Const, Items, Known, Value, Var
from srcgrad.ir.types import INTEGER, Dim, Type
from srcgrad.library.tables import entry

if TYPE_CHECKING:
    from srcgrad.analysis.shapes.lengths import Lengths

_NONE = Const(None)


def with_axes(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: dict[str, Value], known: Any
) -> Any:
    """Return the type of a call's result with as many axes as it has.

    Returns:
        That type; ``known`` itself where it tells as much, or nothing more can be told.
    """
    if args and not options and _is_always(fn):
        return _always(fn, args)
    if (
        not args
        or not isinstance(known, Type)
        or known.kind != "numeric"
        or isinstance(known.shape, tuple)
    ):
        return known
    if fn in (np.reshape, np.broadcast_to):
        given = options.get("shape", args[1] if len(args) > 1 else _NONE)
        shape, array = shape_of(lengths, given), args[0]  # pyright: ignore[reportGeneralTypeIssues]
    else:
        place, rank = _rule(fn)
        if place is None or place >= len(args):
            return known
        array = args[place]
        axes = rank(array.type.ndim if isinstance(array, Var) else None, options)
        shape = None if axes is None else (None,) * axes
    if shape is None or not isinstance(array, Var) or array.type.kind != "array":
        return known
    kept = known.dtype == "?" and fn not in _PROMOTING and not hasattr(fn, "__self__")
    return Type("array", shape, array.type.dtype if kept else known.dtype)


def shape_of(lengths: Lengths, given: Value) -> tuple[Dim, ...] | None:
    """Return the shape that a number, a tuple or a shape says, as far as it is known."""
    if isinstance(given, Var) and given.type.kind == "shape":
        known = lengths.resolve(given.type.shape)
        return known if isinstance(known, tuple) else None
    if isinstance(given, Known):
        entries: Any = given.object if isinstance(given.object, tuple) else (given.object,)
    else:
        entries = given.items if isinstance(given, Items) else (given,)
    found: list[Dim] = []
    for part in entries:
        length = part.value if isinstance(part, Const) else part
        if isinstance(length, Var) and length.type == INTEGER:
            named = lengths.whole(length)
            certain = lengths.at_least(named, 0)  # and not the -1 that is what is left
            found.append(lengths.total([(named, 1)]) if certain else None)
        elif isinstance(length, int):
            found.append(length if length >= 0 else None)
        else:
            return None
    return tuple(found)


def _same(rank: int | None, options: dict[str, Value]) -> int | None:
    return rank


def _one(rank: int | None, options: dict[str, Value]) -> int | None:
    return 1


def _along(rank: int | None, options: dict[str, Value]) -> int | None:
    """As many as the array has along an axis, one where it is flattened."""
    return 1 if options.get("axis", _NONE) == _NONE else rank


# by function, which argument is the array, and how many axes the result has
_RULES: dict[Any, tuple[int, Callable[[int | None, dict[str, Value]], int | None]]] = {
    np.insert: (0, _along),
    np.delete: (0, _along),
    np.repeat: (0, _along),
    np.unique: (0, _along),
    np.compress: (1, _along),
    np.extract: (1, _one),
    np.bincount: (1, _one),
    np.diff: (0, _same),
    np.clip: (0, _same),
}
# how many axes there are whatever the arguments are, and of which kind the numbers are; of that
# of the arguments where it is ""
_ALWAYS = {
    np.flatnonzero: (1, "i"),
    np.argwhere: (2, "i"),
    np.intersect1d: (1, ""),
    np.setdiff1d: (1, ""),
    np.setxor1d: (1, ""),
    np.union1d: (1, ""),
}
_PROMOTING = (np.bincount, np.diff, np.clip)  # the result's numbers may be of another kind


def _is_always(fn: Any) -> bool:
    try:
        return fn in _ALWAYS or fn is np.nonzero
    except TypeError:  # an object without a hash
        return False


def _always(fn: Any, args: tuple[Value, ...]) -> Any:
    """Return the type of a result that has as many axes whatever the lengths are."""
    types = [a.type for a in args if isinstance(a, Var)]
    if fn is np.nonzero:  # places along each axis
        places = Type("array", (None,), "i")
        count = types[0].ndim if types and types[0].kind == "array" else None
        return (places,) * count if count else Type("numeric")
    rank, dtype = _ALWAYS[fn]
    if fn is np.setdiff1d and isinstance(args[0], Var):
        return Type("array", (None,), args[0].type.dtype)  # some of the first
    kinds = {t.dtype for t in types}
    own = kinds.pop() if len(types) == len(args) and len(kinds) == 1 else "?"
    return Type("array", (None,) * rank, dtype or own)


def _rule(fn: Any) -> tuple[int | None, Callable[[int | None, dict[str, Value]], int | None]]:
    if getattr(fn, "__name__", "") == "reduceat" and isinstance(fn.__self__, np.ufunc):
        return 0, _same
    return entry(_RULES, fn) or (None, _same)
