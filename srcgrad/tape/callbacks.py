"""What functions that a solver calls hold outside of themselves, and may change.

A solver's result is differentiated by calling its function a few times more. The program has
not asked for these calls, so what they count or collect is as before them afterwards.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import srcgrad.tape.rewriting as rewriting
from srcgrad.program.namespaces import MISSING, held_by, read_name
from srcgrad.tape.recording import Box
from srcgrad.tape.session import Session

_MOST = 500
_NUMBERS = (int, float, complex, str, bytes, type(None), np.ndarray, np.generic, Box)
_CONTAINERS = (list, dict, set, collections.deque)


class Outside:
    """Names, attributes, and what is in lists, dicts and sets, that functions reach.

    Args:
        session: what is recorded.
        functions: the functions.

    Attributes:
        opaque: whether there is something among them that cannot be looked into, as a generator.
    """

    def __init__(self, session: Session, functions: Iterable[Any]) -> None:
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.attributes: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.containers: dict[int, tuple[Any, Any]] = {}
        self.names = [
            (space, name, space.get(name)) for space, names in session.namespaces for name in names
        ]
        self.opaque = False
        waiting = list(functions)
        while waiting and len(self.attributes) + len(self.containers) < _MOST:
            waiting += self._reached(waiting.pop())

    def _reached(self, part: Any) -> list[Any]:
        """Note what a thing holds, and return it."""
        if isinstance(part, functools.partial):
            return [part.func, *part.args, *part.keywords.values()]
        if isinstance(part, types.MethodType):
            return [part.__func__, part.__self__]
        if isinstance(part, _CONTAINERS) and rewriting.is_library(type(part)):
            if id(part) in self.containers:
                return []
            self.containers[id(part)] = part, part.copy()
            return list(part.values() if isinstance(part, dict) else part)[:_MOST]
        found: list[Any] = []
        if isinstance(part, types.FunctionType):
            for cell in part.__closure__ or ():
                if id(cell) not in self.cells:
                    content = read_name(cell, "")
                    self.cells[id(cell)] = cell, content
                    found += [] if content is MISSING else [content]
        elif isinstance(part, tuple):
            return list(part)
        elif isinstance(part, type | types.ModuleType | types.BuiltinFunctionType | np.ufunc):
            return []
        elif rewriting.is_library(type(part)):
            self.opaque = self.opaque or not isinstance(part, _NUMBERS)
            return []
        held = held_by(part)
        self.opaque = self.opaque or not hasattr(part, "__dict__") or not isinstance(held, dict)
        if id(part) not in self.attributes:
            self.attributes[id(part)] = held, dict(held)
            found += held.values()
        return found

    def changed(self) -> Iterator[Any]:
        """Go through what is held now and was not before."""
        for cell, content in self.cells.values():
            now = read_name(cell, "")
            if now is not content and now is not MISSING:
                yield now
        for space, name, value in self.names:
            if space.get(name) is not value:
                yield space.get(name)
        for now, held in self.attributes.values():
            yield from (part for name, part in now.items() if held.get(name, held) is not part)
        for container, before in self.containers.values():
            if not _is_same(container, before):
                yield container

    def restore(self) -> None:
        """Let all be as it was."""
        for cell, content in self.cells.values():
            if content is not MISSING:
                cell.cell_contents = content
        for space, name, value in self.names:
            if name in space:
                space[name] = value
        for now, held in self.attributes.values():
            if not _is_same(now, held):
                now.clear()
                now.update(held)
        for container, before in self.containers.values():
            if not _is_same(container, before):
                container.clear()
                (container.extend if hasattr(container, "extend") else container.update)(before)


def _is_same(now: Any, before: Any) -> bool:
    """Tell whether a container holds the same things."""
    if len(now) != len(before):
        return False
    if isinstance(now, dict):
        return all(before.get(name, before) is part for name, part in now.items())
    if isinstance(now, set):
        return {*map(id, now)} == {*map(id, before)}
    return all(map(lambda one, other: one is other, now, before))
