"""The tape: what was computed from what, in order, and the walk back."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_levels = itertools.count()

_SYMBOLS = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.pow: "**",
    operator.matmul: "@",
    operator.mod: "%",
}


@dataclass(eq=False)
class Node:
    """A value on a tape, under the name that it is printed with.

    Attributes:
        tape: the tape.
        value: a number or an array, which nobody writes to; a box of an outer
            tape, if there is one.
        name: ``v0``, ``v1`` … or the name of an argument.
    """

    tape: Tape
    value: Any
    name: str


@dataclass(eq=False)
class Entry:
    """One call of a function that has a formula.

    Attributes:
        function: the function that was called.
        inputs: for each positional parameter of its formula a node, a list of
            nodes and None, or None; what is no node is a constant.
        labels: the arguments as they are printed.
        outputs: a node, or a list of nodes and None.
        backward: gives a tuple of cotangents, one for each positional parameter.
    """

    function: Any
    inputs: list[Any]
    labels: list[str]
    outputs: Any
    backward: Callable[[Any], tuple[Any, ...]]

    def __str__(self) -> str:
        left = ", ".join(n.name if n else "_" for n in flat(self.outputs))
        if self.function in _SYMBOLS and len(self.labels) == 2:
            return f"{left} = {self.labels[0]} {_SYMBOLS[self.function]} {self.labels[1]}"
        if self.function is operator.getitem:
            return f"{left} = {self.labels[0]}[{self.labels[1]}]"
        if self.function is operator.neg:
            return f"{left} = -{self.labels[0]}"
        name = getattr(self.function, "__name__", str(self.function))
        return f"{left} = {name}({', '.join(self.labels)})"


@dataclass(eq=False)
class Tape:
    """A recording of one run of a function.

    Printed, it shows what was computed; after a walk back, also the derivatives
    of the result with respect to all of it.

    Attributes:
        level: tapes that started later have a higher one.
        arguments: the nodes of the differentiated arguments.
        entries: the calls, in order.
        running: whether the function still runs; afterwards nothing is recorded.
        bars: the cotangents that the last walk back found.

    Example:
        >>> from srcgrad.tape import Tape, vjp
        >>> tape = Tape()
        >>> value, backward = vjp(lambda a, b: (a + b) * b, 2.0, 3.0, wrt=(0, 1), tape=tape)
        >>> a_bar, b_bar = backward(1.0)
        >>> print(tape)
        a = 2.0
        b = 3.0
        v0 = a + b
        v1 = v0 * b
        dL_dv1 = 1.0
        dL_dv0 = 3.0
        dL_da = 3.0
        dL_db = 8.0
    """

    level: int = field(default_factory=lambda: next(_levels))
    arguments: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    running: bool = True
    bars: dict[Node, Any] = field(default_factory=dict)
    names: Any = field(default_factory=itertools.count)

    def node(self, value: Any, name: str = "") -> Node:
        """Return a new node, with the next free name unless it has one."""
        return Node(self, value, name or f"v{next(self.names)}")

    def back(self, bars: dict[Node, Any]) -> None:
        """Walk back over the entries, and add the cotangents of all nodes.

        Args:
            bars: the cotangents of the results. A node that is missing has a
                cotangent that is known to be zero, and so have all that follow.
        """
        self.bars = bars
        for entry in reversed(self.entries):
            made = [bars.get(node) if node else None for node in flat(entry.outputs)]
            if all(bar is None for bar in made):
                continue
            z_bar = made[0]
            if not isinstance(entry.outputs, Node):
                z_bar = tuple(
                    np.zeros_like(node.value) if bar is None and node else bar
                    for node, bar in zip(entry.outputs, made, strict=True)
                )
            with np.errstate(all="ignore"):  # in cotangents of constants, which nobody asked for
                inputs_bar = entry.backward(z_bar)
            for node, bar in zip(entry.inputs, inputs_bar, strict=False):
                add(bars, node, bar)

    def __str__(self) -> str:
        lines = [f"{node.name} = {shown(node.value)}" for node in self.arguments]
        lines += [str(entry) for entry in self.entries]
        order = [n for entry in reversed(self.entries) for n in flat(entry.outputs) if n]
        for node in [*order, *self.arguments]:
            if self.bars.get(node) is not None:
                lines.append(f"dL_d{node.name} = {shown(self.bars[node])}")
        return "\n".join(lines)


def add(bars: dict[Node, Any], node: Any, bar: Any) -> None:
    """Add a cotangent to that of a node, or of the nodes in a list."""
    if node is None or bar is None:
        return
    if isinstance(node, list):
        for part, part_bar in zip(node, bar, strict=True):
            add(bars, part, part_bar)
    else:
        bar = fitted(node, bar)
        bars[node] = bars[node] + bar if bars.get(node) is not None else bar


def fitted(node: Node, bar: Any) -> Any:
    """Return the real part of a complex cotangent of what is real, and the reverse."""
    is_complex, wanted = (np.iscomplexobj(raw(x)) for x in (bar, node.value))
    if is_complex and not wanted:
        return bar.real
    return bar + 0j if wanted and not is_complex else bar


def flat(nodes: Any) -> list[Node | None]:
    """Return one node, or those of a list, as a flat list."""
    if isinstance(nodes, list):
        return [node for part in nodes for node in flat(part)]
    return [nodes]


def raw(value: Any) -> Any:
    """Return a value without boxes, also in containers, and a function as it is unseen."""
    value = getattr(value, "__srcgrad_raw__", value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(raw, value))
    if type(value) in (tuple, list):
        return type(value)(map(raw, value))
    if isinstance(value, slice):
        return slice(raw(value.start), raw(value.stop), raw(value.step))
    if type(value) is dict:
        return {key: raw(part) for key, part in value.items()}
    return value


def shown(value: Any) -> str:
    """Return a value in one line."""
    value = raw(value)
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, np.ndarray | np.floating):
        return np.array2string(value, precision=6, separator=", ").replace("\n", "")
    return repr(value)
