"""What the text of a derivative calls to send numbers to other ranks, and to receive some.

Each is a linear map of the numbers of all ranks together, and the transpose of another one: what
one rank sends another one receives, and what the root sends to all, it is given back as a sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI

from srcgrad.ir.nodes import MESSAGE
from srcgrad.mpi.channels import IN_ORDER, channel_of
from srcgrad.mpi.transfers import fitted, kind_of


def send(comm: Any, part: Any, dest: int, tag: int | None = None) -> Any:
    """Send numbers to another rank, without waiting until they are received.

    Args:
        comm: the communicator.
        part: a number or an array.
        dest: the rank; nothing is sent to ``MPI.PROC_NULL``.
        tag: what the other side asks for; None where it takes messages in their order.

    Returns:
        What is left: zeros, or a copy of the numbers where nothing was sent.

    Raises:
        MessageError: when messages on this communicator have failed before.
    """
    if dest == MPI.PROC_NULL:
        return part + 0.0
    flat = fitted(part, kind_of(part)).reshape(-1)
    channel_of(comm).send(f"{_label(tag)}: {kind_of(flat)}", [flat.copy()], dest)
    return np.zeros_like(part)


def receive(comm: Any, room: Any, source: int, tag: int | None = None) -> Any:
    """Return the numbers that another rank has sent.

    Args:
        comm: the communicator.
        room: a number or an array, of the shape and the dtype of what comes.
        source: the rank.
        tag: that of the message; None for the next one in order.

    Returns:
        What came, or a copy of ``room`` where nothing comes, from ``MPI.PROC_NULL``.

    Raises:
        MessageError: when nothing comes in time, or something else.
    """
    if source == MPI.PROC_NULL:
        return room + 0.0
    if source < 0:
        raise channel_of(comm).error("it is not known where the numbers of a message belong")
    kind = kind_of(np.reshape(room, -1))
    (part,) = channel_of(comm).receive(f"{_label(tag)}: {kind}", source)
    return np.reshape(part, np.shape(room))[()]


def _label(tag: int | None) -> str:
    return IN_ORDER if tag is None else f"send with tag {tag}"


def sum_of_ranks(comm: Any, part: Any) -> Any:
    """Return the sum of what all ranks have.

    Args:
        comm: the communicator.
        part: a number or an array, of one shape and dtype on all ranks.

    Raises:
        MessageError: when a rank stays away, or has numbers of another kind.
    """
    channel, kind = channel_of(comm), kind_of(part)
    channel.agree(f"allreduce: {kind}")
    return channel.summed(fitted(part, kind))[()]


def from_root(comm: Any, part: Any, root: int = 0) -> Any:
    """Return what one rank has.

    Args:
        comm: the communicator.
        part: an array, of one shape and dtype on all ranks.
        root: the rank.

    Raises:
        MessageError: when a rank stays away, or has numbers of another kind.
    """
    channel, flat = channel_of(comm), fitted(part, kind_of(part)).reshape(-1)
    channel.agree(f"bcast from rank {root}: {kind_of(flat)}")
    return channel.spread(flat, root).reshape(np.shape(part))


def at_root(comm: Any, part: Any, root: int = 0) -> Any:
    """Return the sum of what all ranks have at one of them, and zeros on the others.

    Args:
        comm: the communicator.
        part: an array, of one shape and dtype on all ranks.
        root: the rank.

    Raises:
        MessageError: when a rank stays away, or has numbers of another kind.
    """
    channel, flat = channel_of(comm), fitted(part, kind_of(part)).reshape(-1)
    channel.agree(f"reduce to rank {root}: {kind_of(flat)}")
    total = channel.summed(flat, root)
    return total.reshape(np.shape(part)) if channel.rank == root else np.zeros_like(part)


_FUNCTIONS: dict[str, Any] = {
    fn.__name__: fn for fn in (send, receive, sum_of_ranks, from_root, at_root)
}
for _fn in _FUNCTIONS.values():
    setattr(_fn, MESSAGE, True)


def message_function(name: str) -> Any:
    """Return one of these functions."""
    return _FUNCTIONS[name]
