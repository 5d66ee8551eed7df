"""Random sequences of calls, with changes of what the program reads between them.

The same derivative is called again after attributes, methods, defaults, classes, globals,
cells, modules, shapes, dtypes or lengths have changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.effects import indented
from tests.fuzz.expressions import Expressions
from tests.fuzz.isolated import Isolated
from tests.fuzz.state_kinds import COMMON, KINDS

PLAIN = ("{E} + {E}", "{E} * {E}", "np.sin({E})", "({E})", "x")


class State(Expressions):
    """Writes a function that reads state of several kinds."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 12
        self.chosen = [self.pick(KINDS) for _ in range(1 + self.number(3))]

    def filled(self, template: str, number: int) -> str:
        """Return a template with expressions, each drawn anew, and a number."""
        text = template.replace("{k}", str(number))
        while "{E}" in text:
            text = text.replace("{E}", self.array(), 1)
        return text.replace("{{", "{").replace("}}", "}")

    def array(self) -> str:
        """Return an expression for an array of any shape."""
        self.fuel -= 1
        if self.fuel <= 0:
            return self.pick(("x", "a", "b"))
        if self.chance(2):
            return self.pick(("x", "a", "b"))
        if self.chance(3):
            return "(" + self.filled(self.pick(PLAIN), 0) + ")"
        number = self.number(len(self.chosen))
        return "(" + self.filled(self.pick(self.chosen[number][1]), number) + ")"

    def read(self, number: int) -> list[str]:
        """Return the lines of a statement that reads state."""
        self.fuel = max(self.fuel, 3)
        name = self.pick("ab")
        text = f"{name} = {self.filled(self.pick(self.chosen[number][1]), number)}"
        form = self.number(6)
        if form == 4:
            return [f"for i in range({1 + self.number(3)}):", *indented([text])]
        if form == 5:
            return [f"if np.sum({self.array()}) > 0.3:", *indented([text])]
        return [text]

    def changes(self, count: int) -> list[str]:
        """Return the functions that are called between calls."""
        lines = []
        for call in range(1, count):
            body = []
            for _ in range(1 + self.chance(3)):
                number = self.number(len(self.chosen))
                text = self.filled(self.pick(self.chosen[number][2]), number)
                body += text.split("\n")
            body = ["pass"] if self.chance(8) else body
            heads = [line for line in dict.fromkeys(body) if line.startswith("global ")]
            body = [line for line in body if not line.startswith("global ")]
            lines += [f"def change{call}():", *indented([*heads, *body]), "", ""]
        return lines


@st.composite
def state(draw: Any) -> Isolated:
    """A strategy for sequences of calls."""
    writer = State(draw)
    heads = [text.replace("{k}", str(k)) for k, (text, _, _) in enumerate(writer.chosen)]
    heads = [text.replace("{{", "{").replace("}}", "}") for text in heads]
    body = ["a = x * 0.5", "b = x"]
    for k in range(len(writer.chosen)):
        body += writer.read(k)
    body += writer.read(writer.number(len(writer.chosen)))
    body += [f"return np.sum(a * b) + np.sum({writer.array()})"]
    count = 3 + writer.number(3)
    changes = writer.changes(count)
    text = COMMON + "\n\n".join(heads) + "\n\ndef f(x):\n" + "\n".join(indented(body)) + "\n\n\n"
    rng = np.random.default_rng(writer.number(50))
    shapes: list[Any] = [(3,)] * count
    if writer.chance(3):
        shapes = [writer.pick(((3,), (2,), (2, 3), ())) for _ in range(count)]
    calls = [np.round(rng.uniform(-0.9, 0.9, shape), 3) for shape in shapes]
    calls = [call if np.ndim(call) else float(call) for call in calls]
    if writer.chance(6):
        calls[1] = np.float32(calls[1]) if np.ndim(calls[1]) == 0 else calls[1].astype(np.float32)
    others = tuple((call,) for call in calls[1:])
    return Isolated(text + "\n".join(changes) + "\n", (calls[0],), (0,), ((),), others)
