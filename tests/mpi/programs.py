"""Programs that send messages, one of each kind; each rank runs them with numbers of its own."""

from __future__ import annotations

import time

import numpy as np
from mpi4py import MPI

import srcgrad

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
above = rank + 1 if rank + 1 < size else MPI.PROC_NULL
below = rank - 1 if rank > 0 else MPI.PROC_NULL


def allreduce(x):
    y = comm.allreduce(np.sin(x))
    return np.sum(y * x) * (rank + 1)


def allreduce_numbers(x):
    count = comm.allreduce(len(x))
    return comm.allreduce(x[0] ** 2) * x[1] / count


def largest(x):
    top = comm.allreduce(x[0], op=MPI.MAX)
    low = comm.allreduce(float(rank) * x[1], op=MPI.MIN)
    return top**2 * (rank + 1) + low * x[2]


def product(x):
    return np.sum(comm.allreduce(x, op=MPI.PROD) ** 2) * (rank + 1)


def reduce(x):
    total = comm.reduce(x**2, root=size - 1)
    return np.sum(np.sin(total)) if rank == size - 1 else 0.0


def reduce_product(x):
    total = comm.reduce(x[0], op=MPI.PROD, root=0)
    return total * x[1] if rank == 0 else x[2]


def bcast(x):
    data = {"a": x**2, "n": 3, "s": 2.0 * x[0]} if rank == 0 else None
    data = comm.bcast(data, root=0)
    return np.sum(data["a"] * x) * data["n"] + data["s"] * x[1]


def bcast_is_a_copy(x):
    x = x.copy()
    y = comm.bcast(x, root=0)
    y *= 3.0  # at the root as well, x stays what it is
    return np.sum(y * x)


def write_after_isend(x):
    u = x**2
    sent = comm.isend(u, dest=(rank + 1) % size)
    u[0] = 5.0
    y = comm.recv(source=(rank - 1) % size)
    sent.wait()
    return np.sum(y * u)


def shorter_than_the_buffer(x):
    y = np.ones(6)
    if rank == 0 and size > 1:
        comm.Send(x, dest=1)
    elif rank == 1:
        comm.Recv([y, MPI.DOUBLE], source=0)  # which is recorded: text takes it for full
    return np.sum(y**2) * x[0]


def shorter_than_a_buffer_with_numbers(x):
    y = np.outer(x, x)
    if rank == 0 and size > 1:
        comm.Send([y[0] * 2.0, MPI.DOUBLE], dest=1)
    elif rank == 1:
        comm.Recv([y, MPI.DOUBLE], source=0)
    return np.sum(y**2 * np.arange(9.0).reshape(3, 3))


def complex_numbers(x):
    return np.sum(np.abs(comm.allreduce(np.exp(1j * x))) ** 2)


def product_with_zeros(x):
    y = comm.allreduce(x * np.array([0.0, 1.0, 1.0]) if rank == 0 else x, op=MPI.PROD)
    return np.sum(y * np.array([1.0, 2.0, 3.0]))


def gradient_inside(x):
    def inner(z):
        return np.sum(comm.allreduce(z**2) ** 2) / size

    return np.sum(srcgrad.grad(inner, recorded="allow")(x) * x)


def bcast_at_two_places(x):
    if rank == 0:
        y = comm.bcast(x**2, root=0)
    else:
        y = comm.bcast(None, root=0)
    return np.sum(y * x)


def gather(x):
    rows = comm.gather((x[: rank + 1] ** 2, 1), root=0)
    if rank == 0:
        return sum(np.sum(row[0] ** 2) * (k + 1) for k, row in enumerate(rows))
    return np.sum(x)


def allgather(x):
    rows = comm.allgather(x[: rank + 1] ** 2)
    return np.sum(np.concatenate(rows) ** 2) * (rank + 1)


def scatter(x):
    rows = [x * k for k in range(size)] if rank == 0 else None
    y = comm.scatter(rows, root=0)
    return np.sum(np.sin(y) * x)


def alltoall(x):
    rows = comm.alltoall([x * k for k in range(size)])
    return sum(np.sum(np.sin(row) * (k + 1)) for k, row in enumerate(rows))


def scan(x):
    return np.sum(comm.scan(x**2) ** 2)


def send(x):
    if rank == 0:
        for other in range(1, size):
            comm.send(x * other, dest=other)
        return np.sum(x)
    y = comm.recv(source=0)
    return np.sum(y**2 * x)


def send_what_is_constant(x):
    if rank == 0:
        for other in range(1, size):
            comm.send({"scale": np.array([2.0, 3.0]), "name": "w"}, dest=other, tag=4)
        return np.sum(x)
    data = comm.recv(source=MPI.ANY_SOURCE)
    return np.sum(x[:2] * data["scale"])


def two_tags(x):
    if rank == 0:
        for other in range(1, size):
            comm.send(x, dest=other, tag=1)
            comm.send(x**2, dest=other, tag=2)
        return np.sum(x)
    square = comm.recv(source=0, tag=2)
    y = comm.recv(source=0, tag=1)
    return np.sum(y * square * x)


def to_and_fro(x):
    for k in range(3):
        if rank == 0 and size > 1:
            comm.send(x * k, dest=1)
            x = comm.recv(source=1)
        elif rank == 1:
            y = comm.recv(source=0)
            x = np.sin(x) + y
            comm.send(x, dest=0)
    return np.sum(x**2)


def sendrecv(x):
    y = comm.sendrecv(x**2, dest=(rank + 1) % size, source=(rank - 1) % size)
    return np.sum(y * np.sin(x))


def sendrecv_open_ends(x):
    y = comm.sendrecv(x**2, dest=above, source=below)
    return np.sum(x) if y is None else np.sum(y * x)


def isend(x):
    sent = comm.isend(x**2, dest=(rank + 1) % size, tag=3)
    waiting = comm.irecv(source=(rank - 1) % size, tag=3)
    y = waiting.wait()
    sent.wait()
    return np.sum(y * x)


def Allreduce(x):
    y = np.empty_like(x)
    comm.Allreduce(np.sin(x), y)
    return np.sum(y * x) * (rank + 1)


def Allreduce_in_place(x):
    y = np.sin(x)
    comm.Allreduce(MPI.IN_PLACE, y, op=MPI.SUM)
    return np.sum(y * x) * (rank + 1)


def Allreduce_largest(x):
    y = np.empty((1, len(x)))
    comm.Allreduce(x**2, y, op=MPI.MAX)
    return np.sum(y**2 * x)


def Allreduce_count(x):
    count = np.array([len(x)])
    comm.Allreduce(MPI.IN_PLACE, count)
    return np.sum(x) / count[0]


def Reduce(x):
    root = 1 % size
    total = np.empty(len(x)) if rank == root else None
    comm.Reduce(x**2, total, op=MPI.SUM, root=root)
    return np.sum(total**3) if rank == root else np.sum(x)


def Reduce_smallest(x):
    low = np.empty(len(x)) if rank == 0 else None
    comm.Reduce(x**2, low, op=MPI.MIN, root=0)
    return np.sum(low**3) if rank == 0 else 0.0


def Bcast(x):
    y = x**2
    comm.Bcast(y, root=size - 1)
    return np.sum(y * np.sin(x))


def Gather(x):
    rows = np.empty((size, len(x))) if rank == 0 else None
    comm.Gather(x**2, rows, root=0)
    return np.sum(rows**2 * np.arange(1, size + 1)[:, None]) if rank == 0 else 0.0


def Scatter(x):
    rows = np.outer(np.arange(1.0, size + 1), x) if rank == 0 else None
    y = np.empty_like(x)
    comm.Scatter(rows, y, root=0)
    return np.sum(np.sin(y) * x)


def Allgather(x):
    rows = np.empty((size, len(x)))
    comm.Allgather(x**2, rows)
    return np.sum(rows**2) * (rank + 1)


def Alltoall(x):
    rows = np.empty((size, len(x)))
    comm.Alltoall(np.outer(np.arange(1.0, size + 1), x), rows)
    return np.sum(np.sin(rows) * np.arange(1, size + 1)[:, None])


def Allreduce_by_columns(x):
    total = np.empty((2, 3))
    comm.Allreduce(np.outer(x**2, [1.0, rank + 2.0]).T, total)
    return np.sum(total**2 * np.arange(1.0, 7.0).reshape(2, 3))


def Sendrecv_by_columns(x):
    room = np.empty((2, 3), order="F")
    comm.Sendrecv(
        np.outer([1.0, 2.0], x**2), (rank + 1) % size, recvbuf=room, source=(rank - 1) % size
    )
    return np.sum(room * np.outer([1.0, 3.0], x))


def Bcast_by_columns(x):
    y = np.outer([1.0, 2.0], x**2)
    comm.Bcast(y.T, root=size - 1)
    return np.sum(y * np.outer([1.0, 3.0], x))


def Allgather_by_columns(x):
    rows = np.empty((size, 3, 2)).T
    comm.Allgather(np.outer(x**2, [1.0, rank + 2.0]), rows)
    return np.sum(rows**2 * np.arange(1.0, 7.0).reshape(2, 3, 1))


def Scatter_by_columns(x):
    y = np.empty((3, 2), order="F")
    table = np.multiply.outer(np.outer([1.0, 2.0], x**2), np.arange(1.0, size + 1)).T
    comm.Scatter(table.copy() if rank == 0 else None, y, root=0)
    return np.sum(y**2 * np.arange(1.0, 7.0).reshape(3, 2))


def Reduce_scatter(x):
    y = np.empty(rank + 1)
    table = np.outer(np.arange(1.0, size + 1), x**2).ravel()[: size * (size + 1) // 2]
    comm.Reduce_scatter(table, y, recvcounts=list(range(1, size + 1)))
    return np.sum(y**2)


def Reduce_scatter_block(x):
    y = np.empty(len(x))
    comm.Reduce_scatter_block(np.outer(np.arange(1.0, size + 1), x**2), y)
    return np.sum(y**2)


def Scan(x):
    y = np.empty(len(x))
    comm.Scan(x**2, y)
    return np.sum(y**2)


def Send(x):
    if rank == 0:
        for other in range(1, size):
            comm.Send([x * other, MPI.DOUBLE], dest=other, tag=7)
        return np.sum(x)
    y = np.ones(2 * len(x))
    comm.Recv(y, source=0, tag=7)
    return np.sum(y[: len(x)] ** 2 * x) + np.sum(y)


def Sendrecv(x):
    u = np.zeros(len(x) + 2)
    u[1:-1] = x**2
    comm.Sendrecv(u[-2:-1], dest=above, recvbuf=u[:1], source=below)
    comm.Sendrecv(u[1:2], dest=below, recvbuf=u[-1:], source=above)
    return np.sum(u[2:] * u[1:-1]) + np.sum(u[:-2] ** 2)


def Sendrecv_into_a_view(x):
    u = np.concatenate((x, x))
    w = u[1:4]
    comm.Sendrecv(x[:3] * 2, dest=(rank + 1) % size, recvbuf=w, source=(rank - 1) % size)
    return np.sum(u**2 * np.arange(len(u)))


def Isend(x):
    rows = [np.empty_like(x) for _ in range(size)]
    requests = [comm.Irecv(row, source=k, tag=k) for k, row in enumerate(rows)]
    for other in range(size):
        requests.append(comm.Isend(x * (other + 1), dest=other, tag=rank))
    MPI.Request.Waitall(requests)
    return sum(np.sum(row**2) * (k + 1) for k, row in enumerate(rows)) + np.sum(x)


def exscan(x):
    before = comm.exscan(x**2)
    return np.sum(x) if before is None else np.sum(np.sin(before) * x)


def Exscan(x):
    y = x.copy()
    comm.Exscan(x**2, y)
    y = y if rank > 0 else x
    return np.sum(y**2 * x)


def Exscan_in_place(x):
    y = x**3
    comm.Exscan(MPI.IN_PLACE, y)
    y = y if rank > 0 else x
    return np.sum(y**2)


def Sendrecv_replace(x):
    y = x**2
    comm.Sendrecv_replace(y, dest=(rank + 1) % size, source=(rank - 1) % size)
    return np.sum(y * np.sin(x))


def Sendrecv_replace_open_ends(x):
    y = x**2
    comm.Sendrecv_replace(y, above, 3, below, 3)
    return np.sum(y * np.sin(x))


def Gatherv(x):
    counts = [k + 1 for k in range(size)]
    rows = np.ones(sum(counts)) if rank == 0 else None
    comm.Gatherv(np.resize(x, rank + 1) ** 2, [rows, counts] if rank == 0 else None, root=0)
    return np.sum(rows**2 * np.arange(1.0, len(rows) + 1)) if rank == 0 else np.sum(x)


def Gatherv_with_gaps(x):
    places = [3 * k + 1 for k in range(size)]
    rows = np.full(3 * size + 1, 2.0) * x[0]
    told = [rows, [2] * size, places, MPI.DOUBLE] if rank == 0 else None
    comm.Gatherv(x[:2] ** 2, told, root=0)
    return np.sum(rows**2 * np.arange(len(rows)))


def Scatterv(x):
    counts = [2] + [1] * (size - 1)
    table = np.outer(np.arange(1.0, size + 1), x).ravel() if rank == 0 else None
    y = np.empty(counts[rank])
    comm.Scatterv([table, (counts, None), MPI.DOUBLE] if rank == 0 else None, y, root=0)
    return np.sum(np.sin(y)) * x[1]


def Allgatherv(x):
    rows = np.empty(2 * size + 1)
    comm.Allgatherv(x[:3] ** 2 if rank == 0 else x[:2] ** 2, [rows, [3] + [2] * (size - 1)])
    return np.sum(rows**2 * np.arange(len(rows))) * (rank + 1)


def Allgatherv_in_even_parts(x):
    rows = np.empty((size, len(x)))
    comm.Allgatherv(x**2, rows)
    return np.sum(rows**2) * (rank + 1)


def Alltoallv(x):
    sent = np.outer(np.arange(1.0, size + 1), x).ravel()
    places = [3 * k for k in range(size)]
    taken = [rank + 1 if rank < 3 else 1] * size
    given = [k + 1 if k < 3 else 1 for k in range(size)]
    rows = np.empty(sum(taken))
    comm.Alltoallv([sent, (given, places), MPI.DOUBLE], [rows, taken])
    return np.sum(np.sin(rows) * np.arange(1, len(rows) + 1))


def from_anybody(x):
    comm.Barrier()  # what a run before has sent is received
    if size < 3 or rank > 2:
        return np.sum(x**2)
    if rank == 1:
        comm.send(x, dest=0)
        return np.sum(comm.recv(source=0) * x)  # the way back begins before rank 2 sends
    if rank == 2:
        time.sleep(0.2)
        comm.send(x**2, dest=0)
        return np.sum(x)
    comm.send(x**3, dest=1)
    return np.sum(comm.recv() * comm.recv())


def From_anybody(x):
    comm.Barrier()
    if size < 3 or rank > 2:
        return np.sum(x**2)
    if rank == 1:
        y = np.empty(3)
        comm.Send(x, dest=0)
        comm.Recv(y, source=0)
        return np.sum(y * x)
    if rank == 2:
        time.sleep(0.2)
        comm.Send(x**2, dest=0)
        return np.sum(x)
    rows = np.zeros((2, 500))
    comm.Send(x**3, dest=1)
    comm.Recv(rows[0])
    comm.Recv(rows[1])
    return np.sum(rows[0] * rows[1])


def parts_of_the_world(x):
    half = comm.Split(rank % 2, rank)
    return np.sum(half.allreduce(x**2) * x)


PROGRAMS = [
    thing
    for thing in list(vars().values())
    if getattr(thing, "__module__", None) == __name__ and callable(thing)
]
