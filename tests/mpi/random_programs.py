"""Random programs that send messages, and the same programs with all ranks in one process.

A program is a list of steps; each is written for one rank, and for all of them as a loop over
ranks. Started on several ranks, this module compares the derivatives of the two, and prints a
line for each program: its number, whether it is text, and the largest differences.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
from pathlib import Path

import numpy as np
from mpi4py import MPI

import srcgrad

comm = MPI.COMM_WORLD
LENGTH = 5


class Writer:
    """Writes one program in both forms.

    Args:
        seed: which program.
        size: the number of ranks.
    """

    def __init__(self, seed: int, size: int) -> None:
        self.random = random.Random(f"{seed} {size}")
        self.size = size
        self.tagged = self.random.random() < 0.3
        self.one: list[str] = []
        self.all: list[str] = []
        self.depth = 0

    def put(self, one: str, every: str | None = None) -> None:
        """Add a line: for one rank, and with each rank's arrays in the place of its own."""
        pad = "    " * (self.depth + 1)
        self.one.append(pad + one)
        if every is None:
            self.all.append(f"{pad}for rank in range(size):")
            for name in "uvs":
                one = one.replace(f"{name}@", f"{name.upper()}[rank]")
            self.all.append(f"{pad}    {one}")
        elif every:
            self.all.append(pad + every)
        self.one[-1] = self.one[-1].replace("@", "")

    def local(self) -> None:
        """Add a step that concerns the rank alone."""
        c = round(self.random.uniform(0.3, 0.9), 2)
        self.put(
            self.random.choice(
                [
                    f"u@ = np.sin(u@) * v@ + {c}",
                    f"v@ = {c} * u@ * v@[::-1]",
                    "u@[1:] += v@[:-1]",
                    f"u@[2] = {c} * v@[0] * s@",
                    f"v@ = v@ + {c} * rank * u@**2",
                    f"v@[rank % 3] *= {c}",
                    "s@ = np.tanh(s@ + u@[1] * v@[2])",
                    f"u@ = u@ * (2.0 if rank % 2 == 0 else {c})",
                    f"u@ = u@ * {c} if u@[0] > v@[0] else v@ - u@",
                ]
            )
        )

    def tags(self, *names: str) -> str:
        return "".join(f", {n}=7" for n in names) if self.tagged else ""

    def message(self) -> None:
        """Add a step in which something is sent."""
        size, rng = self.size, self.random
        kind = rng.choice(
            ["ring", "open", "bcast", "sum", "number", "pair", "swap", "shift", "in place"]
        )
        a, b = rng.sample(range(size), 2)
        source, into = rng.sample("uv", 2)
        S, T = source.upper(), into.upper()
        tags = self.tags("sendtag", "recvtag")
        if kind == "ring":
            self.put(
                f"comm.Sendrecv({source}[-1:], dest=(rank + 1) % size, recvbuf={into}[:1], "
                f"source=(rank - 1) % size{tags})",
                f"came = [{S}[(rank - 1) % size][-1:].copy() for rank in range(size)]",
            )
            self.put("", f"for rank in range(size): {T}[rank][:1] = came[rank]")
        elif kind == "open":
            self.put(
                f"comm.Sendrecv({source}[1:3], dest=rank + 1 if rank + 1 < size else "
                f"MPI.PROC_NULL, recvbuf={into}[2:4], source=rank - 1 if rank > 0 else "
                f"MPI.PROC_NULL{tags})",
                f"came = [{S}[rank - 1][1:3].copy() for rank in range(size)]",
            )
            self.put("", f"for rank in range(1, size): {T}[rank][2:4] = came[rank]")
        elif kind == "bcast":
            self.put(
                f"comm.Bcast({into}, root={a})",
                f"for rank in range(size): {T}[rank] = {T}[{a}].copy()",
            )
        elif kind == "sum":
            self.put("w = np.empty_like(u)", "")
            self.put(f"comm.Allreduce({source}, w)", f"total = sum({S})")
            self.put(
                f"{into} = {into} * w / size",
                f"for rank in range(size): {T}[rank] = {T}[rank] * total / size",
            )
        elif kind == "in place":
            self.put(f"comm.Allreduce(MPI.IN_PLACE, {into})", f"total = sum({T}) / size")
            self.put(f"{into} /= size", f"for rank in range(size): {T}[rank] = total.copy()")
        elif kind == "number":
            self.put(
                f"s = comm.allreduce(s * np.sum({source})) / size",
                f"mean = sum(S[rank] * np.sum({S}[rank]) for rank in range(size)) / size",
            )
            self.put("", "for rank in range(size): S[rank] = mean")
        elif kind == "pair":
            self.put(f"if rank == {a}:", "")
            self.put(f"    comm.Send({source}, dest={b}{self.tags('tag')})", "")
            self.put(f"elif rank == {b}:", "")
            self.put(
                f"    comm.Recv({into}, source={a}{self.tags('tag')})",
                f"{T}[{b}] = {S}[{a}].copy()",
            )
        elif kind == "swap":
            self.put(f"if rank == {a}:", "")
            self.put(f"    comm.Send({source}[1:], dest={b}{self.tags('tag')})", "")
            self.put(f"    comm.Recv({source}[1:], source={b}{self.tags('tag')})", "")
            self.put(f"if rank == {b}:", "")
            self.put(f"    w = np.zeros_like({source}[1:])", "")
            self.put(f"    comm.Recv(w, source={a}{self.tags('tag')})", "")
            self.put(f"    comm.Send({source}[1:], dest={a}{self.tags('tag')})", "")
            self.put(
                f"    {source}[1:] = w",
                f"first, second = {S}[{a}][1:].copy(), {S}[{b}][1:].copy()",
            )
            self.put("", f"{S}[{a}][1:], {S}[{b}][1:] = second, first")
        else:
            self.put(f"w = {source}[:2] * {into}[-2:]", "")
            self.put("got = np.ones(2)", "")
            self.put(
                f"comm.Sendrecv(w, (rank + {a}) % size, {'7' if self.tagged else '0'}, "
                f"got, (rank - {a}) % size, {'7' if self.tagged else '0'})"
                if self.tagged
                else f"comm.Sendrecv(w, (rank + {a}) % size, recvbuf=got, "
                f"source=(rank - {a}) % size)",
                f"came = [{S}[(rank - {a}) % size][:2] * {T}[(rank - {a}) % size][-2:] "
                "for rank in range(size)]",
            )
            self.put(
                f"{into} = {into} + got[0] * got[1]",
                f"for rank in range(size): {T}[rank] = {T}[rank] + came[rank][0] * came[rank][1]",
            )

    def steps(self, count: int) -> None:
        """Add steps, some of them in loops."""
        for _ in range(count):
            what = self.random.random()
            if what < 0.15 and self.depth < 2:
                times = self.random.choice([0, 1, 2, 3])
                self.put(f"for _ in range({times}):", f"for _ in range({times}):")
                self.depth += 1
                self.steps(3)
                self.depth -= 1
            elif what < 0.6:
                self.message()
            else:
                self.local()

    def text(self) -> str:
        """Return both programs."""
        self.steps(self.random.choice([3, 5, 8]))
        one = "\n".join(line for line in self.one if line.strip())
        every = "\n".join(self.all)
        return f"""
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def program(x, y):
    rank, size = comm.Get_rank(), comm.Get_size()
    u, v, s = x.copy(), y * 1.0, x[0] * y[1]
{one}
    return np.sum(u * v) + s * (rank + 1)


def serial(X, Y):
    size = {self.size}
    U, V = [x.copy() for x in X], [y * 1.0 for y in Y]
    S = [x[0] * y[1] for x, y in zip(X, Y)]
{every}
    return sum(np.sum(U[rank] * V[rank]) + S[rank] * (rank + 1) for rank in range(size))
"""


def module_of(seed: int) -> tuple[object, str]:
    """Return a program as a module, and its text."""
    text = Writer(seed, comm.size).text()
    path = Path(tempfile.gettempdir()) / f"srcgrad_ranks_{seed}_{comm.size}_{comm.rank}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module, text


def apart(found, expected) -> float:
    """Return the largest difference, compared with the largest entry on all ranks."""
    assert [np.shape(a) for a in found] == [np.shape(b) for b in expected]
    largest = comm.allreduce(max(np.max(np.abs(b)) for b in expected), op=MPI.MAX)
    return max(np.max(np.abs(a - b)) for a, b in zip(found, expected, strict=True)) / max(
        1.0, largest
    )


def differences(seed: int) -> tuple[bool, list[float]]:
    """Compare value, gradient, tangent and second derivatives with those of one process."""
    module, _ = module_of(seed)
    program, serial = module.program, module.serial
    data = np.random.default_rng(seed).uniform(0.2, 1.1, (4, comm.size, LENGTH))
    X, Y, DX, DY = (list(rows) for rows in data)
    x, y, dx, dy = (rows[comm.rank] for rows in data)
    both = ("X", "Y"), ("x", "y")
    alone = srcgrad.value_and_grad(serial, both[0], recorded="allow")
    derivative = srcgrad.value_and_grad(program, both[1], recorded="allow")
    expected, (EX, EY) = alone(X, Y)
    value, found = derivative(x, y)
    rows = [abs(comm.allreduce(float(value)) - expected) / max(1.0, abs(expected))]
    want = EX[comm.rank], EY[comm.rank]
    rows.append(apart(found, want))

    value, backward = srcgrad.vjp(program, x, y, wrt=both[1], recorded="allow")
    again = backward(np.ones(()) * 1.0)
    rows.append(apart(again, want))

    _, dot = srcgrad.jvp(program, (x, y), (dx, dy), recorded="allow")
    slope = sum(np.sum(a * b) for a, b in zip((*EX, *EY), (*DX, *DY), strict=True))
    rows.append(abs(comm.allreduce(float(dot)) - slope) / max(1.0, abs(slope)))

    def along(X, Y):
        gx, gy = srcgrad.grad(serial, both[0], recorded="allow")(X, Y)
        return sum(np.sum(a * b) for a, b in zip((*gx, *gy), (*DX, *DY)))

    HX, HY = srcgrad.grad(along, both[0], recorded="allow")(X, Y)
    curve = HX[comm.rank], HY[comm.rank]
    gradient = srcgrad.grad(program, both[1], recorded="allow")
    _, over = srcgrad.jvp(gradient, (x, y), (dx, dy), recorded="allow")
    rows.append(apart(over, curve))

    def own(x, y):
        gx, gy = srcgrad.grad(program, both[1], recorded="allow")(x, y)
        return np.sum(gx * dx) + np.sum(gy * dy)

    twice = srcgrad.grad(own, both[1], recorded="allow")(x, y)
    rows.append(apart(twice, curve))
    return "tape" not in srcgrad.source(derivative), rows


def main(first: int, last: int) -> None:
    """Print a line for each program."""
    for seed in range(first, last):
        is_text, rows = differences(seed)
        texts = comm.allgather(is_text)
        worst = np.max(comm.allgather(rows), axis=0)
        if comm.rank == 0:
            kind = "text" if all(texts) else "mixed" if any(texts) else "recorded"
            print(seed, kind, *(f"{number:.1e}" for number in worst), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
