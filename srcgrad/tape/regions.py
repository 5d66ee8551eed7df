"""A called function that is recorded, while its caller is generated code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.calling.recorded import Misfit
from srcgrad.errors import OverwrittenError
from srcgrad.runtime.kept import Kept
from srcgrad.tape.derivatives import End, Recording
from srcgrad.tape.recording import Box, Tape, raw
from srcgrad.tape.session import state


def recorded(
    f: Callable[..., Any], /, *args: Any, wrt: Any = 0, gives: Any = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run a called function on a tape, and return its value and its backward function.

    Generated code calls it for a function that no code could be generated for. The
    arrays among the arguments, and in tuples, lists and dicts among them, are copied, so that
    the caller may write into them before the backward function runs.

    Args:
        f: the function.
        *args: its arguments.
        wrt: position or name of the argument to differentiate with respect to, or a
            tuple of them.
        gives: the number of axes of the result, None where it is not known; a tuple of
            such where the function returns a tuple.
        **options: the arguments that are passed by name.

    Returns:
        ``(value, backward)``; ``backward`` takes the cotangent of the value, one for
        each part of a tuple, and returns the cotangents of the arguments.

    Raises:
        Misfit: when the result is not what the generated code was written for.
        OverwrittenError: by ``backward``, when an array that it needs was written since.

    Example:
        >>> from srcgrad.tape.regions import recorded
        >>> value, backward = recorded(lambda x, n: x**n, 3.0, 2, wrt=0)
        >>> float(value), float(backward(1.0))
        (9.0, 6.0)
    """
    own = tuple(map(_copied, args))
    named = {name: _copied(part) for name, part in options.items()}
    several = isinstance(wrt, tuple)
    given = {k: named[k] if isinstance(k, str) else own[k] for k in (wrt if several else (wrt,))}
    moving = tuple(k for k, part in given.items() if _is_inexact(part))
    if not moving:
        raise Misfit(f, None)
    recording = Recording(Tape(), f, own, named, moving)
    value = recording.run()
    ends = recording.ends
    memory = _arrays((*own, *named.values()))
    if isinstance(gives, tuple):
        fits = type(ends) is tuple and len(ends) == len(gives)
        fits = fits and all(_fits(*pair, memory) for pair in zip(ends, gives, strict=True))
        fits = fits and _apart(ends)
    else:
        fits = _fits(ends, gives, memory)
    if not fits:
        raise Misfit(f, _ranks(ends, memory))
    outside = [array for array in recording.outside if not any(array is held for held in memory)]
    kept = Kept(tuple(outside), ()) if outside and state.session is None else None

    def backward(*bars: Any) -> Any:
        if kept is not None and any(True for _ in kept.changed()):
            raise OverwrittenError(
                f"a value that {getattr(f, '__name__', 'a function')} has read was overwritten "
                "before the backward part",
                why="The function is recorded, and the derivative needs the value that it had.",
                fixes=["write into a copy", 'say recorded="refuse" to see what is recorded'],
            )
        parts = ends if isinstance(gives, tuple) else (ends,)
        seeds = tuple(_spread(bar, end.value) for bar, end in zip(bars, parts, strict=True))
        made = recording.back(seeds if isinstance(gives, tuple) else seeds[0])
        found = dict(zip(moving, made, strict=True))
        full = tuple(found[k] if k in found else _zero(part) for k, part in given.items())
        return full if several else full[0]

    return value, backward


def _is_inexact(part: Any) -> bool:
    """Tell whether an argument can move: sums may begin with a whole number, which does not."""
    number = raw(part)
    kind = number.dtype.kind if isinstance(number, np.ndarray | np.generic) else ""
    return isinstance(number, float | complex) or kind in ("f", "c")


def _zero(part: Any) -> Any:
    return np.zeros(np.shape(part)) if np.ndim(part) else 0.0


_DEPTH = 4  # how far into tuples, lists and dicts arrays are copied


def _copied(part: Any, depth: int = _DEPTH) -> Any:
    """Return an argument with arrays of its own, also inside of tuples, lists and dicts."""
    kind = type(part)
    if kind is np.ndarray:
        return part.copy()
    if not depth:
        return part
    if kind is tuple or kind is list:
        return kind(_copied(value, depth - 1) for value in part)
    if kind is dict:
        return {key: _copied(value, depth - 1) for key, value in part.items()}
    return part


def _arrays(part: Any, depth: int = _DEPTH + 1) -> list[Any]:
    """Return the arrays in arguments that were copied."""
    kind = type(part)
    if depth and kind in (tuple, list, dict):
        parts = part.values() if kind is dict else part
        return [array for value in parts for array in _arrays(value, depth - 1)]
    return [part] if isinstance(raw(part), np.ndarray) else []


def _rank(end: Any, memory: list[Any]) -> int | None:
    """Return the number of axes of a part of a result; None where generated code cannot take it.

    A constant array may be one that others hold and write into; so may one that shares the
    memory of an argument.
    """
    number = raw(end.value) if type(end) is End else None
    if isinstance(number, float | np.floating):
        return 0
    if type(number) is not np.ndarray or number.dtype.kind != "f" or end.node is None:
        return None
    if number.ndim == 0 or any(np.may_share_memory(number, raw(held)) for held in memory):
        return None
    return number.ndim


def _fits(end: Any, wanted: int | None, memory: list[Any]) -> bool:
    found = _rank(end, memory)
    return found is not None and wanted in (None, found)


def _apart(ends: tuple[Any, ...]) -> bool:
    """Tell whether no two parts of a result share memory."""
    arrays = [raw(end.value) for end in ends]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    rest = range(len(arrays))
    return not any(np.may_share_memory(arrays[j], arrays[k]) for k in rest for j in range(k))


def _ranks(ends: Any, memory: list[Any]) -> Any:
    """Return what ``gives`` has to be for a result; None where there is nothing that fits."""
    if type(ends) is not tuple:
        return _rank(ends, memory)
    found = tuple(_rank(end, memory) for end in ends)
    return None if None in found or not _apart(ends) else found


def _spread(bar: Any, value: Any) -> Any:
    """Return a cotangent in the shape of its value, which may be given as one number."""
    if bar is None or type(bar) is Box or np.shape(bar) == np.shape(raw(value)):
        return bar
    return np.broadcast_to(bar, np.shape(raw(value)))


__all__ = ["recorded"]
