"""Which inputs each entry of a result depends on: one run of a function, followed on a tape.

The tape has recorded what the run did: calls of functions with a formula, and reads and writes
of memory. Here it is gone through from its start, with a set of inputs in the place of each
entry. What is found holds for the branches that this run took, and for its index arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.sparse.rules import spread, value_of
from srcgrad.sparse.sets import EMPTY, Sets
from srcgrad.tape.derivatives import End, Recording
from srcgrad.tape.memory import Added, Item, Read, Start, Write
from srcgrad.tape.recording import Call, Leaf, flat, leaves, mapped, mapped_leaves


class Flow:
    """The sets of inputs on the way through what was recorded."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        tape = recording.tape
        starts = [(node, np.shape(value)) for _, node, value in tape.arguments]
        self.sets = Sets(sum(int(np.prod(shape)) for _, shape in starts))
        self.nodes: list[Any] = [None] * len(tape.births)
        self.memory: dict[Any, np.ndarray] = {}
        # the functions whose structure is not known, in the order in which they were met; each
        # entry of their results counts as depending on all that they got
        self.unknown: dict[str, None] = {}
        before = 0
        for node, shape in starts:
            self.nodes[node] = self.sets.singles(shape, before)
            before += int(np.prod(shape))

    def result(self) -> Any:
        """Return the pattern of the derivative of the result, a sparse matrix of truth values."""
        tape = self.recording.tape
        last = {node: k for k, entry in enumerate(tape.entries) for node in _read_by(entry)}
        end = self.recording.ends
        if type(end) is not End:
            raise ArgumentError(
                "a sparse derivative is one of an array or a number, and the function returns "
                "several",
                fixes=["join them by np.concatenate", "leave sparse= out"],
            )
        free: dict[int, list[int]] = {}
        for node, k in last.items():
            if node != end.node:
                free.setdefault(k, []).append(node)
        for k, entry in enumerate(tape.entries):
            self._step(entry)
            for node in free.get(k, ()):
                self.nodes[node] = None
        size = int(np.size(end.value))
        ids = np.zeros(size, np.int64) if end.node is None else self.nodes[end.node].ravel()
        return self.sets.matrix(ids)

    def _step(self, entry: Any) -> None:
        if type(entry) is Call:
            self._call(entry)
        elif type(entry) is Item:
            self.nodes[entry.index] = np.asarray(self.nodes[entry.source][entry.key])
        elif type(entry) is Read:
            self.nodes[entry.index] = self._seen(entry)
        elif type(entry) is Start:
            self._put(entry, self.nodes[entry.index])
        elif type(entry) is Write:
            own = EMPTY if entry.index is None else self.nodes[entry.index]
            self._put(entry, own)
        elif type(entry) is Added:
            self._put(entry, self.sets.union(self._seen(entry), self.nodes[entry.index]))
        else:  # a kind of step that this module does not know is no reason to be wrong
            raise ArgumentError(
                f"the pattern of a {type(entry).__name__} is not known",
                fixes=["leave sparse= out"],
            )

    def _call(self, entry: Call) -> None:
        operands: list[Any] = [None] * len(entry.held)
        for position, index in entry.inputs:
            operands[position] = mapped(
                lambda node: None if node is None else self.nodes[node], index
            )
        made = spread(self.sets, entry, operands)
        if made is None:
            made = self._of_all(entry, operands)
        if isinstance(entry.index, int):
            self.nodes[entry.index] = np.asarray(made)
            return
        parts = iter(made)

        def assign(leaf: Any) -> None:
            part = next(parts)
            if type(leaf) is Leaf:
                self.nodes[leaf[0]] = np.asarray(part)

        mapped_leaves(assign, entry.index)

    def _of_all(self, entry: Call, operands: list[Any]) -> Any:
        """Return sets of all that a function was given, for each entry of its result."""
        given = [np.ravel(own) for own in flat(operands) if own is not None]
        ids = np.concatenate(given)
        one = self.sets.unions(np.zeros(len(ids), np.int64), ids, 1)[0]
        if isinstance(entry.index, int):
            shapes = [np.shape(value_of(entry))]
        else:
            shapes = [leaf[1] for leaf in leaves(entry.index)]
        if len(ids) > 1 and sum(int(np.prod(shape)) for shape in shapes) > 1:
            name = getattr(entry.plan.fn, "__name__", repr(entry.plan.fn))
            self.unknown.setdefault(name)
        if isinstance(entry.index, int):
            return np.full(shapes[0], one)
        made: list[Any] = []
        mapped_leaves(made.append, entry.index)
        return [None if leaf is None else np.full(leaf[1], one) for leaf in made]

    # Memory: a set for each element of what owns it, in the layout of the owner

    def _view(self, entry: Any) -> np.ndarray:
        """Return for each entry of an array which element of its memory it is, or a part of."""
        owner, array = entry.memory.owner, entry.array
        size = owner.itemsize
        shift = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        places = np.full(array.shape, shift, np.int64)
        for axis, (length, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
            steps = np.arange(length) * stride
            places += steps.reshape([-1 if k == axis else 1 for k in range(array.ndim)])
        return places // size

    def _known(self, entry: Any) -> np.ndarray:
        owner = entry.memory.owner
        return self.memory.setdefault(entry.memory, np.zeros(owner.size, np.int64))

    def _seen(self, entry: Any) -> np.ndarray:
        return self._known(entry)[self._view(entry)[entry.key]]

    def _put(self, entry: Any, own: Any) -> None:
        known, places = self._known(entry), np.asarray(self._view(entry)[entry.key])
        own = np.broadcast_to(own, places.shape)
        if entry.array.dtype != entry.memory.owner.dtype:  # a part of each element is written
            self._add(known, places, own)
        else:
            known[places] = own

    def _add(self, known: np.ndarray, places: np.ndarray, own: np.ndarray) -> None:
        met, groups = np.unique(places, return_inverse=True)
        groups, ids = np.concatenate((groups.ravel(), np.arange(len(met)))), known[met]
        known[met] = self.sets.unions(groups, np.concatenate((own.ravel(), ids)), len(met))


def _read_by(entry: Any) -> list[int]:
    """Return the nodes that a step reads."""
    if type(entry) is Call:
        return [node for _, index in entry.inputs for node in flat(index) if node is not None]
    if type(entry) is Item:
        return [entry.source]
    if type(entry) in (Start, Write, Added) and entry.index is not None:
        return [entry.index]
    return []
