"""What the user puts into the backward part, as steps of a tape."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.runtime.intercepting import backward_of, on_backward, replacement
from srcgrad.tape.calls import SPECIAL, call
from srcgrad.tape.memory import OfMemory, fresh, memory_of, put, seen
from srcgrad.tape.recording import Box, Entry, Walk, flat, mapped, raw
from srcgrad.tape.session import Session, state


class Interception(Entry):
    """A step back that lets a function of the user's have the cotangent of a number or a view.

    Attributes:
        fn: the function.
        index: the node whose cotangent it is.
        source: the node that is given what the function gives.
    """

    __slots__ = ("fn", "index", "source")
    once = True

    def __init__(self, fn: Any, index: int, source: int) -> None:
        self.fn, self.index, self.source = fn, index, source

    def back(self, walk: Walk) -> None:
        """Give the node the cotangent that the function gives."""
        bar = walk.bars[self.index]
        if bar is None:
            return
        walk.bars[self.index] = None
        walk.owned.discard(self.index)
        walk.add(
            self.source, bar if walk.transposed or walk.reading else _replaced(walk, self.fn, bar)
        )


class InterceptionOfMemory(OfMemory):
    """The same for an array of its own; what views of it that are read later contribute counts.

    Attributes:
        fn: the function.
    """

    __slots__ = ("fn",)
    once = True

    def __init__(self, fn: Any, memory: Any, array: Any) -> None:
        super().__init__(memory, array, ..., None)
        self.fn = fn

    def back(self, walk: Walk) -> None:
        """Put what the function gives into the shadow."""
        if self.memory in walk.shadows and not walk.transposed and not walk.reading:
            shadow = self.shadow(walk)
            new = _replaced(walk, self.fn, self.taken(shadow))
            put(shadow, ..., -new if self.turned else new)


def _replaced(walk: Walk, fn: Any, bar: Any) -> Any:
    """Return what a function makes of a cotangent, which it is given a copy of."""
    if isinstance(raw(bar), np.ndarray):
        bar = call(np.copy, bar)
    found = call(with_values(fn, walk.nested), bar)
    replacement(raw(found), raw(bar))
    return bar if found is None else found


def with_values(fn: Any, nested: bool) -> Any:
    """Return a function with the values of the names that it was given as defaults.

    Args:
        fn: the function.
        nested: whether these are values on an outer tape.
    """
    given = getattr(fn, "__defaults__", None)
    if type(fn) is not types.FunctionType or not any(type(part) is Box for part in flat(given)):
        return fn

    def value(part: Any) -> Any:
        if type(part) is not Box:
            return part
        return part.value if nested else part.array

    made = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, None, fn.__closure__)
    made.__defaults__ = mapped(value, given)
    return made


def _on_backward(session: Session, function: Any, args: Any, options: Any) -> Any:
    """Record that a function is to have a cotangent."""

    def record(value: Any, fn: Any) -> Any:
        return intercepted(seen(value), fn)

    return record(*args, **options)


def intercepted(value: Any, fn: Any) -> Any:
    """Record that a function is to have the cotangent of a value; return what stands for that."""
    session = state.session
    if session is None or type(value) is not Box:
        return value
    box = fresh(value)
    if type(box) is not Box or box.tape is None:
        return value
    if not isinstance(box.array, np.ndarray):
        made = Box(box.array, box.tape, box.tape.node(), box.value)
        box.tape.entries.append(Interception(fn, made.index, box.index))
        return made
    memory = memory_of(session, box)  # whoever reads it, or a view of it, from here on counts
    if memory.owner is not box.array and not memory.written:
        box.tape.entries.append(Interception(fn, box.index, box.index))
        return value
    if memory.owner is not box.array:
        raise ArgumentError(
            "the cotangent of a view of an array that was written to",
            why="What others read of that array would be part of it.",
            fixes=["make it an array of its own: h = h.copy()"],
        )
    if not memory.written:
        memory.start(session)
    box.tape.entries.append(InterceptionOfMemory(fn, memory, box.array))
    memory.version += 1
    return value


def as_now(value: Any) -> Any:
    """Return what a name stands for as it is now, for a function that is called later."""
    box = fresh(value) if type(value) is Box else value
    if type(box) is Box and isinstance(box.array, np.ndarray):
        return fresh(call(np.copy, box))
    return box


def _backward_of(session: Session, fn: Any, args: Any, options: Any) -> Any:
    raise ArgumentError(
        "backward_of is called by another name than that of the module, or not by with",
        why="What belongs to the backward part is found in the text of a function.",
        fixes=["import backward_of at the top of the module", "call on_backward"],
    )


SPECIAL |= {on_backward: _on_backward, backward_of: _backward_of}
HANDLERS = {"intercepted": intercepted, "as_now": as_now}
