"""Programs whose messages do not fit together; each rank prints what it is told."""

from __future__ import annotations

import os
import sys

import numpy as np
from mpi4py import MPI

from srcgrad import grad

world = MPI.COMM_WORLD
rank = world.rank


def raises(x, comm):
    """Rank 1 raises between its forward and its backward part."""
    y = comm.allreduce(x**2)
    if rank == 1:
        raise ZeroDivisionError("in the program")
    return np.sum(y)


def stays_away(x, comm):
    """Rank 1 sends outside of what it differentiates."""
    y = x
    if rank == 0:
        y = comm.recv(source=1)
    return np.sum(y * x)


def sends_too_much(x, comm):
    """Rank 0 sends twice, and rank 1 takes the second message outside."""
    if rank == 0:
        comm.send(x, dest=1)
        comm.send(x**2, dest=1)
        return np.sum(x)
    return np.sum(comm.recv(source=0) * x)


def other_dtypes(x, comm):
    """Numbers are added to numbers of another precision, at the root."""
    x = x.astype(np.float32) if rank == 1 else x
    total = comm.reduce(x**2, root=0)
    return np.sum(total) if rank == 0 else 0.0


def shorter(x, comm):
    """What is received does not fill the buffer, which the text takes it to do."""
    y = np.ones(4)
    if rank == 0:
        comm.Send(x, dest=1)
    else:
        comm.Recv(y, source=0)
    return np.sum(y * x[0])


def other_buffers(x, comm):
    """What is sent has another dtype than the room for it."""
    y = np.empty(2, np.float32)
    comm.Allreduce(x, y)
    return np.sum(y)


def no_such_operation(x, comm):
    """A function for which there is no formula."""
    y = np.empty(2)
    comm.Iallreduce(x, y).Wait()
    return np.sum(y * x)


def other_operation(x, comm):
    """An operation that has no slope."""
    return comm.allreduce(x[0], op=np.hypot) * x[1]


def main(name: str) -> None:
    comm = world.Dup()
    x = np.array([1.0, 2.0])
    program = globals()[name]
    try:
        if name == "stays_away" and rank == 1:
            comm.send(x, dest=0)
        else:
            grad(program, recorded="allow")(x, comm)
            if name == "sends_too_much" and rank == 1:
                comm.recv(source=0)
        told = "nothing"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is to be seen
        told = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    for line in world.gather(f"{name} {rank} {told}") or ():
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    for each in sys.argv[1:]:
        main(each)
    world.Barrier()
    os._exit(0)  # what was sent in vain is not waited for
