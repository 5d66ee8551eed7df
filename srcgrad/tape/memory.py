"""Writes to arrays, and reads of memory that was written to.

An array that nobody writes to is a value like a number: it has one node. From the
first write on, it is its memory that counts, whatever views look at it. Each read of
that memory is then a step of its own, and so is each write; on the way back there is a
*shadow* for the memory, an array of cotangents of the same layout: a read adds to the
part that was read, a write takes the part that was written and leaves zeros there.

What steps before the first write hold of that memory is copied then, once.

A view may look at a part of each entry: the imaginary parts of complex numbers, of which
the shadow holds the negative cotangents, or a field of records.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError, MutationError
from srcgrad.program import containers
from srcgrad.program.device_arrays import (
    address,
    bounds,
    copied,
    flat_copy,
    has_devices,
    has_memory,
    is_array,
    is_number_or_array,
    is_of_others,
    is_on_device,
    is_writeable,
    like,
    number_there,
    overlap,
    placed,
    zeros,
)
from srcgrad.runtime import is_last_write, may_repeat, unbroadcast
from srcgrad.runtime.placing import add_at, last_writes, places_in
from srcgrad.runtime.placing import place as put_in_place
from srcgrad.tape.errors import lost
from srcgrad.tape.recording import Box, Entry, Tape, Walk, mapped, owner_of, raw, whole
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session, state
from srcgrad.tape.steps.noting import Noted
from srcgrad.tape.trees import contents, parts_of, replace_parts, same


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
            copy = flat_copy(self.owner)
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
            if other.memory is self and overlap(other.array, array):
                raise ArgumentError(
                    "two differentiated arguments share the memory of an array that is written",
                    fixes=["pass copies"],
                )
        self.add_tape(tape, session)
        tape.entries.append(Start(self, array, node))

    def add_tape(self, tape: Tape, session: Session) -> None:
        """Note that it holds what is differentiated on a tape."""
        if tape not in self.tapes:
            if type(tape.entries) is Noted:
                tape.entries.memories[self] = self.owner.copy(order="K")
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
    value = whole(value)
    if type(value) is not np.ndarray and not is_array(value):
        return value
    if session.constants:
        constant = _constant_of(session, value)
        if constant is not None:
            _renew(*constant)
            return value
    memory = known_memory(session, value)
    if memory is None or not memory.is_active():
        return value
    return view(value, memory)


def all_seen(tree: Any) -> Any:
    """Put boxes around the arrays in containers and objects that hold what is recorded.

    What can be changed stays what it is: whoever is given it may keep or change it.
    """
    return _all_seen(tree, set())


def _all_seen(tree: Any, known: set[int]) -> Any:
    kind, session = type(tree), state.session
    if kind in _LEAVES or session is None:
        return seen(tree)
    if issubclass(kind, tuple):
        parts = containers.parts(tree)
        made = [_all_seen(part, known) for part in parts]
        if all(map(operator.is_, made, parts)):
            return tree
        return containers.made(kind, made)
    if parts_of(tree) is None:
        return seen(tree)

    def part_of(part: Any) -> Any:
        made = _all_seen(part, known)
        if made is not part:
            session.note(tree)
        return made

    if id(tree) not in known:
        known.add(id(tree))
        replace_parts(tree, part_of)
    return tree


_LEAVES = frozenset({Box, np.ndarray, np.float64, float, int, bool, str, type(None)})


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
    if not is_array(array):
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


def viewed(session: Session, box: Box, make: Any) -> Any:
    """Return the view that a function without a formula gives of an array.

    What is in it is read from memory, as if that had been written to.

    Args:
        session: what is recorded.
        box: the array.
        make: gives the view of the plain array.
    """
    if box.memory is LOCKED or not is_array(box.array):
        box = HELPERS["call"](np.array, box)
    found = make(box.array)
    memory = memory_of(session, box)
    if not overlap(found, box.array):
        raise lost("copied")
    if not _is_within(found, memory.owner):
        raise lost("looked at beyond the memory of its array")
    if not memory.written:
        memory.start(session)
        memory.version += 1
    return view(found, memory)


def _is_within(array: Any, owner: Any) -> bool:
    """Tell whether no entry of an array is outside of the memory of another."""
    (low, high), (first, last) = bounds(array), bounds(owner)
    return array.size == 0 or (first <= low and high <= last)


def read(memory: Memory, array: Any, key: Any) -> Any:
    """Record the read of a part of an array whose memory was written to.

    Returns:
        A copy of that part, in a box if it depends on what is differentiated.

    Raises:
        ArgumentError: when it is no part with numbers.
    """
    if array.dtype.kind not in "fc" and memory.is_active():
        if array.dtype.names is None:
            return copied(array[key])[()]
        raise lost("read as a part of records, not of one field,")
    copy = copied(array[key])[()] if key is not ... else copied(array)
    value: Any = copy
    for tape in memory.tapes:
        if not tape.running:
            continue
        index = tape.node()
        tape.entries.append(Read(memory, array, key, index))
        value = Box(copy, tape, index, value)
    return value


def write(session: Session, target: Any, key: Any, value: Any, locked: bool = False) -> None:
    """Record a write to an array, and carry it out.

    Args:
        session: what is recorded.
        target: an array, or the box of one.
        key: the index that is written.
        value: what is written there: a number, an array, a box, or a sequence of them.
        locked: whether it is written to an array that is read-only, too.

    Raises:
        ArgumentError: when the array cannot hold what has a derivative.
    """
    array = raw(target)
    if session.undo is not None:
        session.undo.array(target, key)
    if array.dtype.kind == "O" and not isinstance(np.empty(array.shape, bool)[key], np.ndarray):
        array[key] = value  # one object: the one that is written, not its numbers
        return
    value = HELPERS["as_array"](seen(value), array.dtype.kind)
    if array.dtype.names is not None:
        _write_records(session, array, key, value)
        return
    if isinstance(value, list | tuple) and array.dtype.kind != "O":
        if not is_on_device(array):
            value = mapped(_number_here, value)
        value = HELPERS["call"](np.array, value)
    if has_devices():
        _require_writable(array)
        value = value if is_on_device(array) else _number_here(value)
    if session.constants:
        _require_no_constant(session, array)
    if type(value) is Box:
        value = fresh(value)
    boxes = chain(value) if array.dtype.kind in "fc" else []
    boxes = [box for box in boxes if box.tape is not None and box.tape.running]
    if array.dtype.kind == "O":
        array[key] = as_objects(value) if type(value) is Box else value
        return
    if type(value) is Box and array.dtype.kind not in "fciub":
        raise lost(f"written into an array of dtype {array.dtype}")
    if type(target) is Box and target.memory is LOCKED:
        raise lost("written into a view of a value that was copied")
    memory = memory_of(session, target)
    if not memory.written:
        memory.start(session)
    number = copied(raw(value)) if overlap(raw(value), array) else raw(value)
    nodes = {box.tape: box.index for box in boxes}
    for tape in nodes:
        memory.add_tape(tape, session)  # type: ignore[arg-type]
    last = None
    if nodes and may_repeat(key):
        if is_on_device(array):
            number, last = _one_for_each(array, key, number)
        else:
            last = is_last_write(array, key)
    if locked and not is_writeable(array):
        np.asarray(_Unlocked(array))[key] = number
    else:
        array[key] = number
    if nodes and has_devices():
        _require_together(array, number)
    if memory.tapes:
        real = np.isrealobj(number)
        for tape in memory.tapes:
            if tape.running:
                index = nodes.get(tape)
                tape.entries.append(Write(memory, array, key, index, np.shape(number), real, last))
                if index is None and type(tape.entries) is Noted:
                    tape.entries.constants[tape.entries[-1]] = copied(number)
    memory.version += 1


def _number_here(value: Any) -> Any:
    """Return an array on a device without axes as a number of the host, as NumPy asks for it."""
    if not is_on_device(raw(value)) or np.ndim(raw(value)):
        return value
    return HELPERS["call"](complex if np.iscomplexobj(raw(value)) else float, value)


def _require_writable(array: Any) -> None:
    """Refuse to write an array of which it is not known what shares its memory."""
    if not has_memory(array):
        raise lost(f"written into a {type(array).__name__}, of which the memory is not known,")


def _require_together(array: Any, number: Any) -> None:
    """Refuse that what is differentiated is copied from a device to the host, or back."""
    if np.ndim(number) and is_on_device(number) != is_on_device(array):
        raise lost("copied between the host and a device")
    if is_on_device(number) and not is_on_device(array):
        raise lost("copied between the host and a device")


def _one_for_each(array: Any, key: Any, number: Any) -> tuple[Any, Any]:
    """Return what to write where an index may name an entry twice, so that all agree on it.

    On a device it is not defined which of several values is there afterwards.

    Returns:
        For each place in the index the value that is there afterwards, and whether it came from
        that place.
    """
    staying, entries = last_writes(array, key)
    if np.ndim(number):
        number = np.broadcast_to(number, entries.shape).reshape(-1)[staying]
    return number, staying == entries


class _Unlocked:
    """The memory of an array that is read-only, as one that is not."""

    def __init__(self, array: Any) -> None:
        (address, _) = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
        self.array = array


def as_objects(value: Any) -> Any:
    """Return an array of objects with the entries of an array that is differentiated."""
    shape = np.shape(raw(value))
    made = np.empty(shape, object)
    for place in np.ndindex(shape):
        made[place] = HELPERS["item"](value, place) if shape else value
    return made if shape else value


def as_numbers(value: Any) -> Any:
    """Return an array of objects as one of numbers, which may be differentiated.

    Args:
        value: any value; what is no array of objects is returned as it is.

    Raises:
        ArgumentError: when there is anything but numbers in it.
    """
    if not is_array(value) or type(value) is Box or value.dtype.kind != "O":
        return value
    parts = value.reshape(-1).tolist()
    if not all(isinstance(raw(part), int | float | complex | np.number) for part in parts):
        raise lost("beside an array of objects that are no numbers")
    entries = HELPERS["call"](np.array, [part + 0.0 for part in parts])
    return HELPERS["call"](np.reshape, entries, value.shape)


def _write_records(session: Session, array: Any, key: Any, value: Any) -> None:
    """Record a write to records, or to a field of them."""
    names = array.dtype.names
    fields = [key] if isinstance(key, str) else key if isinstance(key, list) else []
    if fields and all(isinstance(part, str) for part in fields):
        write(session, array[key], ..., value)
        return
    records = raw(value).dtype.names is not None if hasattr(raw(value), "dtype") else False
    for k, name in enumerate(names):
        if records:
            part = HELPERS["item"](value, value.dtype.names[k])
        else:
            part = _field(value, k)
        write(session, array[name], key, part)


def copy_of_records(session: Session, box: Box, key: Any) -> Any:
    """Return a copy of some of the records in memory that was written to."""
    made = np.array(box.array[key])
    for name in made.dtype.names or ():
        write(session, made[name], ..., HELPERS["item"](HELPERS["item"](box, name), key))
    return seen(made)


def _field(value: Any, k: int) -> Any:
    """Return what a field of records is given: a tuple is a record, a list is several."""
    if isinstance(value, list):
        return [_field(part, k) for part in value]
    return value[k] if isinstance(value, tuple) else value


def write_by(session: Session, target: Any, value: Any, how: Callable[[Any, Any], None]) -> None:
    """Record a write of which NumPy says which value goes where, and carry it out.

    NumPy writes the numbers of the values into an array of whole numbers.

    Args:
        session: what is recorded.
        target: an array, or the box of one.
        value: the values.
        how: writes an array of values into an array.
    """
    target = seen(target)
    value = HELPERS["as_array"](seen(value), raw(target).dtype.kind)
    value = HELPERS["call"](np.array, value) if isinstance(value, tuple | list) else value
    if is_on_device(raw(target)):
        _write_there(session, target, value, how)
        return
    number = np.asarray(raw(value))
    trial = np.array(raw(target))
    trial.flags.writeable = np.asarray(raw(target)).flags.writeable
    how(trial, number)  # it may raise an error
    if isinstance(raw(target), np.generic):
        return  # what is written into is a copy of a number, in plain Python as well
    places = np.full(raw(target).shape, -1)
    how(places, np.arange(number.size).reshape(number.shape))
    mask = places >= 0
    if mask.any():
        entries = HELPERS["call"](np.reshape, value, (-1,))
        write(session, target, mask, HELPERS["item"](entries, places[mask]))


def _write_there(
    session: Session, target: Any, value: Any, how: Callable[[Any, Any], None]
) -> None:
    """Do what ``write_by`` does, on a device: without asking which entries are written."""
    array, number = raw(target), raw(value)
    if not is_on_device(number):
        number = number_there(number, array.dtype, like(array))
    how(array.copy(), number)  # it may raise an error
    places = np.full_like(array, -1, dtype=int)
    how(places, places_in(number))
    if not number.size:
        return
    entries = HELPERS["call"](np.reshape, value, (-1,)) if np.shape(raw(value)) else value
    if np.shape(raw(value)):
        entries = HELPERS["item"](entries, np.maximum(places, 0))
    write(session, target, ..., HELPERS["call"](np.where, places >= 0, entries, target))


def reshape_in_place(session: Session, target: Any, shape: Any) -> None:
    """Give an array another shape; steps keep what they hold as it is.

    Args:
        session: what is recorded.
        target: an array, or the box of one.
        shape: its new shape.
    """
    array = raw(target)
    memory = memory_of(session, target)
    if memory is LOCKED or any(
        array is part for pair in session.constants.values() for part in pair
    ):
        raise lost("given another shape")
    before = array.view()
    array.shape = shape  # it may raise an error
    if not memory.written:
        array.shape = before.shape
        memory.start(session)
        array.shape = shape
    memory.version += 1
    for tape in (*session.tapes, *session.finished):
        for entry in tape.entries:
            if isinstance(entry, OfMemory) and entry.array is array:
                entry.array = before


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
    simple = isinstance(value, Box | float | int) or is_number_or_array(value)
    if not simple or array.dtype.kind not in "fc" or may_repeat(key):
        return False
    if type(target) is Box and target.memory is LOCKED:
        return False
    if type(value) is Box:
        value = fresh(value)
    number = raw(value)
    if overlap(number, array) or is_on_device(number) > is_on_device(array):
        return False
    if has_devices():
        _require_writable(array)
    if session.constants:
        _require_no_constant(session, array)
    memory = memory_of(session, target)
    if not memory.written:
        memory.start(session)
    part = array[key]
    if part.shape and np.broadcast_shapes(part.shape, np.shape(number)) != part.shape:
        return False
    if session.undo is not None:
        session.undo.array(target, key)
    nodes = {box.tape: box.index for box in chain(value) if box.tape and box.tape.running}
    for tape in nodes:
        memory.add_tape(tape, session)
    if sign > 0:
        array[key] += number
    else:
        array[key] -= number
    if nodes and has_devices():
        _require_together(array, number)
    real = np.isrealobj(number)
    for tape, index in nodes.items():
        tape.entries.append(Added(memory, array, key, index, np.shape(number), real, sign))
    for tape in memory.tapes:
        if tape.running and tape not in nodes and type(tape.entries) is Noted:
            tape.entries.append(Added(memory, array, key, None, np.shape(number), real, sign))
            tape.entries.constants[tape.entries[-1]] = copied(number)
    memory.version += 1
    return True


def protected(session: Session, value: Any) -> Any:
    """Return a constant as a step may hold it: a copy where its memory is, or may be, written."""
    if type(value) is not np.ndarray and not is_array(value):
        return value
    owner = owner_of(value)
    memory = session.memories.get(id(owner))
    if memory is not None and memory.owner is owner and memory.written:
        return value.copy()
    if is_of_others(owner) or _constant_of(session, owner) is not None:
        return value.copy()  # the memory of something else, through which it may be written
    session.captured[id(owner)] = owner
    return value


def copy_of_constant(session: Session, array: Any) -> Any:
    """Return a copy of what stands for a constant, and is the memory of a recorded value."""
    made = array.copy()
    session.constants[id(made)] = made, array
    return made


def _constant_of(session: Session, array: Any) -> tuple[Any, Any] | None:
    """Return the copy that an array is, or is a view of, and the array that it stands for."""
    owner = owner_of(array)
    found = session.constants.get(id(owner))
    return found if found is not None and found[0] is owner else None


def renew_constants(session: Session) -> None:
    """Let each copy that stands for an array as a constant hold what that holds now."""
    for made, array in session.constants.values():
        _renew(made, array)


def require_copies(session: Session) -> None:
    """Refuse that a container or an object, or a copy of it as a constant, was changed."""
    for made, own, *before in session.copies.values():
        for value, held in zip((made, own), before, strict=True):
            if not same(held, contents(value)):
                raise MutationError(
                    f"a {type(value).__name__} is changed of which another name is a constant",
                    why="What stop_gradient gives is the object itself: the change is seen there.",
                    fixes=["take the constants of what it holds", "take a copy of it before"],
                )


def _renew(made: Any, array: Any) -> None:
    made[...] = array


def _require_no_constant(session: Session, array: Any) -> None:
    """Refuse to write into a copy that stands for an array as a constant."""
    if _constant_of(session, array) is not None:
        raise MutationError(
            "an array is written as a constant, which another name holds as a value",
            why="What stop_gradient gives is the array itself: the write changes it as well.",
            fixes=["write into the array", "take a copy: stop_gradient(x.copy())"],
        )


class _Locked:
    """Stands for memory that is not written through an array, but may be by others."""

    written = False
    version = 0


LOCKED: Any = _Locked()


# Steps


def _frozen(key: Any) -> Any:
    """Return an index as a step holds it: a copy, as the program may write into its own."""
    if type(key) is tuple:
        return tuple(map(_frozen, key))
    if is_array(key):
        return key.copy()
    return copy.deepcopy(key) if isinstance(key, list) else key


class OfMemory(Entry):
    """A step that concerns a part of the memory of an array.

    Attributes:
        memory: that memory.
        array: the array, a view of that memory.
        key: which part of it.
        index: the node of what is read or written.
        turned: whether the shadow holds the negative cotangents.
    """

    __slots__ = ("array", "index", "key", "memory", "turned")

    def __init__(self, memory: Memory, array: Any, key: Any, index: Any) -> None:
        self.memory = memory
        self.array = array
        self.key = _frozen(key)
        self.index = index
        self.turned = array.dtype.kind == "f" and _is_imaginary(array, memory.owner)

    def shadow(self, walk: Walk) -> Any:
        """Return the cotangents of the array."""
        if not self.array.size:  # the strides of nothing may lead anywhere
            return zeros(self.array.shape, self.array.dtype, like(self.array))
        buffer = walk.shadows.get(self.memory)
        if buffer is None:
            owner = self.memory.owner  # of its dtype, as the shadow may itself be recorded
            buffer = walk.shadows[self.memory] = zeros(owner.size, owner.dtype, like(owner))
        return placed(buffer, self.array, self.memory.owner)

    def taken(self, shadow: Any) -> Any:
        """Return a copy of the cotangents of the part."""
        bar = _take(shadow, self.key)
        return -bar if self.turned else bar


class Start(OfMemory):
    """The first write to memory that a node stands for."""

    __slots__ = ()

    def __init__(self, memory: Memory, array: Any, index: int) -> None:
        super().__init__(memory, array, ..., index)

    def back(self, walk: Walk) -> None:
        """Add what is left in the shadow to the cotangent of the node."""
        if self.memory in walk.shadows:
            walk.add(self.index, self.taken(self.shadow(walk)))


class Read(OfMemory):
    """A read of a part of an array."""

    __slots__ = ()

    def back(self, walk: Walk) -> None:
        """Add the cotangent to the part of the shadow."""
        bar = walk.bars[self.index]
        if bar is not None:
            bar = _of_kind(bar, self.array.dtype.kind)
            bar = -bar if self.turned else bar
            shadow = self.shadow(walk)
            if overlaps_itself(shadow):  # several entries are one place in memory
                _add_each(shadow, self.key, bar)
            else:
                _add(shadow, self.key, bar)


class Write(OfMemory):
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
            bar = self.taken(shadow)
            if self.last is not None:
                bar = bar * self.last
            walk.add(self.index, _like(bar, self.shape, self.real, walk.complex))
        put(shadow, self.key, 0.0)


class Added(OfMemory):
    """A number or an array that was added to a part of an array; without a node, a constant."""

    __slots__ = ("real", "shape", "sign")

    def __init__(
        self,
        memory: Memory,
        array: Any,
        key: Any,
        index: int | None,
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
        if self.memory in walk.shadows and self.index is not None:
            bar = self.taken(self.shadow(walk))
            bar = bar if self.sign > 0 else -bar
            walk.add(self.index, _like(bar, self.shape, self.real, walk.complex))


class Item(Entry):
    """An item of an array that nobody has written to."""

    __slots__ = ("dtype", "index", "key", "place", "shape", "source")

    def __init__(self, index: int, source: int, key: Any, array: Any) -> None:
        self.index = index
        self.source = source
        self.key = _frozen(key)
        self.shape = array.shape
        self.dtype = array.dtype
        self.place = None if type(array) is np.ndarray else like(array)

    def back(self, walk: Walk) -> None:
        """Add the cotangent to the part of that of the array."""
        bars = walk.bars
        bar = bars[self.index]
        if bar is None:
            return
        bar = _of_kind(bar, self.dtype.kind)
        whole = bars[self.source]
        if walk.nested:
            made = zeros(self.shape, self.dtype, self.place)
            _add(made, self.key, bar)
            walk.add(self.source, seen(made))
            return
        # a sum of arrays without dimensions is a number
        if whole is None or not self.shape or self.source not in walk.owned:
            whole = zeros(self.shape, self.dtype, self.place) if whole is None else copied(whole)
            bars[self.source] = whole
            walk.owned.add(self.source)
        if may_repeat(self.key):
            add_at(whole, self.key, bar)
        else:
            whole[self.key] += bar


class _Shape:
    """Something of a shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _of_kind(bar: Any, kind: str) -> Any:
    """Return a cotangent of real numbers as real, which a formula may give as complex."""
    if type(bar) is float or type(bar) is np.float64 or kind != "f":
        return bar
    return bar.real if np.iscomplexobj(raw(bar)) else bar


def _like(bar: Any, shape: tuple[int, ...], real: bool, is_complex: bool) -> Any:
    """Return the cotangent of what was written, which may have been broadcast."""
    if np.shape(raw(bar)) != shape:
        bar = unbroadcast(bar, _Shape(shape))
    return bar.real if is_complex and real and np.iscomplexobj(raw(bar)) else bar


def _is_imaginary(array: Any, owner: Any) -> bool:
    """Tell whether real numbers are the imaginary parts of those that the memory is made of.

    Raises:
        ArgumentError: when some are, and others are not.
    """
    kinds = _kinds(owner.dtype)
    if "c" not in kinds:
        return False
    if kinds != {"c"}:
        raise lost("real or imaginary part of a field of records,")
    size = owner.dtype.itemsize
    steps = zip(array.shape, array.strides, strict=True)
    if any(length > 1 and stride % size for length, stride in steps):
        raise lost("seen as real and imaginary parts in turn")
    return (address(array) - address(owner)) % size != 0


def _kinds(dtype: Any) -> set[str]:
    """Return the kinds of the numbers in an array, and in the fields of records."""
    if dtype.subdtype is not None:
        return _kinds(dtype.subdtype[0])
    if dtype.names is None:
        return {dtype.kind}
    return set().union(*(_kinds(dtype[name]) for name in dtype.names))


# The shadow itself may be recorded, when an outer tape runs


def _take(shadow: Any, key: Any) -> Any:
    box = seen(shadow)
    if type(box) is Box:
        return read(box.memory, shadow, key)
    return copied(shadow[key])[()] if key is not ... else copied(shadow)[()]


def put(shadow: Any, key: Any, value: Any) -> None:
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
        if is_on_device(shadow):
            _add_at_addresses(shadow, key, bar)
        else:
            np.add.at(shadow, key, bar)
        return
    if is_on_device(shadow) and not overlaps_itself(shadow):
        added = HELPERS["call"](put_in_place, bar, key, shadow)
        if not accumulate(session, shadow, ..., added, 1):
            write(session, shadow, ..., _take(shadow, ...) + added)
        return
    positions = np.arange(shadow.size).reshape(shadow.shape)[key]
    for place, position in np.ndenumerate(positions):
        where = np.unravel_index(int(position), shadow.shape)
        part = HELPERS["item"](bar, place)
        if not accumulate(session, shadow, where, part, 1):
            write(session, shadow, where, _take(shadow, where) + part)


def _add_at_addresses(shadow: Any, key: Any, bar: Any) -> None:
    """Add to entries on a device, of which several may be one place in memory."""
    memory = owner_of(shadow)
    steps = np.array(shadow.strides) // shadow.itemsize
    first = (address(shadow) - address(memory)) // shadow.itemsize
    places = first + sum(
        step * np.reshape(np.arange(length), (-1,) + (1,) * (shadow.ndim - axis - 1))
        for axis, (step, length) in enumerate(zip(steps, shadow.shape, strict=True))
    )
    there = np.asarray(np.broadcast_to(places, shadow.shape), like=shadow)
    flat = type(shadow)((memory.nbytes // shadow.itemsize,), shadow.dtype, memory.data)
    add_at(flat, there[key], bar)


def overlaps_itself(array: Any) -> bool:
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
