"""Writes to arrays, and reads of memory that was written to.

An array that nobody writes to is a value like a number: it has one node. From the
first write on, it is its memory that counts, whatever views look at it. Each read of
that memory is then a step of its own, and so is each write; on the way back there is a
*shadow* for the memory, an array of cotangents of the same layout: a read adds to the
part that was read, a write takes the part that was written and leaves zeros there.

What steps before the first write hold of that memory is copied then, once.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.runtime import is_last_write, may_repeat, unbroadcast
from srcgrad.tape.errors import lost
from srcgrad.tape.recording import Box, Entry, Tape, Walk, mapped, owner_of, raw
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session, state


class Memory:
    """The memory of an array and of all views of it.

    Attributes:
        owner: the array that owns it.
        roots: the values in it before the first write: tape, node and array of each.
        tapes: the tapes on which it holds what is differentiated.
        written: whether it was written to.
        version: how often.
    """

    __slots__ = ("owner", "roots", "tapes", "version", "written")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.roots: list[tuple[Tape, int, Any]] = []
        self.tapes: list[Tape] = []
        self.written = False
        self.version = 0

    def is_active(self) -> bool:
        """Tell whether it holds what is differentiated."""
        return any(tape.running for tape in self.tapes)

    def start(self, session: Session) -> None:
        """Prepare for the first write."""
        self.written = True
        session.memories[id(self.owner)] = self
        if self.roots or id(self.owner) in session.captured:
            copy = self.owner.ravel(order="K").copy()
            for tape in (*session.tapes, *session.finished):
                nodes = [node for own, node, _ in self.roots if own is tape]
                first = min((tape.births[k] for k in nodes), default=0)
                for number, entry in enumerate(tape.entries[first:]):
                    # the step that made it may hold its result
                    if entry.touches(self.owner) or (number == 0 and nodes):
                        entry.renew(self.owner, copy)
        for tape, node, array in self.roots:
            if tape.running:
                self.begin(session, tape, node, array)

    def begin(self, session: Session, tape: Tape, node: int, array: Any) -> None:
        """Let what a node stands for be read from memory from now on."""
        starts = (entry for entry in tape.entries if type(entry) is Start)
        for other in starts:
            if other.memory is self and np.may_share_memory(other.array, array):
                raise ArgumentError(
                    "two differentiated arguments share the memory of an array that is written",
                    fixes=["pass copies"],
                )
        self.add_tape(tape, session)
        tape.entries.append(Start(self, array, node))

    def add_tape(self, tape: Tape, session: Session) -> None:
        """Note that it holds what is differentiated on a tape."""
        if tape not in self.tapes:
            self.tapes.append(tape)
            self.tapes.sort(key=lambda tape: tape.level)
            session.active = True


def chain(box: Any) -> list[Box]:
    """Return a box, and those of the outer tapes that are its value."""
    found = []
    while type(box) is Box:
        if box.tape is not None:
            found.append(box)
        box = box.value
    return found


def memory_of(session: Session, value: Any) -> Memory:
    """Return the memory of an array or of the box of one."""
    if type(value) is Box:
        if value.memory is None:
            owner = owner_of(value.array)
            memory = session.memories.get(id(owner))
            if memory is None or memory.owner is not owner:
                memory = Memory(owner)
                memory.roots += [(b.tape, b.index, value.array) for b in chain(value)]  # type: ignore[misc]
            value.memory = memory
        return value.memory
    owner = owner_of(value)
    memory = session.memories.get(id(owner))
    if memory is None or memory.owner is not owner:
        memory = Memory(owner)
    return memory


def known_memory(session: Session, array: Any) -> Memory | None:
    """Return the memory of an array, where it was written to or is an argument."""
    owner = owner_of(array)
    memory = session.memories.get(id(owner))
    return memory if memory is not None and memory.owner is owner else None


def seen(value: Any) -> Any:
    """Return a box for an array whose memory holds what is differentiated."""
    session = state.session
    if session is None or not session.active or type(value) is Box:
        return value
    if not isinstance(value, np.ndarray):
        return value
    memory = known_memory(session, value)
    if memory is None or not memory.is_active():
        return value
    return view(value, memory)


def all_seen(tree: Any) -> Any:
    """Put boxes around the arrays in nested tuples, lists and dicts that hold what is recorded.

    Lists and dicts stay the ones that they are: whoever is given them may keep or change them.
    """
    kind = type(tree)
    if kind is not list and kind is not dict and not isinstance(tree, tuple):
        return seen(tree)
    return _all_seen(tree, set())


def _all_seen(tree: Any, known: set[int]) -> Any:
    kind = type(tree)
    if isinstance(tree, tuple):
        made = [_all_seen(part, known) for part in tree]
        if all(map(operator.is_, made, tree)):
            return tree
        return kind(*made) if hasattr(tree, "_fields") else kind(made)
    if kind is not list and kind is not dict:
        return seen(tree)
    if id(tree) in known:
        return tree
    known.add(id(tree))
    session = state.session
    for key, part in list(tree.items() if kind is dict else enumerate(tree)):
        made = _all_seen(part, known)
        if made is not part:
            tree[key] = made
            if session is not None:
                session.changed[id(tree)] = tree
    return tree


def argument(session: Session, tape: Tape, name: str, value: Any) -> Box:
    """Return a number or an array as an argument that is differentiated.

    Args:
        session: what is recorded.
        tape: the tape that starts with it.
        name: the name that it is printed with.
        value: the number or array, or its box on an outer tape.
    """
    if type(value) is Box:
        value = fresh(value)
    array = raw(value)
    tape.complex = tape.complex or np.iscomplexobj(array)
    node = tape.node()
    tape.arguments.append((name, node, value))
    if not isinstance(array, np.ndarray):
        return Box(array, tape, node, value)
    memory = memory_of(session, value)
    if memory is LOCKED:
        return Box(array, tape, node, value, LOCKED)
    if memory.written:
        memory.begin(session, tape, node, array)
        return view(array, memory)
    session.memories[id(memory.owner)] = memory
    memory.roots.append((tape, node, array))
    return Box(array, tape, node, value, memory)


def fresh(box: Any) -> Any:
    """Return a box as it is now: read, if its memory was written, and on a tape that runs."""
    if box.memory is not None and box.version != box.memory.version:
        refresh(box)
    while type(box) is Box and box.tape is not None and not box.tape.running:
        box = box.value
    return box if type(box) is Box and box.tape is not None else raw(box)


def view(array: Any, memory: Memory) -> Box:
    """Return a box for an array in memory that was written to; it is read when it is needed."""
    box = Box(array, None, -1, array, memory)
    box.version = -1
    return box


def refresh(box: Box) -> None:
    """Read memory that was written since a box was made."""
    memory = box.memory
    box.version = memory.version
    made = read(memory, box.array, ...)
    box.tape, box.index = (made.tape, made.index) if type(made) is Box else (None, -1)
    box.value = made.value if type(made) is Box else made


def read(memory: Memory, array: Any, key: Any) -> Any:
    """Record the read of a part of an array whose memory was written to.

    Returns:
        A copy of that part, in a box if it depends on what is differentiated.
    """
    copy = np.array(array[key])[()] if key is not ... else np.array(array)
    value: Any = copy
    for tape in memory.tapes:
        if not tape.running:
            continue
        index = tape.node()
        tape.entries.append(Read(memory, array, key, index))
        value = Box(copy, tape, index, value)
    return value


def write(session: Session, target: Any, key: Any, value: Any) -> None:
    """Record a write to an array, and carry it out.

    Args:
        session: what is recorded.
        target: an array, or the box of one.
        key: the index that is written.
        value: what is written there: a number, an array, a box, or a sequence of them.

    Raises:
        ArgumentError: when the array cannot hold what has a derivative.
    """
    array = raw(target)
    value = seen(value)
    if isinstance(value, list | tuple) and array.dtype.kind != "O":
        value = HELPERS["call"](np.array, value)
    if type(value) is Box:
        value = fresh(value)
    boxes = chain(value) if array.dtype.kind in "fc" else []
    boxes = [box for box in boxes if box.tape is not None and box.tape.running]
    if array.dtype.kind == "O":
        array[key] = value
        return
    if type(value) is Box and array.dtype.kind not in "fciub":
        raise lost(f"written into an array of dtype {array.dtype}")
    if type(target) is Box and target.memory is LOCKED:
        raise lost("written into the imaginary part of an array")
    memory = memory_of(session, target)
    if not memory.written:
        memory.start(session)
    number = np.array(raw(value)) if np.may_share_memory(raw(value), array) else raw(value)
    array[key] = number
    nodes = {box.tape: box.index for box in boxes}
    for tape in nodes:
        memory.add_tape(tape, session)  # type: ignore[arg-type]
    if memory.tapes:
        last = is_last_write(array, key) if may_repeat(key) else None
        real = np.isrealobj(number)
        for tape in memory.tapes:
            if tape.running:
                index = nodes.get(tape)
                tape.entries.append(Write(memory, array, key, index, np.shape(number), real, last))
    memory.version += 1


def accumulate(session: Session, target: Any, key: Any, value: Any, sign: int) -> bool:
    """Record ``target[key] += value``, or ``-=``, as one step where that can be done.

    Args:
        session: what is recorded.
        target: an array, or the box of one.
        key: the index.
        value: what is added.
        sign: 1, or -1 for ``-=``.

    Returns:
        Whether it was done.
    """
    array = raw(target)
    value = seen(value)
    simple = isinstance(value, Box | float | int | np.ndarray | np.generic)
    if not simple or array.dtype.kind not in "fc" or may_repeat(key):
        return False
    if type(target) is Box and target.memory is LOCKED:
        return False
    if type(value) is Box:
        value = fresh(value)
    number = raw(value)
    if np.may_share_memory(number, array):
        return False
    memory = memory_of(session, target)
    if not memory.written:
        memory.start(session)
    part = array[key]
    if part.shape and np.broadcast_shapes(part.shape, np.shape(number)) != part.shape:
        return False
    if sign > 0:
        array[key] += number
    else:
        array[key] -= number
    for box in chain(value):
        if box.tape is not None and box.tape.running:
            memory.add_tape(box.tape, session)
            real = np.isrealobj(number)
            box.tape.entries.append(
                Added(memory, array, key, box.index, np.shape(number), real, sign)
            )
    memory.version += 1
    return True


def protected(session: Session, value: Any) -> Any:
    """Return a constant as a step may hold it: a copy where its memory was written to."""
    if not isinstance(value, np.ndarray):
        return value
    owner = owner_of(value)
    memory = session.memories.get(id(owner))
    if memory is not None and memory.owner is owner and memory.written:
        return value.copy()
    session.captured[id(owner)] = owner
    return value


class _Locked:
    """Stands for memory that is not written through an array, but may be by others."""

    written = False
    version = 0


LOCKED: Any = _Locked()


# Steps


class _OfMemory(Entry):
    """A step that concerns a part of the memory of an array."""

    __slots__ = ("array", "index", "key", "memory")

    def __init__(self, memory: Memory, array: Any, key: Any, index: Any) -> None:
        self.memory = memory
        self.array = array
        self.key = key
        self.index = index

    def shadow(self, walk: Walk) -> Any:
        """Return the cotangents of the array."""
        buffer = walk.shadows.get(self.memory)
        if buffer is None:
            buffer = walk.shadows[self.memory] = np.zeros(self.memory.owner.nbytes, np.uint8)
        shift = _address(self.array) - _address(self.memory.owner)
        return np.ndarray(self.array.shape, self.array.dtype, buffer, shift, self.array.strides)


class Start(_OfMemory):
    """The first write to memory that a node stands for."""

    __slots__ = ()

    def __init__(self, memory: Memory, array: Any, index: int) -> None:
        super().__init__(memory, array, ..., index)

    def back(self, walk: Walk) -> None:
        """Add what is left in the shadow to the cotangent of the node."""
        if self.memory in walk.shadows:
            walk.add(self.index, _take(self.shadow(walk), ...))


class Read(_OfMemory):
    """A read of a part of an array."""

    __slots__ = ()

    def back(self, walk: Walk) -> None:
        """Add the cotangent to the part of the shadow."""
        bar = walk.bars[self.index]
        if bar is not None:
            if walk.complex and self.array.dtype.kind == "f":
                bar = bar.real
            shadow = self.shadow(walk)
            if _overlaps_itself(shadow):  # several entries are one place in memory
                _add_each(shadow, self.key, bar)
            else:
                _add(shadow, self.key, bar)


class Write(_OfMemory):
    """A write to a part of an array; without a node, of a constant."""

    __slots__ = ("last", "real", "shape")

    def __init__(
        self,
        memory: Memory,
        array: Any,
        key: Any,
        index: int | None,
        shape: tuple[int, ...],
        real: bool,
        last: Any,
    ) -> None:
        super().__init__(memory, array, key, index)
        self.shape = shape
        self.real = real
        self.last = last

    def back(self, walk: Walk) -> None:
        """Take the part of the shadow, and leave zeros there."""
        if self.memory not in walk.shadows:
            return
        shadow = self.shadow(walk)
        if self.index is not None:
            bar = _take(shadow, self.key)
            if self.last is not None:
                bar = bar * self.last
            walk.add(self.index, _like(bar, self.shape, self.real, walk.complex))
        _put(shadow, self.key, 0.0)


class Added(_OfMemory):
    """A number or an array that was added to a part of an array."""

    __slots__ = ("real", "shape", "sign")

    def __init__(
        self,
        memory: Memory,
        array: Any,
        key: Any,
        index: int,
        shape: tuple[int, ...],
        real: bool,
        sign: int,
    ) -> None:
        super().__init__(memory, array, key, index)
        self.shape = shape
        self.real = real
        self.sign = sign

    def back(self, walk: Walk) -> None:
        """Take a copy of the part of the shadow."""
        if self.memory in walk.shadows:
            bar = _take(self.shadow(walk), self.key)
            bar = bar if self.sign > 0 else -bar
            walk.add(self.index, _like(bar, self.shape, self.real, walk.complex))


class Item(Entry):
    """An item of an array that nobody has written to."""

    __slots__ = ("dtype", "index", "key", "shape", "source")

    def __init__(self, index: int, source: int, key: Any, shape: Any, dtype: Any) -> None:
        self.index = index
        self.source = source
        self.key = key
        self.shape = shape
        self.dtype = dtype

    def back(self, walk: Walk) -> None:
        """Add the cotangent to the part of that of the array."""
        bars = walk.bars
        bar = bars[self.index]
        if bar is None:
            return
        if walk.complex and self.dtype.kind == "f":
            bar = bar.real
        whole = bars[self.source]
        if walk.nested:
            made = np.zeros(self.shape, self.dtype)
            _add(made, self.key, bar)
            walk.add(self.source, seen(made))
            return
        if whole is None or self.source not in walk.owned:
            whole = np.zeros(self.shape, self.dtype) if whole is None else np.array(whole)
            bars[self.source] = whole
            walk.owned.add(self.source)
        if may_repeat(self.key):
            np.add.at(whole, self.key, bar)
        else:
            whole[self.key] += bar


class _Shape:
    """Something of a shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _like(bar: Any, shape: tuple[int, ...], real: bool, is_complex: bool) -> Any:
    """Return the cotangent of what was written, which may have been broadcast."""
    if np.shape(raw(bar)) != shape:
        bar = unbroadcast(bar, _Shape(shape))
    return bar.real if is_complex and real and np.iscomplexobj(raw(bar)) else bar


def _address(array: Any) -> int:
    return array.__array_interface__["data"][0]


# The shadow itself may be recorded, when an outer tape runs


def _take(shadow: Any, key: Any) -> Any:
    box = seen(shadow)
    if type(box) is Box:
        return read(box.memory, shadow, key)
    return np.array(shadow[key])[()] if key is not ... else np.array(shadow)[()]


def _put(shadow: Any, key: Any, value: Any) -> None:
    session = state.session
    if session is not None and session.tapes:
        write(session, shadow, key, value)
    else:
        shadow[key] = value


def _add(shadow: Any, key: Any, bar: Any) -> None:
    session = state.session
    if may_repeat(key):
        _add_each(shadow, key, bar)
    elif session is None or not session.tapes:
        shadow[key] += bar
    elif not accumulate(session, shadow, key, bar, 1):
        write(session, shadow, key, _take(shadow, key) + bar)


def _add_each(shadow: Any, key: Any, bar: Any) -> None:
    """Add to entries of which several may be one place in memory."""
    session = state.session
    if session is None or not session.tapes:
        np.add.at(shadow, key, bar)
        return
    positions = np.arange(shadow.size).reshape(shadow.shape)[key]
    for place, position in np.ndenumerate(positions):
        where = np.unravel_index(int(position), shadow.shape)
        part = HELPERS["item"](bar, place)
        if not accumulate(session, shadow, where, part, 1):
            write(session, shadow, where, _take(shadow, where) + part)


def _overlaps_itself(array: Any) -> bool:
    """Tell whether several entries of an array may be one place in memory."""
    reach = array.itemsize
    for stride, length in sorted(
        (abs(s), n) for s, n in zip(array.strides, array.shape, strict=True)
    ):
        if length > 1:
            if stride < reach:
                return True
            reach += stride * (length - 1)
    return False


__all__ = [
    "LOCKED",
    "Memory",
    "all_seen",
    "mapped",
    "memory_of",
    "read",
    "refresh",
    "seen",
    "view",
    "write",
]
