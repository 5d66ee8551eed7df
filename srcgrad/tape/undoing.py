"""Undoing what functions write in calls that the program has not asked for.

The result of a solver is differentiated by calling its function a few times more. What it
counts, collects or draws is put back afterwards, as far as it is written in recorded functions.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import random
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.program.namespaces import MISSING, held_by, read_name
from srcgrad.tape.memory import write
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session


class Names:
    """What names outside of functions stand for: closures', and globals that are assigned to.

    Args:
        session: what is recorded.
        functions: the functions.
    """

    def __init__(self, session: Session, functions: Iterable[Any]) -> None:
        self.cells: dict[int, tuple[Any, Any]] = {}
        self.globals = [
            (space, name, space.get(name)) for space, names in session.namespaces for name in names
        ]
        waiting = list(functions)
        while waiting:
            part = waiting.pop()
            waiting += [part.func] if isinstance(part, functools.partial) else []
            for cell in getattr(part, "__closure__", None) or ():
                if id(cell) not in self.cells:
                    content = read_name(cell, "")
                    self.cells[id(cell)] = cell, content
                    if isinstance(content, types.FunctionType | functools.partial):
                        waiting.append(content)

    def changed(self) -> Iterator[Any]:
        """Go through what names stand for now and did not before."""
        for cell, content in self.cells.values():
            now = read_name(cell, "")
            if now is not content and now is not MISSING:
                yield now
        for space, name, value in self.globals:
            if space.get(name) is not value:
                yield space.get(name)

    def restore(self) -> None:
        """Let the names stand for what they stood for."""
        for cell, content in self.cells.values():
            if content is not MISSING:
                cell.cell_contents = content
        for space, name, value in self.globals:
            if name in space:
                space[name] = value


class Undo:
    """What was there before functions wrote; those that write tell it before.

    Args:
        session: what is recorded.
        functions: the functions.
    """

    def __init__(self, session: Session, functions: Iterable[Any]) -> None:
        self.session = session
        self.names = Names(session, functions)
        self.known: dict[Any, Any] = {}  # what it was told of
        self.steps: list[Callable[[], Any]] = []

    def array(self, target: Any, key: Any) -> None:
        """Keep what is in a part of an array."""
        before = HELPERS["call"](np.copy, HELPERS["item"](target, key))
        self.steps.append(functools.partial(write, self.session, target, key, before))

    def attribute(self, holder: Any, name: str) -> None:
        """Keep an attribute of an object or a class; the setter of a property tells by itself."""
        if self._is_known((id(holder), name), holder):
            return
        put: Callable[[Any], Any]
        drop: Any
        place = inspect.getattr_static(type(holder), name, None)
        if isinstance(holder, type):
            before = held_by(holder).get(name, MISSING)
            put, drop = functools.partial(setattr, holder, name), (delattr, holder, name)
        elif isinstance(place, types.MemberDescriptorType):
            try:
                before = place.__get__(holder)
            except AttributeError:
                before = MISSING
            put, drop = functools.partial(place.__set__, holder), (place.__delete__, holder)
        elif hasattr(type(place), "__set__"):
            return
        else:
            held = held_by(holder)
            before = held.get(name, MISSING)
            put, drop = functools.partial(held.__setitem__, name), (held.pop, name, None)
        step = functools.partial(*drop) if before is MISSING else functools.partial(put, before)
        self.steps.append(step)

    def holder(self, holder: Any) -> None:
        """Keep what is in a container, or the state of what draws random numbers."""
        step: Callable[[], Any] | None = None
        if isinstance(holder, _CONTAINERS):
            step = functools.partial(_fill, holder, holder.copy())
        elif isinstance(holder, np.random.Generator):
            bits = holder.bit_generator
            step = functools.partial(setattr, bits, "state", bits.state)
        elif isinstance(holder, np.random.RandomState):
            step = functools.partial(holder.set_state, holder.get_state())
        elif isinstance(holder, random.Random):
            step = functools.partial(holder.setstate, holder.getstate())
        if step is not None and not self._is_known(id(holder), holder):
            self.steps.append(step)

    def _is_known(self, key: Any, thing: Any) -> bool:
        """Tell whether it was told of something before; the thing keeps its identity."""
        before = len(self.known)
        self.known.setdefault(key, thing)
        return len(self.known) == before

    def restore(self) -> None:
        """Put everything back, the last first."""
        for step in reversed(self.steps):
            with contextlib.suppress(AttributeError):  # the class may not let it go
                step()
        self.names.restore()


_CONTAINERS = (list, dict, set, collections.deque)


def _fill(holder: Any, before: Any) -> None:
    """Put back what was in a container."""
    holder.clear()
    (holder.extend if hasattr(holder, "extend") else holder.update)(before)


@contextlib.contextmanager
def undone(session: Session, functions: Iterable[Any]) -> Iterator[None]:
    """Undo at the end what functions write meanwhile.

    Args:
        session: what is recorded.
        functions: those that are called; closures of theirs may have other names.
    """
    outer, session.undo = session.undo, Undo(session, functions)
    try:
        yield
    finally:
        undo, session.undo = session.undo, None
        try:
            undo.restore()
        finally:
            session.undo = outer
