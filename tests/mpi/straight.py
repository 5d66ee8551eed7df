"""A recorded program with messages as a straight line, which is run with other numbers."""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

from srcgrad import tape
from srcgrad.tape.straight.program import program

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def several(x):
    """Messages of several kinds, one of which only one rank sends."""
    if rank == 0:
        comm.send(x[0], dest=1)
    z = comm.recv(source=0) if rank == 1 else 2.0
    y = comm.sendrecv(x**2, dest=(rank + 1) % size, source=(rank - 1) % size)
    total = comm.allreduce(np.sum(y * x))
    rows = comm.allgather(x * 2)
    w = comm.bcast(x * 3 if rank == 0 else None, root=0)
    return total * np.sum(y) + np.sum(rows[0] ** 2) * z + np.sum(w) * x[1]


def recorded(x):
    """Return the tape of a run, the value and the gradient."""
    made = tape.Tape()
    value, backward = tape.vjp(several, x, tape=made)
    return made, value, backward(1.0)


def main() -> None:
    """Compare the program with the tape, at the same numbers and at others."""
    x = np.array([1.0, 2.0, 3.0]) + rank
    made, value, slope = recorded(x)
    straight = program(made)
    assert "carried_back(message0" in made.source()
    again, other = straight.function(x)
    assert again == value
    assert np.array_equal(slope, other)
    _, value, slope = recorded(x + 1.0)
    again, other = straight.function(x + 1.0)
    assert again == value
    assert np.array_equal(slope, other)
    sys.stdout.write("the same\n")


if __name__ == "__main__":
    main()
