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
        finished: the tapes that ran, of which backward functions may be left.
        changed: the containers, objects and caches that recorded values were stored in.
        namespaces: the namespaces whose names recorded functions assign to, with the names.
        texts: what recorded values looked like when they were turned into text.
        swapped: the functions that run rewritten code meanwhile.
    """

    def __init__(self) -> None:
        self.tapes: list[Tape] = []
        self.finished: weakref.WeakSet[Tape] = weakref.WeakSet()
        self.memories: dict[int, Memory] = {}
        self.active = False
        self.captured: dict[int, Any] = {}
        self.changed: dict[int, Any] = {}
        self.namespaces: list[tuple[Any, Any]] = []
        self.texts: set[str] = set()
        self.swapped: dict[int, Any] = {}


class State(threading.local):
    """The session of the thread that asks; None where nothing is recorded."""

    session: Session | None = None


state = State()
