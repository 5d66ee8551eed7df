"""What is known while functions run on a tape, in each thread by itself."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.tape.memory import Memory
    from srcgrad.tape.recording import Tape

levels = itertools.count()


class Session:
    """The recordings of one thread, from the start of the outermost to its end.

    Attributes:
        tapes: those that run, outermost first.
        memories: the memory of arrays that was written to, or is an argument, by its owner.
        active: whether values that are differentiated were written into such memory.
        captured: the owners of the constant arrays that steps hold, by identity.
        constants: copies that stand for arrays as constants, and those, by identity.
        copies: the same of containers and objects, and what both held when the copy was made.
        finished: the tapes that ran, of which backward functions may be left.
        changed: the objects and caches that recorded values were stored in, by identity; they
            live as long as they would without a tape.
        containers: the same of what cannot be referred to weakly: lists and dicts.
        namespaces: the namespaces whose names recorded functions assign to, with the names.
        cells: the cells of recorded functions, which may hold recorded values, by identity.
        texts: what recorded values looked like when they were turned into text.
        swapped: the functions that run rewritten code meanwhile, which may end before.
        classes: the classes all of whose functions do, with what they held then.
        caches: for the caches among them what they told of themselves before, by identity.
        notes: how often something recorded was stored in what is noted.
        undo: what is told of each write, where it has to be undone; see ``undoing``.
    """

    def __init__(self) -> None:
        self.tapes: list[Tape] = []
        self.finished: weakref.WeakSet[Tape] = weakref.WeakSet()
        self.memories: dict[int, Memory] = {}
        self.active = False
        self.captured: dict[int, Any] = {}
        self.constants: dict[int, tuple[Any, Any]] = {}
        self.copies: dict[int, tuple[Any, Any, list[Any], list[Any]]] = {}
        self.changed: dict[int, weakref.ref[Any]] = {}
        self.containers: dict[int, Any] = {}
        self.namespaces: list[tuple[dict[str, Any], frozenset[str]]] = []
        self.cells: dict[int, tuple[Any, ...]] = {}
        self.texts: set[str] = set()
        self.swapped: dict[int, weakref.ref[Any]] = {}
        self.classes: dict[type, tuple[tuple[type, ...], list[tuple[type, list[Any]]]]] = {}
        self.caches: dict[int, Any] = {}
        self.notes = 0
        self.undo: Any = None

    def note(self, thing: Any) -> None:
        """Note what a recorded value was stored in."""
        self.notes += 1
        if type(thing) in weakref.ProxyTypes:  # it stores in another one, which it may outlive
            thing = thing.__repr__.__self__
        number = id(thing)
        known = self.changed.get(number)
        if known is not None and known() is thing:
            return
        try:
            self.changed[number] = weakref.ref(thing)
        except TypeError:
            self.containers[number] = thing

    def noted(self) -> list[Any]:
        """Return what recorded values were stored in, and what is still there."""
        there = (known() for known in self.changed.values())
        return [*self.containers.values(), *(thing for thing in there if thing is not None)]


class State(threading.local):
    """The session of the thread that asks; None where nothing is recorded."""

    session: Session | None = None


state = State()
