"""Compare derivatives across ranks with differences; prints one line for each program.

The argument of one rank after the other is moved, and the difference in the sum of all ranks'
results is compared with that rank's gradient. Tangents and second derivatives follow.
"""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

import srcgrad
from tests.mpi.programs import PROGRAMS

comm = MPI.COMM_WORLD
STEP = 1e-5


def errors(f):
    """How far gradient, tangent and second derivatives are from what they should be."""
    rng = np.random.default_rng(comm.rank)
    x, d = rng.normal(size=3), rng.normal(size=3)
    gradient = srcgrad.grad(f, recorded="allow")
    slope = gradient(x)
    worst = 0.0
    for rank in range(comm.size):
        dx = STEP * d * (rank == comm.rank)
        change = comm.allreduce(f(x + dx) - f(x - dx)) / (2 * STEP)
        if rank == comm.rank:
            worst = abs(change - slope @ d)
    value, dot = srcgrad.jvp(f, (x,), (d,), recorded="allow")
    forward = comm.allreduce(float(dot)) - comm.allreduce(float(slope @ d))
    plain = abs(value - f(x))
    curve = (gradient(x + STEP * d) - gradient(x - STEP * d)) / (2 * STEP)
    over = srcgrad.jvp(gradient, (x,), (d,), recorded="allow")[1]

    def along(x):
        return np.sum(srcgrad.grad(f, recorded="allow")(x) * d)

    twice = srcgrad.grad(along, recorded="allow")(x)
    same = max(np.max(np.abs(gradient(x) - slope)), plain)  # a second time
    return [worst, abs(forward), np.max(np.abs(over - curve)), np.max(np.abs(twice - curve)), same]


def main(names):
    for f in PROGRAMS:
        if not names or f.__name__ in names:
            found = np.max(comm.allgather(errors(f)), axis=0)
            if comm.rank == 0:
                print(f.__name__, *(f"{number:.1e}" for number in found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
