"""Checking a program given as text against central differences, call by call.

The text defines ``f``, ``args1()``, ``args2()`` and perhaps ``change2()``: the arguments of two
calls, and what happens between them. Each evaluation has a module of its own, so that state
that an evaluation leaves behind is not there at the next one; for the second call, the first
one is made before. What the program leaves behind, in its arguments and its names, has to be
the same after a derivative as after the program itself.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import linecache
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from srcgrad import hvp, jacobian, jvp, tape, value_and_grad, vjp
from tests.fuzz.isolated import picture, require_equal

_STEP, _STEP_2 = 1e-4, 1e-3
_OWN = ("args1", "args2", "change2", "f")
_numbers = itertools.count(1)
PREFACE = """import abc, array, bisect, collections, contextlib, copy, dataclasses, enum, functools
import heapq, io, itertools, math, operator, random, threading, types, typing, unittest, weakref
import numpy as np
from srcgrad import checkpoint, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
"""


class Reference(NamedTuple):
    """What is known of one call: its value, what it leaves behind, and its derivatives."""

    value: Any
    behind: dict[str, Any]
    slopes: np.ndarray
    first: Any


@contextlib.contextmanager
def module(source: str) -> Iterator[dict[str, Any]]:
    """Give the names of a module made of a text."""
    number = next(_numbers)
    filename = f"<unusual {number}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    made = types.ModuleType(f"unusual_{number}")
    sys.modules[made.__name__] = made
    random.seed(11)
    np.random.seed(11)  # noqa: NPY002 - programs draw from it
    try:
        exec(compile(source, filename, "exec"), vars(made))
        yield vars(made)
    finally:
        linecache.cache.pop(filename, None)
        del sys.modules[made.__name__]


def _before(space: dict[str, Any], call: int) -> tuple[Any, ...]:
    """Do what comes before a call, and return its arguments."""
    if call:
        space["f"](*space["args1"]())
        space.get("change2", lambda: None)()
    return space[f"args{call + 1}"]()


def _flat(value: Any) -> np.ndarray:
    """The numbers of an array, or of nested lists, tuples and dicts of some."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, list | tuple):
        return np.concatenate([_flat(part) for part in value] or [np.zeros(0)])
    return np.asarray(value, float).ravel()


def _evaluated(source: str, call: int, shift: np.ndarray) -> np.ndarray:
    """What a call gives where its first argument is a little different."""
    with module(source) as space:
        first, *others = _before(space, call)
        if isinstance(first, np.ndarray):
            first = first.astype(float) if first.dtype == np.float32 else first
            first += shift.reshape(first.shape)  # in place: what shares its memory moves too
        else:
            first = first + float(shift[0])
        return _flat(space["f"](first, *others))


def _left(space: dict[str, Any], given: Any) -> dict[str, Any]:
    seen: dict[int, Any] = {}
    kept = {k: v for k, v in space.items() if not k.startswith("__") and k not in _OWN}
    legacy = np.random.get_state(legacy=False)  # noqa: NPY002 - programs draw from it
    draws = {"random": random.getstate(), "np.random": legacy}
    return {k: picture(v, seen) for k, v in {**kept, **draws, "arguments": given}.items()}


def _extrapolated(difference: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    return (4 * difference(step) - difference(2 * step)) / 3


def reference(source: str, call: int) -> Reference:
    """Return what the program itself says about a call: slopes have an axis for the argument."""
    with module(source) as space:
        given = _before(space, call)
        first = copy.deepcopy(given[0])
        value = copy.deepcopy(space["f"](*given))
        behind = _left(space, given)

    def along(unit: np.ndarray, h: float) -> np.ndarray:
        return (_evaluated(source, call, h * unit) - _evaluated(source, call, -h * unit)) / (2 * h)

    units = np.eye(np.size(first))
    slopes = [_extrapolated(functools.partial(along, unit), _STEP) for unit in units]
    return Reference(value, behind, np.array(slopes), first)


def _curvature(source: str, call: int, direction: np.ndarray) -> np.ndarray:
    """The product of the Hessian with a direction."""

    def mixed(unit: np.ndarray, h: float) -> np.ndarray:
        def at(one: float, other: float) -> np.ndarray:
            return _evaluated(source, call, one * direction + other * unit)

        return (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h)

    units = np.eye(direction.size)
    return np.array([_extrapolated(functools.partial(mixed, u), _STEP_2)[0] for u in units])


def _direction(known: Reference) -> np.ndarray:
    return np.cos(np.arange(1, np.size(known.first) + 1))


def _like(value: Any, numbers: Iterator[float]) -> Any:
    """A tree like a value, with other numbers in it."""
    if isinstance(value, dict):
        return {key: _like(value[key], numbers) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return type(value)([_like(part, numbers) for part in value])
    if np.ndim(value) == 0:
        return next(numbers)
    return np.array([next(numbers) for _ in range(np.size(value))]).reshape(np.shape(value))


def _given(known: Reference) -> Any:
    direction = _direction(known)
    if not isinstance(known.first, np.ndarray):
        return float(direction[0])
    return direction.reshape(known.first.shape).astype(known.first.dtype)


def modes_of(known: Reference) -> list[str]:
    """The ways to take derivatives of what a program gives."""
    if isinstance(known.value, list | tuple | dict):
        return ["vjp", "again", "jvp", "tape"]
    whole = ["vjp", "again", "jvp", "jacobian", "tape"]
    return ["gradient", "speed", "hvp", *whole] if np.ndim(known.value) == 0 else whole


def derivative(mode: str, f: Any, given: Any, known: Reference) -> tuple[Any, Any]:
    """Return the value, or None, and what a mode gives."""
    if mode in ("gradient", "speed"):
        optimize = "speed" if mode == "speed" else "readable"
        return value_and_grad(f, recorded="allow", optimize=optimize)(*given)
    if mode == "hvp":
        return None, hvp(f, recorded="allow")(*given, _given(known))
    if mode == "jacobian":
        return None, jacobian(f, recorded="allow")(*given)
    if mode == "jvp":
        dots = (_given(known), *[None] * (len(given) - 1))
        return jvp(f, given, dots, recorded="allow")
    how = tape.vjp if mode == "tape" else functools.partial(vjp, recorded="allow")
    value, backward = how(f, *given)
    cotangents = [
        _like(known.value, iter(np.sin(np.arange(1.0, 99.0)) + 0.3))
        for _ in range(2 if mode == "again" else 1)
    ]
    if mode == "again":  # what a first call gave is the caller's own, to do with as he likes
        used = backward(cotangents.pop())
        if isinstance(used, np.ndarray) and used.ndim:
            used[...] = np.nan
    return value, backward(cotangents.pop())


def expected(mode: str, source: str, call: int, known: Reference) -> np.ndarray:
    """Return what a mode has to give, by differences."""
    slopes = known.slopes
    if mode in ("gradient", "speed"):
        return slopes[:, 0]
    if mode == "hvp":
        return _curvature(source, call, _direction(known))
    if mode == "jacobian":
        return slopes.T.ravel()
    if mode == "jvp":
        return _direction(known) @ slopes
    return slopes @ (np.sin(np.arange(1.0, slopes.shape[1] + 1)) + 0.3)


def check(source: str, mode: str) -> None:
    """Compare the derivatives of both calls, their values, and what they leave behind.

    Args:
        source: the text of the program.
        mode: one of those that ``modes_of`` gives.
    """
    with np.errstate(all="ignore"):
        known = [reference(source, call) for call in range(2)]
        with module(source) as space:
            for call, wanted in enumerate(known):
                if call:
                    space.get("change2", lambda: None)()
                given = space[f"args{call + 1}"]()
                value, found = derivative(mode, space["f"], given, wanted)
                narrow = getattr(wanted.first, "dtype", None) == np.float32
                rounding = 2e-3 if narrow or mode == "hvp" else 2e-5
                right = expected(mode, source, call, wanted)
                scale = max(1.0, np.max(np.abs(right), initial=0.0))
                np.testing.assert_allclose(_flat(found), right, rounding, rounding * scale)
                if mode not in ("jvp", "jacobian"):
                    assert np.shape(found) == np.shape(wanted.first)
                if value is not None:
                    near = 1e-4 if narrow else 1e-9
                    np.testing.assert_allclose(_flat(value), _flat(wanted.value), near, near)
                behind = _left(space, given)
                require_equal(mode, behind, wanted.behind, 1e-4 if narrow else 1e-9)
