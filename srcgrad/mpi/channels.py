"""How messages of derivatives travel: with a description that is compared, and a deadline.

A message of the program's own is sent by the program's own call. Those of its derivative
(cotangents, tangents) go through a channel. No rank waits for another one for longer than
``SRCGRAD_MPI_TIMEOUT`` seconds, 60 if that is not set, and numbers are taken only if both
sides say the same of them: which operation it is, with how many numbers of which kind.

Collective operations go through a copy of the communicator, so that they never meet those of
the program; messages between two ranks have a tag of their own, the largest that there is.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

_WIDTH = 240  # of a description in bytes, where ranks show each other what they came with
IN_ORDER = "send"  # what is no message of a tag that both sides ask for
_NUMBERS = "fdFD"  # what every MPI adds: single and double precision, real and complex


class MessageError(RuntimeError):
    """The messages of a derivative do not fit together: a rank stays away, or sends another one."""


def patience() -> float:
    """Return how many seconds a rank waits for another one before it raises an error."""
    return float(os.environ.get("SRCGRAD_MPI_TIMEOUT", "60"))


class Channel:
    """What the messages of derivatives on one communicator go through.

    Attributes:
        comm: that communicator.
        rank: the number of this process in it.
        size: how many processes there are.
        failed: why nothing can be sent any more, after an error.
        messages: how many messages this rank has sent to single ranks.
        collectives: how many collective operations it has taken part in.
        bytes: how many bytes of numbers it has given to both.
    """

    def __init__(self, comm: Any) -> None:
        if comm.Is_inter():
            raise MessageError("derivatives of messages between two groups are not supported")
        self.comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.failed = ""
        self.messages = self.collectives = self.bytes = 0
        self._tag: int = comm.Get_attr(MPI.TAG_UB)
        self._copy: Any = None
        self._sent: list[tuple[Any, str]] = []
        self._early: dict[tuple[bool, int], list[Any]] = {}

    # Messages between two ranks

    def send(self, what: str, parts: Any, dest: int, own: bool = False) -> None:
        """Send numbers to another rank, without waiting.

        Args:
            what: what they are, for the other side to compare.
            parts: numbers and arrays.
            dest: the rank.
            own: whether they belong to a collective operation.
        """
        self._require_whole()
        comm, tag = (self._collective(), 0) if own else (self.comm, self._tag)
        self._sent = [(request, to) for request, to in self._sent if not request.test()[0]]
        self.messages += 1
        self.bytes += sum(part.nbytes for part in parts)
        request = comm.issend((what, list(parts)), dest=dest, tag=tag)
        self._sent.append((request, f"rank {dest} does not take the numbers of {what}"))

    def receive(self, what: str, source: int, own: bool = False) -> list[Any]:
        """Return the numbers that another rank has sent.

        Args:
            what: what they should be.
            source: the rank.
            own: whether they belong to a collective operation.

        Raises:
            MessageError: when they do not come in time, or are something else.
        """
        self._require_whole()
        comm, tag = (self._collective(), 0) if own else (self.comm, self._tag)
        early = self._early.setdefault((own, source), [])
        kind = what.partition(":")[0]
        found = next((k for k, (came, _) in enumerate(early) if _is_meant(came, kind)), None)
        while found is None:
            message = self.wait(
                lambda: comm.improbe(source, tag), f"rank {source} sends no numbers of {what}"
            )
            early.append(message.recv())
            found = len(early) - 1 if _is_meant(early[-1][0], kind) else None
        came, parts = early.pop(found)
        if came.partition(":")[2] != what.partition(":")[2]:
            raise self.error(f"rank {source} sends the numbers of {came}, not of {what}")
        return parts

    def next_of_program(self, status: Any, buffers: bool) -> Any:
        """Return the next message of the program's own, from any rank and with any tag.

        Another rank may have finished its program, and send what belongs to the derivative.
        """
        while True:
            probe = self.comm.Mprobe if buffers else self.comm.mprobe
            message = probe(MPI.ANY_SOURCE, MPI.ANY_TAG, status)
            if status.Get_tag() != self._tag:
                return message
            if buffers:
                data = bytearray(status.Get_count(MPI.BYTE))
                message.Recv([data, MPI.BYTE])
                came = pickle.loads(data)
            else:
                came = message.recv()
            self._early.setdefault((False, status.Get_source()), []).append(came)

    def flush(self) -> None:
        """Wait until what was sent has been received.

        Raises:
            MessageError: when that takes too long.
        """
        waiting, self._sent = self._sent, []
        for request, why in waiting:
            self.wait(lambda request=request: request.test()[0], why)

    # Collective operations

    def agree(self, what: str) -> None:
        """Wait for all ranks, and make sure that they are about to do the same.

        Raises:
            MessageError: when one stays away, or is about to do something else.
        """
        digest = hashlib.blake2b(what.encode(), digest_size=7).digest()
        number = int.from_bytes(digest, "big")
        mine, least = np.array([number, -number]), np.empty(2, np.int64)
        late = f"not all ranks come to {what}"
        self._finish("Iallreduce", mine, least, MPI.MIN, late=late)
        if least[0] == number == -least[1]:
            return
        texts = np.zeros((self.size, _WIDTH), np.uint8)
        own = np.frombuffer(what.encode()[:_WIDTH].ljust(_WIDTH), np.uint8).copy()
        self._finish("Iallgather", own, texts, late=late)
        told = [bytes(row).decode(errors="replace").strip() for row in texts]
        groups = {
            text: [k for k, t in enumerate(told) if t == text] for text in dict.fromkeys(told)
        }
        parts = [f"{text} on {_ranks(where)}" for text, where in groups.items()]
        raise self.error("ranks do different things: " + ", ".join(parts))

    def summed(self, array: Any, root: int | None = None) -> Any:
        """Return the sum of the arrays of all ranks.

        Args:
            array: of one shape and dtype on all ranks, which ``agree`` has made sure of.
            root: the rank that is given the sum, if not all are.
        """
        mine = as_buffer(array)
        out = np.empty_like(mine)
        late = "not all ranks come to a sum"
        if root is None:
            self._finish("Iallreduce", mine, out, MPI.SUM, late=late)
        else:
            self._finish("Ireduce", mine, out, MPI.SUM, root, late=late)
        return out.astype(array.dtype, copy=False)

    def spread(self, array: Any, root: int) -> Any:
        """Return the array that one rank has.

        Args:
            array: it, or on other ranks one of the same shape and dtype.
            root: the rank that has it.
        """
        mine = as_buffer(array).copy()
        self._finish("Ibcast", mine, root, late=f"rank {root} does not send what it has")
        return mine.astype(array.dtype, copy=False)

    # What all of this waits by

    def wait(self, ready: Callable[[], Any], late: str) -> Any:
        """Return what a question gives as soon as that is true.

        Raises:
            MessageError: when it takes too long.
        """
        limit, pause = time.monotonic() + patience(), 0.0
        while True:
            found = ready()
            if found:
                return found
            if time.monotonic() > limit:
                raise self.error(f"after {patience():g} s, {late}")
            time.sleep(pause)
            pause = min(pause + 2e-5, 1e-3)

    def _finish(self, method: str, *args: Any, late: str) -> None:
        self._require_whole()
        self.collectives += 1
        self.bytes += args[0].nbytes
        request = getattr(self._collective(), method)(*args)
        self.wait(request.Test, late)

    def _collective(self) -> Any:
        """The copy of the communicator; all ranks come for it together."""
        if self._copy is None:
            copy, request = self.comm.Idup()
            self.wait(request.Test, "not all ranks come to the first collective operation")
            self._copy = copy
        return self._copy

    def error(self, what: str) -> MessageError:
        """Return the error for messages that do not fit; nothing more is sent after it."""
        self.failed = what
        return MessageError(
            f"on rank {self.rank} of {self.size}, {what}\n"
            "  The messages of a derivative are those of the program, backwards: each rank has to "
            "take the derivative of the same calls.\n"
            "  See docs/mpi.md#messages"
        )

    def _require_whole(self) -> None:
        if self.failed:
            raise MessageError(f"this communicator has failed before: {self.failed}")


def as_buffer(array: Any) -> Any:
    """Return an array as MPI adds them: contiguous, and of a dtype that it knows."""
    known = array.dtype.char in _NUMBERS
    dtype = array.dtype if known else np.dtype("D" if array.dtype.kind == "c" else "d")
    return np.ascontiguousarray(array, dtype=dtype).reshape(np.shape(array))


def _is_meant(came: str, kind: str) -> bool:
    """Whether a message is the one that is waited for, or, without a tag, the next in order."""
    found = came.partition(":")[0]
    return found == kind or (IN_ORDER in (found, kind) and {found[:4], kind[:4]} == {IN_ORDER})


def _ranks(where: list[int]) -> str:
    return f"rank {where[0]}" if len(where) == 1 else "ranks " + ", ".join(map(str, where))


def flush() -> None:
    """Wait until what was sent on any communicator has been received.

    Raises:
        MessageError: when that takes too long.
    """
    for channel in list(_OPEN):
        channel.flush()


def flushing(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that ends when what it has sent has been received."""

    @functools.wraps(run)
    def finished(*args: Any, **options: Any) -> Any:
        made = run(*args, **options)
        flush()
        return made

    return finished


_OPEN: weakref.WeakSet[Channel] = weakref.WeakSet()
_KEY: list[int] = []  # under which communicators hold their channels


def channel_of(comm: Any) -> Channel:
    """Return the channel of a communicator; it lives as long as that."""
    if not _KEY:
        _KEY.append(MPI.Comm.Create_keyval())
    found = comm.Get_attr(_KEY[0])
    if found is None:
        found = Channel(comm)
        comm.Set_attr(_KEY[0], found)
        _OPEN.add(found)
    return found
