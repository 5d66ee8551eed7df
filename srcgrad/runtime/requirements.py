"""Checks of what only the values can tell."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def require_scalar(value: Any) -> None:
    """Refuse a value that is not one real number.

    Args:
        value: the result of a function whose gradient is asked for.

    Raises:
        TypeError: when it has more than one element, is complex, or is no number. This runs
            in saved modules too, which have no other errors than Python's.
    """
    if isinstance(value, str | bytes | bool | np.bool_):
        raise TypeError(f"the result is a {type(value).__name__}, which has no derivative")
    if np.ndim(value) != 0 or np.iscomplexobj(value):
        kind = f"of the shape {np.shape(value)}" if np.ndim(value) else "complex"
        raise TypeError(
            f"the result is {kind}; a gradient asks for one real number: sum it, index it, "
            "take its real part, or use vjp"
        )


def require_given(value: Any) -> None:
    """Refuse None where a number is returned.

    Args:
        value: the result of a function.

    Raises:
        TypeError: when it is None: what it was before a loop that may give it a value.

    Examples:
        >>> require_given(0.5)
    """
    if value is None:
        raise TypeError("the result is None, which has no derivative")


def require_separate(name: str, written: Any, **others: Any) -> None:
    """Refuse an argument that is written and shares memory with another one.

    Args:
        name: the parameter that is written, or how the part of one is read that is.
        written: its array.
        others: what else the function reads, by name: arrays, and what holds some. Where
            that is what ``written`` is a part of, it must hold it once.

    Raises:
        ValueError: when two of them share memory. This runs in saved modules too, which
            have no other errors than Python's.

    Examples:
        >>> x = np.zeros(3)
        >>> require_separate("x", x, y=x.copy())
    """
    whole = re.split(r"[.\[]", name)[0]
    for other, value in others.items():
        shared = sum(np.may_share_memory(written, array) for array in _arrays_in(value))
        if shared > (other == whole):
            way_out = f"{other}.copy()" if hasattr(value, "shape") else "a copy of one of them"
            raise ValueError(
                f"{name} is written in place and shares memory with {other}, which the "
                f"derivative was not generated for: pass {way_out}"
            )


def require_one_object(name: str, written: Any, **others: Any) -> None:
    """Refuse an object among the arguments that is written and is there twice.

    Args:
        name: how the function reads it: a parameter, or a part of one.
        written: the dict, list or object.
        others: the parameters that hold objects, its own among them.

    Raises:
        ValueError: when it is an argument, or a part of one, in two places.

    Examples:
        >>> p = {"w": 1.0}
        >>> require_one_object("p", p, p=p, q={"w": 1.0})
    """
    places = [other for other, value in others.items() for p in _parts(value) if p is written]
    if len(places) > 1:
        raise ValueError(
            f"{name} is written and also found in {places[-1]}, which the derivative was not "
            "generated for: pass a copy of one of them"
        )


def _arrays_in(value: Any) -> Iterator[Any]:
    """The arrays that a value is or holds."""
    return (part for part in _parts(value) if hasattr(part, "shape"))


def _parts(value: Any, depth: int = 8) -> Iterator[Any]:
    """A value and what it holds, as far down as arguments may be nested."""
    yield value
    if hasattr(value, "shape") or not depth:
        return
    held: Iterable[Any] = value if isinstance(value, tuple | list) else ()
    if isinstance(value, dict):
        held = value.values()
    elif hasattr(value, "__dict__") and not isinstance(value, type | types.ModuleType):
        held = vars(value).values()
    for part in held:
        yield from _parts(part, depth - 1)
