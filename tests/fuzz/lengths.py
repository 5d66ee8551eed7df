"""Random programs whose vectors have lengths that are computed, called with vectors of others.

What is known of lengths at one call is relied on, and tested at the next one: each program
is run for a vector ``x`` and a whole number ``k`` of several lengths and sizes, 0 and 1 among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.expressions import Expressions
from tests.fuzz.programs import Program

STEPS = (
    "y = y[1:]", "y = y[:-1]", "y = y[k:]", "y = y[:k]", "y = y[k : k + 2]", "y = y[::2]",
    "y = y[1::2]", "y = y[-2:]", "y = y[: len(y) // 2]", "y = y[: len(y) - k]",
    "y = np.concatenate((y, z))", "y = np.concatenate((np.ones(1), y[:-1]))",
    "y = np.hstack([y, 2.0 * z, [0.5]])", "y = np.append(y, z[:1])", "y = np.vstack([y, y])[k % 2]",
    "y = np.column_stack([y, y * y]).ravel()", "y = np.repeat(y, 2)", "y = np.tile(y, k)",
    "y = np.pad(y, 1)", "y = np.pad(y, (k, 0))", "y = np.diff(np.append(y, 0.5))",
    "y = np.convolve(np.append(y, 1.0), x)", "y = np.outer(y, x).ravel()[: len(y) + k]",
    "y = y * np.ones(len(y))", "y = y + np.arange(len(y))", "y = y * np.linspace(0.0, 1.0, len(y))",
    "y = np.zeros(len(y) + k)[k:] + y", "y = y[: len(z)] * z[: len(y)]",
    "y = y[: x.size] + x[: y.size]", "y = y + x[:1]", "y = y * z[-1:]", "y = np.sin(y)",
    "z = 0.5 * y",
    "y, z = z, y", "z = y",
    "w = np.zeros(2 * len(y)); w[::2] = y; y = w", "w = np.ones(len(y) + 1); w[1:] *= y; y = w",
    "y = part(y, k)", "y = part(z, len(y))", "y = y.reshape(-1, 1)[:, 0]",
    "y = y.reshape(1, -1) * y[:1]; y = y[0]", "y = np.array([v * v for v in y[:3]])",
    "y = stretched(y, k)",
)  # fmt: skip
HELPERS = (
    "def part(v, n):\n    return v[:n] * np.ones(len(v[:n]))\n\n\n"
    "def stretched(v, n):\n    if n == 0:\n        return v\n"
    "    return stretched(np.append(v, n), n - 1)\n\n\n"
)


class Lengths(Expressions):
    """Writes the body of a function of ``x`` and ``k``."""

    def block(self, depth: int, indent: str) -> list[str]:
        """Return the lines of a block."""
        lines: list[str] = []
        for _ in range(1 + self.number(4 - depth)):
            form = self.number(8)
            if depth < 2 and form == 6:
                inner = self.block(depth + 1, indent + "    ")
                head = self.pick(
                    ("for j in range(k):", "for j in range(2):", "for j in range(len(y) % 3):")
                )
                lines += [indent + head, *inner]
            elif depth < 2 and form == 7:
                inner = self.block(depth + 1, indent + "    ")
                head = self.pick(("if k > 1:", "if len(y) > 2:", "if len(y) == len(z):"))
                lines += [indent + head, *inner]
            else:
                lines.append(indent + self.pick(STEPS))
        return lines


@st.composite
def lengths(draw: Any) -> Program:
    """A strategy for programs with vectors of computed lengths."""
    writer = Lengths(draw)
    lines = ["    y, z = x, 0.5 * x", *writer.block(0, "    "), *writer.block(0, "    ")]
    last = writer.pick(
        ("np.sum(y) + np.sum(z**2)", "np.sum(y * y) * np.sum(x)", "np.sum(np.sin(y))")
    )
    source = f"import numpy as np\n\n\n{HELPERS}def f(x, k):\n"
    source += "".join(f"{line}\n" for line in lines) + f"    return {last}\n"
    rng = np.random.default_rng(writer.number(100))
    calls = [
        (np.round(rng.uniform(0.2, 0.9, writer.number(6)), 2), writer.number(4)) for _ in range(4)
    ]
    return Program(source, calls[0], (0,), ((),), tuple(calls[1:]))
