"""Which programs with messages have text, on one rank; prints it, or a line for each of them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

import srcgrad
from examples.waves_on_ranks import arrived

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


@dataclass
class Group:
    """Ranks that work together."""

    comm: Any


def in_order(x):
    y = np.zeros_like(x)
    comm.Sendrecv(x**2, dest=rank, recvbuf=y, source=rank)
    return np.sum(y * x)


def of_an_object(x, group):
    y = np.zeros_like(x)
    group.comm.Allreduce(x**2, y)
    return np.sum(y * x)


def with_and_without_tags(x):
    y = np.zeros_like(x)
    comm.Sendrecv(x**2, dest=rank, sendtag=1, recvbuf=y, source=rank)
    return np.sum(y * x)


def from_any_rank(x):
    y = np.zeros_like(x)
    comm.Sendrecv(x**2, dest=rank, recvbuf=y)
    return np.sum(y * x)


def in_a_try(x):
    y = np.zeros_like(x)
    try:
        comm.Allreduce(x**2, y)
    except MPI.Exception:
        y = x
    return np.sum(y * x)


def largest(x):
    y = np.zeros_like(x)
    comm.Allreduce(x**2, y, op=MPI.MAX)
    return np.sum(y * x)


def added(x):
    y = np.zeros_like(x)
    comm.Allreduce(x**2, y)
    return y


def by_a_helper(x):
    return np.sum(added(x) * x)


def by_another_name(x):
    y = np.zeros_like(x)
    add = comm.Allreduce
    add(x**2, y)
    return np.sum(y * x)


def two_in_a_line(x):
    return np.sum(x**2) * comm.allreduce(np.sum(x)) / comm.allreduce(x.size)


def in_a_test(x):
    if comm.allreduce(np.sum(x)) > 1.0:
        return np.sum(x**3)
    return np.sum(x)


def of_a_constant(x):
    return comm.allreduce(2.0) * np.sum(x)


def main(what: str) -> None:
    """Print what a test asks for."""
    x = np.array([1.0, 2.0])
    if what == "wave":
        gradient = srcgrad.grad(arrived)
        gradient(*np.full((3, 4, 4), 0.3), 2, comm)
        print(srcgrad.source(gradient))
        return
    programs = (
        *(in_order, with_and_without_tags, from_any_rank, in_a_try, largest, by_a_helper),
        *(by_another_name, of_a_constant, two_in_a_line, in_a_test),
    )
    for f, more in [*((f, ()) for f in programs), (of_an_object, (Group(comm),))]:
        gradient = srcgrad.grad(f, recorded="allow")
        expected = 3 * x**2
        if f is of_a_constant:
            expected = np.full(2, 2.0)
        elif f is two_in_a_line:
            expected = (2 * x * np.sum(x) + np.sum(x**2)) / 2
        assert np.allclose(gradient(x, *more), expected), f
        print(f.__name__, "recorded" if "tape" in srcgrad.source(gradient) else "text")


if __name__ == "__main__":
    main(sys.argv[1])
