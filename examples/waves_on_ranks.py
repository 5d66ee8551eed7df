"""A membrane that is cut into strips, one for each rank, and what its stiffness does to a wave.

Each rank has some rows of the membrane. In each step it gives the outermost of them to its
neighbours, whose rows lie beside them. What counts is how much of a wave arrives at the far
side; the gradient says where the membrane would have to be stiffer or softer. The messages of
the gradient are those of the wave, backwards. It is compared with the gradient on one rank.

Run it with: mpirun -n 4 python examples/waves_on_ranks.py
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI

from srcgrad import value_and_grad
from srcgrad.mpi.channels import channel_of


def arrived(stiffness: Any, start: Any, window: Any, steps: int, comm: Any) -> Any:
    """Return this rank's share of what arrives.

    Args:
        stiffness: square of the Courant number in this rank's rows, at most 0.5.
        start: how far the membrane is bent at the beginning, in the same rows.
        window: how much each place counts.
        steps: how many steps of time are taken.
        comm: the communicator; the ranks have the rows in their order.
    """
    rank, last = comm.Get_rank(), comm.Get_size() - 1
    above = rank - 1 if rank > 0 else MPI.PROC_NULL
    below = rank + 1 if rank < last else MPI.PROC_NULL
    rows, columns = start.shape
    before = np.zeros((rows + 2, columns + 2))  # with the neighbours' rows, and a rim at rest
    before[1:-1, 1:-1] = start
    now = before.copy()
    for _ in range(steps):
        comm.Sendrecv(now[1], dest=above, recvbuf=now[rows + 1], source=below)
        comm.Sendrecv(now[rows], dest=below, recvbuf=now[0], source=above)
        inside = now[1:-1, 1:-1]
        bent = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * inside
        after = np.zeros_like(now)
        after[1:-1, 1:-1] = 2 * inside - before[1:-1, 1:-1] + stiffness * bent
        before, now = now, after
    return np.sum(window * now[1:-1, 1:-1] ** 2)


def main(size: int = 32, steps: int = 40) -> dict[str, float]:
    """Print figures on rank 0, and return them.

    Args:
        size: rows and columns of the membrane; the ranks share the rows evenly.
        steps: how many steps of time are taken.
    """
    world = MPI.COMM_WORLD
    rank, ranks = world.Get_rank(), world.Get_size()
    y, x = np.mgrid[0:size, 0:size] / size
    start = np.exp(-80 * ((x - 0.3) ** 2 + (y - 0.3) ** 2))
    window = np.exp(-40 * ((x - 0.7) ** 2 + (y - 0.7) ** 2))
    stiffness = 0.2 + 0.05 * np.sin(7 * x + 3 * y)
    mine = np.array_split(np.arange(size), ranks)[rank]
    gradient = value_and_grad(arrived, recorded="allow")

    begin = time.perf_counter()
    value, slope = gradient(stiffness[mine], start[mine], window[mine], steps, world)
    seconds = time.perf_counter() - begin
    channel = channel_of(world)
    sent = world.gather((channel.messages, channel.bytes))
    total, strips = world.reduce(float(value)), world.gather(slope)
    if rank != 0:
        return {}
    alone, expected = gradient(stiffness, start, window, steps, MPI.COMM_SELF)
    figures = {
        "ranks": ranks,
        "value_difference": abs(total - alone) / alone,
        "difference": np.max(np.abs(np.concatenate(strips) - expected)) / np.max(np.abs(expected)),
        "messages": max(count for count, _ in sent),
        "bytes": max(count for _, count in sent),
        "messages_of_all": sum(count for count, _ in sent),
        "bytes_of_all": sum(count for _, count in sent),
        "seconds": seconds,
    }
    for name, figure in figures.items():
        print(f"{name:18} {figure:.6g}")
    return figures


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
