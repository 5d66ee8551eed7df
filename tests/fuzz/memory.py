"""Random programs about memory: arrays that have many names.

They are written under one name and read under another, and which array a name stands for
is decided when the program runs. In most programs nothing is differentiated but products
with them; others are refused more often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.expressions import Expressions
from tests.fuzz.programs import Program

HEAD = """import numpy as np

OUTER = np.ones(3)


def pick(p, q, k):
    return p if k % 2 else q


def fill_one(p):
    p[1] = 0.7


def moved(p):
    p += 0.25
    return p


def grown(p, q):
    p *= 1.5
    return q.copy()


def every(rows):
    for row in rows:
        row *= 0.5


def made(k):
    p = np.ones(3)
    p[k % 3] = 2.0
    return p


"""
NAMES = ("a", "b", "c")
PLAIN = "np.ones(3), np.full(3, 0.5), np.arange(3.0)"
ACTIVE = "1.0 + x, np.full(3, 0.5), np.arange(3.0) * x"
# {0} and {1} are arrays, {k} a whole number, {n} a name for an array
READS = (
    "y = y * {0}", "y = y + {0} * x", "z = y * {0} + {1}", "y = y + np.sum({0} * x)",
    "y = 0.5 * y + {0} * {1} * x", "y = np.sin(y) * {0}", "z = z * {0}[1] + y", "y = y + {0} @ z",
)  # fmt: skip
WRITES = (
    "{0} += {k} + 0.5", "{0} *= 0.75", "{0}[{k} % 3] = 0.4", "{0}[1:] = {1}[:2]",
    "{0}[:] = {1} + 0.1",
    "fill_one({0})", "fill_one(pick({0}, {1}, {k}))", "every(rows)", "np.add({0}, 0.5, out={1})",
    "np.copyto({0}, 0.8)", "{0}.fill(0.9)", "every([{0}, {1}])", "{0}.sort()", "moved({0})",
)  # fmt: skip
NAMINGS = (
    "{n} = {0}", "{n} = pick({0}, {1}, {k})", "{n} = {0} if {k} > 1 else {1}",
    "{n} = rows[{k} % 2]",
    "{n} = moved({0})", "{n} = grown({0}, {1})", "{n} = np.asarray({0})", "{n} = {0}[::-1]",
    "{n} = made({k})", "{n} = {0} + 0.2", "{n} = {0}.copy()", "rows[{k} % 2] = {0}",
    "rows = [{0}, {1}]", "a, b = b, a", "{n} = parts['u']", "parts['v'] = {0}", "rows = rows[::-1]",
    "{n} = max(rows, key=np.sum)", "{n} = [{0}, {1}][{k} % 2]", "{n} = parts['uv'[{k} % 2]]",
    "{n} = np.ravel({0})", "rows.append({0})", "{n} = rows[-1]",
)  # fmt: skip


class Memory(Expressions):
    """Writes the body of a function of ``x`` and ``k``."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 14
        self.loops = 0
        self.outer = self.chance(6)

    def array(self) -> str:
        """Return an expression for an array."""
        forms = [*NAMES * 3, "rows[0]", "rows[1]", "parts['u']", "parts['v']"]
        return self.pick([*forms, "OUTER"] if self.outer else forms)

    def simple(self, counter: str) -> str:
        """Return a simple statement."""
        form = self.pick(self.pick((READS, WRITES, NAMINGS)))
        count = self.pick(("k", counter, "0", "1"))
        return form.format(self.array(), self.array(), k=count, n=self.pick(NAMES))

    def block(self, depth: int, counter: str) -> list[str]:
        """Return the lines of a block."""
        lines = []
        for _ in range(1 + self.number(4)):
            lines += self.statement(depth, counter)
        return lines

    def statement(self, depth: int, counter: str) -> list[str]:
        """Return the lines of a statement."""
        self.fuel -= 1
        form = self.number(8)
        if depth == 0 or self.fuel <= 0 or form < 5:
            return [self.simple(counter)]
        if form == 5:
            lines = [f"if {self.pick(('k', counter))} % 2 == {self.number(2)}:"]
            lines += self.inside(self.block(depth - 1, counter))
            if self.chance(2):
                lines += ["else:", *self.inside(self.block(depth - 1, counter))]
            return lines
        self.loops += 1
        name = f"i{self.loops}"
        if form == 6:
            return [f"for {name} in range(3):", *self.inside(self.block(depth - 1, name))]
        element = self.pick(NAMES)
        over = self.pick(("rows", "reversed(rows)", "(a, b)", "[c, a]", "parts.values()"))
        head = f"for {name}, {element} in enumerate({over}):"
        if over == "parts.values()":
            head = f"for {name}, {element} in zip(range(2), parts.values()):"
        return [head, *self.inside(self.block(depth - 1, name))]

    def inside(self, lines: list[str]) -> list[str]:
        """Return the lines of a block that is inside of another one."""
        return [f"    {line}" for line in lines]


@st.composite
def memory(draw: Any) -> Program:
    """A strategy for programs about memory."""
    writer = Memory(draw)
    body = ["OUTER[:] = 1.0"] if writer.outer else []
    body += [writer.pick((*[f"a, b, c = {PLAIN}"] * 2, f"a, b, c = {ACTIVE}"))]
    body += ["rows = [a, b]", "parts = {'u': b, 'v': c}", "y = x", "z = 0.5 * x"]
    body += [*writer.block(2, "k"), "y = y * a + z * b + c * x"]
    body += [f"return np.sum(y * {writer.array()} * x)"]
    text = HEAD + "def f(x, k):\n" + "\n".join(writer.inside(body)) + "\n"
    x = [0.3, 0.7, -0.4]

    calls = tuple((np.array(x), k) for k in (0, 1, 2))
    return Program(text, calls[0], (0,), ((),), calls[1:])
