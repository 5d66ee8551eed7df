"""States of a loop of which a few are kept, and the others computed again on the way back.

Which are kept is what the package ``checkpoint-schedules`` says. With ``s`` snapshots a loop
of ``(s + 1) * (s + 2) / 2`` steps is gone back through with each step computed twice more at
most, and that is the least there is (A. Griewank and A. Walther, Algorithm 799: revolve, ACM
Transactions on Mathematical Software 26, 2000).
"""

from __future__ import annotations

import math
import os
import pickle
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.runtime.generators import same_draws


class Snapshots:
    """Keeps some of the states that the steps of a loop begin with.

    Args:
        items: what the loop goes through.
        snapshots: how many states to keep in memory at a time; None for the least number
            with which no step is computed more than twice again.
        on_disk: how many to keep in files besides.

    Raises:
        ValueError: if nothing may be kept.
        ModuleNotFoundError: if the package ``checkpoint-schedules`` is not installed.

    Example:
        >>> states, x = Snapshots(range(4), 2), 1.0
        >>> for t in range(4):
        ...     states.keep(t, x)
        ...     x = x * 2.0
        >>> list(backwards(states, lambda t, x: (x * 2.0,)))
        [(3, 8.0), (2, 4.0), (1, 2.0), (0, 1.0)]
    """

    def __init__(
        self, items: Sequence[Any], snapshots: int | None = None, on_disk: int = 0
    ) -> None:
        if snapshots is None:
            snapshots = 0 if on_disk else enough(len(items))
        if snapshots < 0 or on_disk < 0 or snapshots + on_disk < 1:
            raise ValueError("a loop that is gone back through needs one snapshot at least")
        self.items, self.most = items, (snapshots, on_disk)
        self.places = iter(places(len(items), snapshots, on_disk))
        self.next = next(self.places)
        self.count = 0
        self.kept: list[tuple[int, _Kept]] = []
        self.last: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return self.count

    def keep(self, item: Any, *state: Any) -> None:
        """Take note of the state that a step begins with.

        Args:
            item: what the loop goes through.
            *state: the values that the step begins with.
        """
        if self.count == self.next[0]:
            self.kept.append((self.count, _Kept(state, self.next[1])))
            self.next = next(self.places, (-1, False))
        self.count += 1
        if self.count == len(self.items):
            self.last = tuple(map(_copied, state))  # it may be written into behind the loop


def backwards(
    states: Snapshots, advance: Callable[..., tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Go back through the states of a loop.

    Args:
        states: what is kept of them.
        advance: from an item and the state that its step begins with to the next state.

    Returns:
        From the last step to the first, the item and the state of each. It can be asked
        for again; then the steps are computed once more, from the first state on.
    """
    kept, end, last, items = states.kept, states.count, states.last, states.items
    states.kept, states.last = kept[:1], None
    if last is not None:
        end -= 1
        yield items[end], *last
    while kept:
        start, first = kept[-1]
        if end == start:
            kept = kept[:-1]
            continue
        disk = sum(one.on_disk for _, one in kept) if states.most[1] else 0
        free = states.most[0] - (len(kept) - disk), states.most[1] - disk
        state = first.state()
        if end - start - 2 <= free[0]:  # the last of them is the one that is gone on with
            between = [state]
            for at in range(start, end - 1):
                between.append(advance(items[at], *between[-1]))
            kept, end = kept[:-1], start
            for at in range(start + len(between) - 1, start - 1, -1):
                yield items[at], *between.pop()
            continue
        own = (free[0], free[1] + 1) if first.on_disk else (free[0] + 1, free[1])
        later = dict(places(end - start, *own)[1:])
        kept = list(kept)
        for at in range(start, end - 1):
            if at - start in later:
                kept.append((at, _Kept(state, later[at - start])))
            state = advance(items[at], *state)
        end -= 1
        yield items[end], *state


def enough(steps: int) -> int:
    """Return the least number of snapshots with which no step is computed three times again.

    Example:
        >>> enough(10), enough(100_000)
        (3, 446)
    """
    return max(1, math.ceil((math.sqrt(8 * steps + 1) - 3) / 2))


def places(steps: int, snapshots: int, on_disk: int) -> list[tuple[int, bool]]:
    """Return the steps before which a loop keeps its state as it goes forward.

    Args:
        steps: how many steps there are.
        snapshots: how many states may be kept in memory.
        on_disk: how many may be kept in files.

    Returns:
        The steps, the first of them 0, and of each whether it is kept in a file.

    Example:
        >>> places(5, 2, 0)
        [(0, False), (2, False)]
    """
    if steps < 2:
        return [(0, snapshots == 0)]
    try:
        from checkpoint_schedules import (
            EndForward,
            Forward,
            MultistageCheckpointSchedule,
            StorageType,
        )
    except ModuleNotFoundError as missing:
        missing.add_note("checkpointed loops need it: pip install 'srcgrad[checkpoint]'")
        raise
    found = []
    for action in MultistageCheckpointSchedule(steps, snapshots, on_disk):
        if isinstance(action, EndForward):
            break
        if isinstance(action, Forward) and action.write_ics:
            found.append((action.n0, action.storage is StorageType.DISK))
    return found


class _Kept:
    """A state that nobody changes, in memory or in a file that goes with it."""

    def __init__(self, state: tuple[Any, ...], on_disk: bool) -> None:
        self.on_disk = on_disk
        self.held: Any = None
        if on_disk:
            number, name = tempfile.mkstemp(prefix="srcgrad-")
            os.close(number)
            self.held = Path(name)
            weakref.finalize(self, self.held.unlink, missing_ok=True)
            self.held.write_bytes(pickle.dumps(state, protocol=5))
        else:
            self.held = tuple(map(_copied, state))

    def state(self) -> tuple[Any, ...]:
        """Return the state."""
        if not self.on_disk:
            return self.held
        return pickle.loads(self.held.read_bytes())  # what this process has written


def _copied(value: Any) -> Any:
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return same_draws(value)
    return value.copy() if isinstance(value, np.ndarray) else value
