"""The tape: what was computed from what, in order, and the walk back."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError

_levels = itertools.count()


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to what is in nested tuples, lists and dicts, from left to right."""
    if isinstance(tree, tuple | list):
        made = [mapped(fn, part) for part in tree]
        return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
    if isinstance(tree, dict):
        return {key: mapped(fn, part) for key, part in tree.items()}
    return fn(tree)


def leaves(tree: Any) -> list[Any]:
    """Return what is in nested tuples, lists and dicts."""
    found: list[Any] = []
    mapped(found.append, tree)
    return found


def nodes_in(tree: Any) -> list[Node]:
    """Return the nodes of the boxes in nested tuples, lists and dicts."""
    found = (getattr(leaf, "__srcgrad_node__", None) for leaf in leaves(tree))
    return [node for node in found if node]


def raw(tree: Any) -> Any:
    """Return values without boxes, and functions as they are unseen."""
    return mapped(lambda value: getattr(value, "__srcgrad_raw__", value), tree)


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
        inputs: for each positional parameter of its formula what it was given: nodes,
            constants, and trees of both.
        options: the keyword arguments of its formula.
        outputs: a node, or a tuple of nodes and None.
        backward: gives the cotangents of the inputs from that of the outputs.
    """

    function: Any
    inputs: list[Any]
    options: dict[str, Any]
    outputs: Any
    backward: Callable[[Any], tuple[Any, ...]]

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", str(self.function))
        left = ", ".join(node.name if node else "_" for node in leaves(self.outputs))
        given = [*map(shown, self.inputs), *(f"{k}={v!r}" for k, v in self.options.items())]
        if name in _SYMBOLS and not self.options:
            return f"{left} = {f' {_SYMBOLS[name]} '.join(given)}"
        return f"{left} = {name}({', '.join(given)})"


_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}


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

    def own(self, value: Any) -> Node | None:
        """Return the node of a box of this tape, None for anything else."""
        node = getattr(value, "__srcgrad_node__", None)
        return node if node and node.tape is self else None

    def back(self, bars: dict[Node, Any]) -> None:
        """Walk back over the entries, and add the cotangents of all nodes.

        Args:
            bars: the cotangents of the results. A node that is missing has a
                cotangent that is known to be zero, and so have all that follow.
        """
        self.bars = bars
        for entry in reversed(self.entries):
            if not any(node in bars for node in leaves(entry.outputs)):
                continue
            z_bar = mapped(
                lambda node: bars[node] if node in bars else node and np.zeros_like(node.value),
                entry.outputs,
            )
            with np.errstate(all="ignore"):  # in cotangents of constants, which nobody asked for
                inputs_bar = entry.backward(z_bar)
            for node, bar in zip(entry.inputs, inputs_bar, strict=False):
                add(bars, node, bar)

    def __str__(self) -> str:
        lines = [f"{node.name} = {shown(node.value)}" for node in self.arguments]
        lines += map(str, self.entries)
        order = [node for entry in reversed(self.entries) for node in leaves(entry.outputs)]
        nodes = [node for node in [*order, *self.arguments] if node in self.bars]
        lines += [f"dL_d{node.name} = {shown(self.bars[node])}" for node in nodes]
        return "\n".join(lines)


def add(bars: dict[Node, Any], node: Any, bar: Any, seed: bool = False) -> None:
    """Add a cotangent to that of a node, or those of the nodes of a tree.

    Args:
        bars: the cotangents so far.
        node: a node, a tree of nodes and constants, or a constant, which has none.
        bar: the cotangent, in the same structure; None for zero.
        seed: whether the user gave it, and not a formula.

    Raises:
        ArgumentError: when the cotangent is not one of the node.
    """
    if bar is None:
        return
    if isinstance(node, Node):
        found, wanted = raw(bar), raw(node.value)
        is_complex, real = np.iscomplexobj(found), np.isrealobj(wanted)
        if np.shape(found) != np.shape(wanted) or (seed and is_complex and real):
            raise ArgumentError(
                f"a cotangent of shape {np.shape(found)} does not fit {node.name}",
                why=f"That has the shape {np.shape(wanted)}; a real value has a real cotangent.",
            )
        if is_complex == real:  # each cotangent is of the kind of its node
            bar = bar.real if real else bar + 0j
        bar = float(bar) if isinstance(bar, int) else bar
        bars[node] = bars[node] + bar if node in bars else bar
    elif isinstance(node, dict):
        for key, part in node.items():
            add(bars, part, bar[key], seed)
    elif isinstance(node, tuple | list):
        for part, part_bar in zip(node, bar, strict=True):
            add(bars, part, part_bar, seed)


def shown(value: Any) -> str:
    """Return a value in one line; a node is shown by its name."""
    value = raw(value)
    if isinstance(value, Node):
        return value.name
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, np.ndarray | np.floating):
        return np.array2string(value, precision=6, separator=", ").replace("\n", "")
    return repr(value)
