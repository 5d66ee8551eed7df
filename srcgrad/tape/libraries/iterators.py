"""Iterators of NumPy's over the entries of arrays, which are views of their memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.calls import SPECIAL, call
from srcgrad.tape.errors import lost
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import memory_of, seen, view, viewed, write
from srcgrad.tape.operators import get_item
from srcgrad.tape.recording import Box, raw, unboxed
from srcgrad.tape.session import Session


class Iteration:
    """What ``np.nditer`` gives: the order is NumPy's, and each entry is a view of its array.

    Args:
        session: what is recorded.
        plain: NumPy's iterator.
    """

    __class__ = property(lambda self: np.nditer)  # type: ignore[assignment]

    def __init__(self, session: Session, plain: Any) -> None:
        self.plain = plain
        self.session = session
        self.memories = []
        for array in plain.operands:
            memory = memory_of(session, array)
            if not memory.written:
                memory.start(session)
            self.memories.append(memory)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    @property
    def operands(self) -> Any:
        """The arrays."""
        return tuple(map(seen, self.plain.operands))

    @property
    def value(self) -> Any:
        """The entries of the arrays at this place."""
        found = tuple(self[k] for k in range(len(self)))
        return found[0] if len(found) == 1 else found

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, k: int) -> Any:
        part = self.plain[k]
        if not np.may_share_memory(part, self.plain.operands[k]):
            raise lost("copied by np.nditer")
        return view(part, self.memories[k])

    def __setitem__(self, k: int, value: Any) -> None:
        write(self.session, self[k], ..., value)

    def __iter__(self) -> Any:
        for _ in self.plain:
            yield self.value

    def __next__(self) -> Any:
        next(self.plain)
        return self.value

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.plain.close()

    def copy(self) -> Any:
        """Return another iterator in the same state."""
        return Iteration(self.session, self.plain.copy())


def nditer(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Do what ``np.nditer`` does."""
    first, *rest = args or (options.pop("op"),)
    several = isinstance(first, tuple | list)
    given = [_in_memory(session, part) for part in (first if several else (first,))]
    return Iteration(session, fn(given if several else given[0], *rest, **options))


def _in_memory(session: Session, part: Any) -> Any:
    """Return an array whose memory holds what is differentiated in a value."""
    part = seen(part)
    part = call(np.asarray, part) if has_box(part) else part
    return raw(viewed(session, part, lambda array: array)) if type(part) is Box else part


class Broadcast:
    """What ``np.broadcast`` gives.

    Args:
        plain: NumPy's iterator.
        parts: the arrays, or their boxes.
    """

    __class__ = property(lambda self: np.broadcast)  # type: ignore[assignment]

    def __init__(self, plain: Any, parts: Any) -> None:
        self.plain = plain
        self.parts = [call(np.broadcast_to, part, plain.shape) for part in parts]

    def __getattr__(self, name: str) -> Any:
        if name == "iters":
            raise lost("gone through by .iters")
        return getattr(self.plain, name)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        number = self.plain.index
        next(self.plain)
        place = np.unravel_index(number, self.plain.shape)
        return tuple(get_item(part, place) for part in self.parts)


def broadcast(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Do what ``np.broadcast`` does."""
    return Broadcast(fn(*unboxed(args), **options), args)


SPECIAL[np.nditer] = nditer
SPECIAL[np.broadcast] = broadcast

__all__ = ["Broadcast", "Iteration"]
