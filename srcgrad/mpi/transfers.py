"""Numbers that go from some ranks to others: linear maps, each with its transpose.

What one rank sends another one receives, so the transpose of a send is a receive: the
cotangents of what was received go back to where it came from. As linear maps of the numbers
of all ranks together, a broadcast is the transpose of a sum at its root, a gather that of a
scatter, and a sum that everybody is given its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.mpi.channels import Channel, channel_of
from srcgrad.runtime.broadcasting import unbroadcast


class Kind(NamedTuple):
    """What is known of numbers before they arrive."""

    shape: tuple[int, ...]  # the lengths of their axes
    dtype: Any  # their dtype

    def __str__(self) -> str:
        lengths = "x".join(map(str, self.shape))
        return f"{self.dtype} [{lengths}]" if lengths else str(self.dtype)


def kind_of(part: Any) -> Kind:
    """Return the kind of a number or an array."""
    return Kind(np.shape(part), np.result_type(part))


def fitted(part: Any, kind: Kind) -> Any:
    """Return numbers as they have to be: a cotangent of single precision in that, say."""
    array: Any = np.asarray(part)
    if kind.dtype.kind != "c" and array.dtype.kind == "c":
        array = array.real
    if array.shape != kind.shape:
        array = np.broadcast_to(array, kind.shape)
    return array.astype(kind.dtype, copy=False)


class Transfer:
    """Numbers that go from some ranks to others, once."""

    def __init__(
        self,
        comm: Any,  # the communicator
        route: str,  # which way they go: a key of ``ROUTES``
        takes: Sequence[Kind],  # the kinds of the numbers that this rank has to give
        gives: Sequence[Kind],  # the kinds of those that it is given
        # what it was given, where that has happened by a call of the program
        done: list[Any] | None = None,
        **where: Any,  # what else the route asks for, as the rank that is its root
    ) -> None:
        self.comm = comm
        self.route = route
        self.takes = list(takes)
        self.gives = list(gives)
        self.where = where
        self.done = done
        self.recorded = False  # whether it is on the tapes that run

    def deliver(self, parts: Sequence[Any]) -> list[Any]:
        """Return what this rank is given; nothing is sent a second time.

        Args:
            parts: what it has to give.

        Raises:
            MessageError: when the other ranks do not do their part.
        """
        if self.done is None:
            mine = [fitted(part, kind) for part, kind in zip(parts, self.takes, strict=True)]
            way = ROUTES[self.route][0]
            given = way(channel_of(self.comm), mine, self.takes, self.gives, **self.where)
            self.done = [part[()] for part in given]
        return self.done

    def again(self) -> Transfer:
        """Return the same way, on which nothing has gone yet."""
        return Transfer(self.comm, self.route, self.takes, self.gives, **self.where)

    def back(self) -> Transfer:
        """Return the way back, on which nothing has gone yet."""
        _, other, turned = ROUTES[self.route]
        where = {turned.get(name, name): value for name, value in self.where.items()}
        return Transfer(self.comm, other, self.gives, self.takes, **where)


def transposed(transfer: Transfer) -> Transfer:
    """Return the way back, on which nothing has gone yet."""
    return transfer.back()


def moved(token: Any, parts: Sequence[Any], transfer: Transfer) -> tuple[Any, list[Any]]:
    """Return what a transfer gives this rank.

    Args:
        token: 0.0. It makes the transfer a step that depends on something and that something
            depends on, even where this rank only sends, or only receives.
        parts: the numbers and arrays that this rank gives.
        transfer: the transfer.

    Returns:
        The token, and the numbers and arrays that this rank is given.
    """
    return token, transfer.deliver(parts)


# Ways. Each takes a channel, what this rank gives, its kinds, and those of what it is given.


def _listed(kinds: Sequence[Kind]) -> str:
    return ", ".join(map(str, kinds)) or "nothing"


def _summed(channel: Channel, parts: Any, takes: Any, gives: Any, common: Kind) -> list[Any]:
    """Everybody is given the sum; it has a kind that the terms may not have."""
    channel.agree(f"allreduce: {common}")
    term = fitted(parts[0], common) if parts else np.zeros(*common)
    total = channel.summed(term)
    return [fitted(unbroadcast(total, np.empty(kind.shape)), kind) for kind in gives]


def _broadcast(channel: Channel, parts: Any, takes: Any, gives: Any, root: int) -> list[Any]:
    """Everybody is given what the root has, the root itself only where it asks for that."""
    kinds = takes if channel.rank == root else gives
    channel.agree(f"bcast from rank {root}: {_listed(kinds)}")
    mine = parts if channel.rank == root else [np.zeros(*kind) for kind in gives]
    found = [channel.spread(part, root) for part in mine]
    return found if gives else []


def _collected(channel: Channel, parts: Any, takes: Any, gives: Any, root: int) -> list[Any]:
    """The root is given the sum, to which it adds what it has, if it has something."""
    kinds = gives if channel.rank == root else takes
    channel.agree(f"reduce to rank {root}: {_listed(kinds)}")
    parts = parts or [np.zeros(*kind) for kind in kinds]
    totals = [channel.summed(part, root) for part in parts]
    return totals if channel.rank == root else []


def _passed(
    channel: Channel,
    parts: Any,
    takes: Any,
    gives: Any,
    dest: int | None,
    source: int | None,
    tag: int,
    back: int,
) -> list[Any]:
    """One rank is sent numbers, and another one sends some; None for no such rank."""
    if dest is not None and takes:
        channel.send(f"send with tag {tag}: {_listed(takes)}", parts, dest)
    if source is not None and gives:
        return channel.receive(f"send with tag {back}: {_listed(gives)}", source)
    return [np.zeros(*kind) for kind in gives]


def _slices(parts: Any, counts: Sequence[int]) -> list[Any]:
    """Parts in groups, one for each rank."""
    ends = np.cumsum([0, *counts])
    return [list(parts[a:b]) for a, b in itertools.pairwise(ends)]


def _gathered(
    channel: Channel, parts: Any, takes: Any, gives: Any, root: int, counts: Any
) -> list[Any]:
    """The root is given what all have, in the order of the ranks."""
    if channel.rank != root:
        channel.send(f"gather to rank {root}: {_listed(takes)}", parts, root, own=True)
        return []
    found: list[Any] = []
    for rank, kinds in enumerate(_slices(gives, counts)):
        what = f"gather to rank {root}: {_listed(kinds)}"
        found += parts if rank == root else channel.receive(what, rank, own=True)
    return found


def _scattered(
    channel: Channel, parts: Any, takes: Any, gives: Any, root: int, counts: Any
) -> list[Any]:
    """Each rank is given its share of what the root has."""
    if channel.rank != root:
        return channel.receive(f"scatter from rank {root}: {_listed(gives)}", root, own=True)
    shares, kinds = _slices(parts, counts), _slices(takes, counts)
    for rank, share in enumerate(shares):
        if rank != root:
            what = f"scatter from rank {root}: {_listed(kinds[rank])}"
            channel.send(what, share, rank, own=True)
    return shares[root]


def _exchanged(
    channel: Channel, shares: Any, kinds: Any, wanted: Any, what: str
) -> list[list[Any]]:
    """What each rank has for this one, from what each rank has for each."""
    for shift in range(1, channel.size):
        rank = (channel.rank + shift) % channel.size
        channel.send(f"{what}: {_listed(kinds[rank])}", shares[rank], rank, own=True)
    return [
        shares[rank]
        if rank == channel.rank
        else channel.receive(f"{what}: {_listed(wanted[rank])}", rank, own=True)
        for rank in range(channel.size)
    ]


def _gathered_by_all(
    channel: Channel, parts: Any, takes: Any, gives: Any, counts: Any
) -> list[Any]:
    """Everybody is given what all have, in the order of the ranks."""
    everywhere = [parts] * channel.size, [takes] * channel.size
    found = _exchanged(channel, *everywhere, _slices(gives, counts), "allgather")
    return [part for share in found for part in share]


def _shared(channel: Channel, parts: Any, takes: Any, gives: Any, counts: Any) -> list[Any]:
    """Each rank is given the sum of what all have for it, added in the order of the ranks."""
    shares, kinds = _slices(parts, counts), _slices(takes, counts)
    found = _exchanged(channel, shares, kinds, [gives] * channel.size, "reduce_scatter")
    return [np.asarray(sum(terms[1:], terms[0])) for terms in zip(*found, strict=True)]


def _swapped(
    channel: Channel, parts: Any, takes: Any, gives: Any, counts: Any, others: Any
) -> list[Any]:
    """Each rank is given what all have for it, in their order."""
    shares, kinds = _slices(parts, counts), _slices(takes, counts)
    found = _exchanged(channel, shares, kinds, _slices(gives, others), "alltoall")
    return [part for share in found for part in share]


def _running(channel: Channel, parts: Any, takes: Any, gives: Any) -> list[Any]:
    """Each rank is given the sum of what it and those before it have."""
    return _chain(channel, parts, takes, channel.rank - 1, channel.rank + 1)


def _running_back(channel: Channel, parts: Any, takes: Any, gives: Any) -> list[Any]:
    """Each rank is given the sum of what it and those behind it have."""
    return _chain(channel, parts, takes, channel.rank + 1, channel.rank - 1)


def _chain(channel: Channel, parts: Any, takes: Any, before: int, behind: int) -> list[Any]:
    what = f"scan: {_listed(takes)}"
    if 0 <= before < channel.size:
        sums = channel.receive(what, before, own=True)
        parts = [np.asarray(total + part) for total, part in zip(sums, parts, strict=True)]
    if 0 <= behind < channel.size:
        channel.send(what, parts, behind, own=True)
    return list(parts)


def _sums_before(channel: Channel, parts: Any, takes: Any, gives: Any) -> list[Any]:
    """Each rank is given the sum of what those before it have; the first one is given nothing."""
    return _sums_beyond(channel, parts, takes or gives, gives, channel.rank - 1, channel.rank + 1)


def _sums_behind(channel: Channel, parts: Any, takes: Any, gives: Any) -> list[Any]:
    """Each rank is given the sum of what those behind it have; the first one has nothing."""
    return _sums_beyond(channel, parts, takes or gives, gives, channel.rank + 1, channel.rank - 1)


def _sums_beyond(
    channel: Channel, parts: Any, kinds: Any, gives: Any, before: int, behind: int
) -> list[Any]:
    what = f"exscan: {_listed(kinds)}"
    came = [np.zeros(*kind) for kind in kinds]
    if 0 <= before < channel.size:
        came = channel.receive(what, before, own=True)
    if 0 <= behind < channel.size:
        own = parts or [np.zeros(*kind) for kind in kinds]
        sums = [np.asarray(total + part) for total, part in zip(came, own, strict=True)]
        channel.send(what, sums, behind, own=True)
    return came if gives else []


# Of each way its function, the transpose, and the other names of its options there
ROUTES: dict[str, tuple[Any, str, dict[str, str]]] = {
    "sum": (_summed, "sum", {}),
    "broadcast": (_broadcast, "collect", {}),
    "collect": (_collected, "broadcast", {}),
    "pass": (
        _passed,
        "pass",
        {"dest": "source", "source": "dest", "tag": "back", "back": "tag"},
    ),
    "gather": (_gathered, "scatter", {}),
    "scatter": (_scattered, "gather", {}),
    "allgather": (_gathered_by_all, "share", {}),
    "share": (_shared, "allgather", {}),
    "alltoall": (_swapped, "alltoall", {"counts": "others", "others": "counts"}),
    "scan": (_running, "scan back", {}),
    "scan back": (_running_back, "scan", {}),
    "exscan": (_sums_before, "exscan back", {}),
    "exscan back": (_sums_behind, "exscan", {}),
}
