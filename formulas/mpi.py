"""Derivatives of messages between ranks: those of mpi4py's communicators.

The derivative is that of the sum of what all ranks return: J. Utke, L. Hascoët, P. Heimbach,
C. Hill, P. Hovland, U. Naumann, "Toward adjoinable MPI", 2009.
"""

from __future__ import annotations

from typing import Any

from srcgrad.mpi.messages import at_root, from_root, receive, send, sum_of_ranks
from srcgrad.mpi.transfers import moved, transposed
from srcgrad.registry import formula, nondifferentiable

# What is known of all of them; each gives new arrays, like what it is given
_MESSAGE: dict[str, Any] = {
    "sequences": "comm", "of_complex": True, "draws": True, "views": "", "shaped_like": 1,
}  # fmt: skip


@formula(moved, sequences="parts transfer")
def moved_(token, parts, transfer):
    """z = (token, what a transfer gives this rank); linear in the parts of all ranks."""
    z = moved(token, parts, transfer)

    def backward(z_bar):
        back = moved(z_bar[0], z_bar[1], transposed(transfer))
        return back[0], back[1], None

    return z, backward


nondifferentiable(transposed)


@formula(send, linear="part", **_MESSAGE)
def send_(comm, part, dest, tag=None):
    """z = what is left here of numbers that go to another rank: zeros; linear."""
    z = send(comm, part, dest, tag)

    def backward(z_bar):
        return None, receive(comm, z_bar, dest, tag), None, None

    return z, backward


@formula(receive, linear="room", **_MESSAGE)
def receive_(comm, room, source, tag=None):
    """z = the numbers that another rank has sent; linear in its numbers."""
    z = receive(comm, room, source, tag)

    def backward(z_bar):
        return None, send(comm, z_bar, source, tag), None, None

    return z, backward


@formula(sum_of_ranks, linear="part", **_MESSAGE)
def sum_of_ranks_(comm, part):
    """z = the sum of the numbers of all ranks."""
    z = sum_of_ranks(comm, part)
    return z, lambda z_bar: (None, sum_of_ranks(comm, z_bar))


@formula(from_root, linear="part", **_MESSAGE)
def from_root_(comm, part, root=0):
    """z = the array of one rank, on all of them."""
    z = from_root(comm, part, root)
    return z, lambda z_bar: (None, at_root(comm, z_bar, root), None)


@formula(at_root, linear="part", **_MESSAGE)
def at_root_(comm, part, root=0):
    """z = the sum of the arrays of all ranks on one of them, zeros on the others."""
    z = at_root(comm, part, root)
    return z, lambda z_bar: (None, from_root(comm, z_bar, root), None)
