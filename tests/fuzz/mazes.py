"""Random mazes: few values, and ways through nested loops and branches that an integer decides.

Programs of `tests.fuzz.programs` say a lot and nest little. Here it is the other way
round: which way is taken depends on ``k`` alone, so that no kink is ever near, and
each program is run for several of them.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.fuzz.expressions import Expressions
from tests.fuzz.programs import Program

STEPS = (
    "y = y * x + 0.1", "y = np.sin(y) + x", "y = y - 0.3 * x", "y += x * x", "z = y * 2.0",
    "y = 0.5 * y + k * x", "z = 0.5 * z + np.cos(y)", "y, z = z, y", "y = 0.5 * y * z", "z = x",
    "y = z", "w[0] = y", "w[1:] += np.sin(z)", "w[k % 3] *= 0.5 * y", "y = 0.5 * y + w[k % 3]",
    "w = 0.5 * w * y", "v = w", "w = v + x", "z = 0.3 * np.sum(w)", "v[2] = z", "w = w[::-1]",
    "w[k % 2] = w[2] * x", "items.append(y)", "z = np.sin(items[-1])", "y = 0.5 * y + len(items)",
    "z = items.pop()", "items.append(z * x)",
)  # fmt: skip


class Maze(Expressions):
    """Writes the body of a function of ``x`` and ``k``."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 40
        self.loops = 0
        steps = list(STEPS) if self.chance(2) else list(STEPS[:11])
        self.steps = [self.pick(steps) for _ in range(6)]

    def condition(self, loop: str | None) -> str:  # type: ignore[override]
        """Return a test of ``k``, and of a loop's counter."""
        other = self.number(8)
        forms = [f"k % {2 + self.number(3)} == {self.number(3)}", f"k > {other}", f"k != {other}"]
        if loop is not None:
            forms += [f"{loop} == {self.number(3)}", f"{loop} < k - 1", f"(k + {loop}) % 3 == 0"]
        text = self.pick(forms)
        if self.chance(4):
            text = f"{text} {self.pick(('and', 'or'))} {self.pick(forms)}"
        return text

    def leaving(self, loop: str | None) -> str:
        """Return a statement that leaves a block."""
        words = ["return y", "return y * z", 'raise ArithmeticError("stopped")']
        return self.pick(words + ["break", "continue"] * 2 if loop else words)

    def block(self, depth: int, loop: str | None) -> list[str]:
        """Return the lines of a block."""
        lines = []
        for _ in range(1 + self.number(3)):
            lines += self.statement(depth, loop)
        if depth and self.chance(10):
            lines.append(self.leaving(loop))
        return lines

    def inner(self, depth: int, loop: str | None) -> list[str]:
        return ["    " + line for line in self.block(depth + 1, loop)]

    def statement(self, depth: int, loop: str | None) -> list[str]:
        """Return the lines of a statement."""
        self.fuel -= 1
        kind = self.number(20)
        if depth < 4 and self.fuel > 0:
            if kind < 6:
                return self.branch(depth, loop)
            if kind < 9:
                return self.loop(depth, loop)
        if kind < 12:
            return [f"if {self.condition(loop)}:", f"    {self.leaving(loop)}"]
        return [self.pick(self.steps)]

    def branch(self, depth: int, loop: str | None) -> list[str]:
        lines = [f"if {self.condition(loop)}:", *self.inner(depth, loop)]
        if self.chance(4):
            lines += [f"elif {self.condition(loop)}:", *self.inner(depth, loop)]
        if self.chance(2):
            lines += ["else:", *self.inner(depth, loop)]
        elif self.chance(5):
            lines += ["else:", '    raise ArithmeticError("stopped")']
        return lines

    def loop(self, depth: int, outer: str | None) -> list[str]:
        self.loops += 1
        counter = f"j{self.loops}"
        bound = self.pick(("1", "2", "3", "k", "k % 3"))
        form = self.number(4)
        if form == 0:
            lines = [f"{counter} = 0", f"while {counter} < {bound}:", f"    {counter} += 1"]
        elif form == 1:
            lines = [f"for {counter}, y in enumerate([x, z, y]):"]
        else:
            lines = [f"for {counter} in range({bound}):"]
        lines += self.inner(depth, counter)
        if self.chance(4):
            lines += ["else:", *self.inner(depth, outer)]
        return lines


@st.composite
def mazes(draw: Any) -> Program:
    """A strategy for programs whose way through depends on an integer."""
    maze = Maze(draw)
    lines = ["y, z, items = x, 0.5 * x, [x, 0.3]", "w = np.array([x, 0.2, 0.7])", "v = w"]
    lines += maze.block(0, None) + maze.block(0, None)
    lines.append(maze.pick(("return y * x", "return y + z * np.sum(w)", "return y + v[0] * w[2]")))
    source = "import numpy as np\n\n\ndef f(x, k):\n" + "".join(f"    {t}\n" for t in lines)
    x = round(0.2 + 0.05 * maze.number(12), 2)
    first, *others = sorted({maze.number(8) for _ in range(3)})
    return Program(source, (x, first), (0,), ((),), tuple((x, k) for k in others))
