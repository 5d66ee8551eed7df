"""Looking at the arguments of programs that change what they were not given.

Such a program may write into an array from outside that is an argument as well. No text tells
that, and the derivative would be that of two arrays.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.library.libraries import is_of_library
from srcgrad.program.namespaces import held_by
from srcgrad.runtime.kept import fingerprint


def require_unchanged(run: Callable[..., Any], program: Any) -> Callable[..., Any]:
    """Return a generated function that refuses arguments which a program has from outside, too."""

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        arrays = [x for x in (*args, *options.values()) if issubclass(type(x), np.ndarray)]
        before = list(map(fingerprint, arrays))
        made = run(*args, **options)
        pairs = zip(arrays, before, strict=True)
        changed = [array for array, mark in pairs if fingerprint(array) != mark]
        if changed and any(np.may_share_memory(x, y) for x in changed for y in reached(program)):
            raise ArgumentError(
                f"an argument of {run.__name__} is written through another name",
                why="What the program writes from outside shares memory with it.",
                fixes=["pass a copy: x.copy()"],
            )
        return made

    return checked


def reached(program: Any) -> Iterator[np.ndarray]:
    """Yield the arrays that a program reaches by itself: through globals, cells and objects."""
    waiting, seen = [program], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            yield thing
        elif isinstance(thing, types.MethodType):
            waiting += [thing.__func__, thing.__self__]
        elif isinstance(thing, types.FunctionType):
            waiting += [thing.__globals__.get(name) for name in _names_in(thing.__code__)]
            waiting += [cell.cell_contents for cell in thing.__closure__ or () if cell != _EMPTY]
            waiting += thing.__defaults__ or ()
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing
        elif isinstance(thing, dict):
            waiting += thing.values()
        elif not is_of_library(thing) and not is_of_library(type(thing)):
            waiting += [*held_by(thing).values(), type(thing)]


_EMPTY = types.CellType()


def _names_in(code: types.CodeType) -> set[str]:
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*map(_names_in, inner))
