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
        value: a number or an array; a box of an outer tape, if there is one.
        name: ``v0``, ``v1`` … or the name of an argument.
    """

    value: Any
    name: str


@dataclass(eq=False)
class Entry:
    """One call of a function that has a formula.

    Attributes:
        function: the function that was called.
        inputs: for each positional parameter of its formula a node, a list of
            nodes and None, or None; what is no node is a constant.
        shown: the arguments as they are printed.
        outputs: a node, or a list of nodes and None.
        backward: what the formula returned to go back.
    """

    function: Any
    inputs: list[Any]
    shown: list[str]
    outputs: Any
    backward: Callable[[Any], Any]

    def __str__(self) -> str:
        left = ", ".join(n.name if n else "_" for n in flat(self.outputs))
        if self.function in _SYMBOLS and len(self.shown) == 2:
            return f"{left} = {self.shown[0]} {_SYMBOLS[self.function]} {self.shown[1]}"
        if self.function is operator.getitem:
            return f"{left} = {self.shown[0]}[{self.shown[1]}]"
        name = getattr(self.function, "__name__", str(self.function))
        return f"{left} = {name}({', '.join(self.shown)})"


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
        >>> print(tape)
        a = 2
        b = 3
        v0 = a + b
        v1 = v0 * b
        >>> a_bar, b_bar = backward(1.0)
        >>> print(tape)
        a = 2
        b = 3
        v0 = a + b
        v1 = v0 * b
        dL_dv1 = 1
        dL_dv0 = 3
        dL_da = 3
        dL_db = 8
    """

    level: int = field(default_factory=lambda: next(_levels))
    arguments: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    running: bool = True
    bars: dict[Node, Any] = field(default_factory=dict)
    results: list[Node] = field(default_factory=list)
    count: int = 0

    def node(self, value: Any, name: str = "") -> Node:
        """Return a new node, with the next free name unless it has one."""
        if not name:
            name = f"v{self.count}"
            self.count += 1
        return Node(value, name)

    def back(self, bars: dict[Node, Any]) -> dict[Node, Any]:
        """Walk back over the entries, and return the cotangents of all nodes.

        Args:
            bars: the cotangents of the results.
        """
        self.bars = bars
        for entry in reversed(self.entries):
            made = [bars.get(node) if node else None for node in flat(entry.outputs)]
            if all(bar is None for bar in made):
                continue  # a known zero
            if isinstance(entry.outputs, Node):
                z_bar = made[0]
            else:
                z_bar = tuple(
                    np.zeros_like(node.value) if bar is None and node else bar
                    for node, bar in zip(entry.outputs, made, strict=True)
                )
            with np.errstate(all="ignore"):  # cotangents of constants, which nobody asked for
                inputs_bar = entry.backward(z_bar)
            if len(entry.inputs) == 1:
                inputs_bar = (inputs_bar,)
            for node, bar in zip(entry.inputs, inputs_bar, strict=False):
                add(bars, node, bar)
        return bars

    def __str__(self) -> str:
        lines = [f"{node.name} = {shown(node.value)}" for node in self.arguments]
        lines += [str(entry) for entry in self.entries]
        order = [n for e in reversed(self.entries) for n in flat(e.outputs) if n]
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
        bars[node] = bars[node] + bar if bars.get(node) is not None else bar


def flat(nodes: Any) -> list[Node | None]:
    """Return one node, or those of a list, as a flat list."""
    if isinstance(nodes, list):
        return [node for part in nodes for node in flat(part)]
    return [nodes]


def shown(value: Any) -> str:
    """Return a value in a line."""
    return np.array2string(np.asarray(raw(value)), precision=6, separator=", ").replace("\n", "")


def raw(value: Any) -> Any:
    """Return a value without its boxes; also inside of tuples, lists and dicts."""
    while hasattr(value, "__srcgrad_node__"):
        value = value.__srcgrad_node__.value
    if type(value) in (tuple, list):
        return type(value)(raw(part) for part in value)
    if isinstance(value, slice):
        return slice(raw(value.start), raw(value.stop), raw(value.step))
    if type(value) is dict:
        return {key: raw(part) for key, part in value.items()}
    return value
