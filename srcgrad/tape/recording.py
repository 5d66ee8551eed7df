"""The tape: what was computed from what, in order, and the walk back.

An entry holds numbers of nodes, not values, so that what no derivative needs is freed.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.declared import Declared
from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.program import containers
from srcgrad.program.device_arrays import (
    is_array,
    is_number_or_array,
    is_on_device,
    like,
    owner_on_device,
    placed,
    zeros,
)
from srcgrad.registry import tests_for_none
from srcgrad.runtime import unbroadcast
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import levels, state
from srcgrad.tape.steps.noting import Noted, line_at, running
from srcgrad.tape.steps.watching import went_back


class Box:
    """A number or an array that depends on what is differentiated. It behaves like what it holds.

    Its operators and methods stand in ``operators.py`` and ``arrays.py``.

    Attributes:
        array: the number or the array itself, as the program would have it.
        tape: the innermost tape that it is recorded on; None for a constant.
        index: the number of its node on that tape.
        value: what it is to that tape: the number or the array as it was when it was
            recorded, which nobody writes to, or a box of the next outer tape.
        memory: the memory that it shares with others, where that is known.
        version: how often that memory had been written when the node was made.
    """

    __slots__ = ("__weakref__", "array", "index", "memory", "tape", "value", "version")
    __class__ = property(lambda self: type(self.array))  # type: ignore[assignment]

    def __init__(
        self, array: Any, tape: Tape | None, index: int, value: Any, memory: Any = None
    ) -> None:
        self.array = array
        self.tape = tape
        self.index = index
        self.value = value
        self.memory = memory
        self.version = 0


# From NumPy 2.5 on, patterns of sequences in a match statement hold for arrays. Python asks the
# class of a value for that by a flag, which is set where the class is registered.
_SEQUENCE = 1 << 5
if np.ndarray.__flags__ & _SEQUENCE:
    abc.ABCMeta.register(Sequence, Box)  # type: ignore[arg-type]


def is_sequence(value: Any) -> bool:
    """Tell whether patterns of sequences in a match statement may hold for a value."""
    kind = type(value.array) if type(value) is Box else type(value)
    return bool(kind.__flags__ & _SEQUENCE)


class Entry:
    """A step that was recorded; it gives the cotangents of its inputs from that of its output."""

    __slots__ = ()

    index: Any
    inputs: Any
    held: Any
    options: Any
    spot: Any
    once = False  # whether it runs code of the user's when it is walked back

    def back(self, walk: Walk) -> None:
        """Add the cotangents of the inputs to those of their nodes."""
        raise NotImplementedError

    def touches(self, owner: Any) -> bool:
        """Tell whether the step holds an array in the memory of another one."""
        return False

    def renew(self, owner: Any, copy: Any) -> None:
        """Hold a copy in the place of the memory of an array, which is about to be written."""


@dataclass(eq=False)
class Tape:
    """A recording of one run of a function.

    Printed, it shows what was computed; after a walk back, also the derivatives
    of the result with respect to all of it.

    Attributes:
        level: tapes that started later have a higher one.
        births: for each node how many steps there were before it.
        arguments: the differentiated arguments: name, node and value.
        entries: the steps, in order.
        running: whether the function still runs; afterwards nothing is recorded.
        complex: whether there are complex numbers.
        bars: the cotangents that the last walk back found, by node.
        watch: who watches it, if anybody does.
        function: what ran, and its arguments by name; where the steps are noted.
        ends: the result: nodes and constants; where the steps are noted.
        seeds: the nodes of the result, and the cotangents that the last walk began with.
        messages: nodes of steps that are walked back in any case, as other ranks wait for them.
        failed: what was refused in another thread, where nobody may have heard of it.
        dropped: the nodes of steps that are not there any more, the first and that behind the last.

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

    level: int = field(default_factory=lambda: next(levels))
    births: list[int] = field(default_factory=list)
    arguments: list[tuple[str, int, Any]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    running: bool = True
    complex: bool = False
    bars: list[Any] = field(default_factory=list)
    watch: Any = None
    function: Any = None
    ends: Any = None
    seeds: list[tuple[int, Any]] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    failed: Any = None
    dropped: list[tuple[int, int]] = field(default_factory=list)

    def note(self, function: Any, given: dict[str, Any]) -> None:
        """Note of each step, from now on, where in the program it stands.

        Args:
            function: what is going to run.
            given: its arguments, by name.
        """
        self.entries = Noted()
        self.function = function, given

    def source(self) -> str:
        """Return what ran as a straight-line Python program: values, then cotangents.

        Each line of it is a step of the tape, with the line of the function's that it comes
        from above it; control flow, called functions and containers are gone. Executed, it
        defines a function of the differentiated arguments that gives the value and the
        gradient, and ``arguments``, those of the recorded call.

        Raises:
            ArgumentError: when nothing was recorded for somebody to read: give the empty
                tape to ``srcgrad.tape.vjp``.

        Example:
            >>> from srcgrad.tape import Tape, vjp
            >>> tape = Tape()
            >>> value, backward = vjp(lambda a, b: (a + b) * b, 2.0, 3.0, wrt=(0, 1), tape=tape)
            >>> space = {}
            >>> exec(tape.source(), space)
            >>> value, slopes = space["function"](*space["arguments"])
            >>> float(value), [float(slope) for slope in slopes]
            (15.0, [3.0, 8.0])
        """
        return program(self).text

    def node(self) -> int:
        """Return the number of a new node."""
        self.births.append(len(self.entries))
        return len(self.births) - 1

    def back(
        self,
        seeds: list[tuple[int, Any]],
        keep: bool = False,
        transposed: bool = False,
        careful: bool = False,
    ) -> list[Any]:
        """Walk back over the entries; once more, and careful, where a cotangent is not finite.

        Args:
            seeds: nodes, and the cotangents of the result in them.
            keep: whether those of all nodes are kept, to be printed.
            transposed: whether the walk is recorded for the sake of its own derivative,
                with cotangents that only stand for others.
            careful: whether what is left out counts as such from the beginning.

        Returns:
            The cotangents of all nodes; None for those that are known to be zero.
        """
        once = keep or self.watch is not None or bool(self.messages)
        once = once or any(entry.once for entry in self.entries)
        walk = Walk(self, keep, transposed)
        walk.careful = careful or once
        try:
            self._walk_back(walk, seeds)
            found = [walk.bars[k] for _, k, _ in self.arguments]
            fine = walk.careful or transposed or self._reads_all(found, seeds) or all_finite(found)
        except ZeroDivisionError:  # of numbers of Python's
            if walk.careful:
                raise
            fine = False
        if not fine:
            walk = Walk(self, keep, transposed)
            walk.careful = True
            self._walk_back(walk, seeds)
        if keep:
            self.bars = list(walk.bars)
            self.seeds = seeds
        return walk.bars

    def _reads_all(self, bars: list[Any], seeds: list[tuple[int, Any]]) -> bool:
        """Tell whether each step reads all that it is given, so that nothing was left out.

        Then it makes no difference whether a walk is careful. It is asked only where a look at
        the cotangents would wait for a device.
        """
        if not any(is_on_device(raw(bar)) for bar in bars):
            return False
        return not any(np.ndim(raw(bar)) for _, bar in seeds) and all(
            type(entry) is Call and entry.plan.reads_all for entry in self.entries
        )

    def _walk_back(self, walk: Walk, seeds: list[tuple[int, Any]]) -> None:
        walk.seeds = seeds
        for index, bar in (*seeds, *((index, 0.0) for index in self.messages)):
            walk.add(index, bar)
        entry = None
        with np.errstate(all="ignore"):  # in cotangents of constants, which nobody asked for
            try:
                for entry in reversed(self.entries):
                    entry.back(walk)
                for first, last in self.dropped:
                    require_unread(walk.bars[first:last])
                if self.messages and not walk.nested:
                    HELPERS["flush"]()
            except NotImplementedError as error:  # how a formula refuses an option
                raise MissingFormulaError.of_option(error) from None
            except Exception as error:
                name = getattr(getattr(getattr(entry, "plan", None), "fn", None), "__name__", "")
                if entry is not None and name:
                    line = line_at(entry.spot)
                    error.add_note(f"in the backward part of a recorded call of {name}{line}")
                raise

    def reading(self, seeds: list[tuple[int, Any]]) -> list[Any]:
        """Return for all nodes which entries the result is computed from.

        Args:
            seeds: nodes, and the cotangents of the result in them.

        Returns:
            For each node an array that is 0 in the entries that nothing reads, or None where
            nothing reads any of it. What reads an entry counts, however flat it is there:
            the square of a number that is 0 has the slope 0, and reads it.
        """
        walk = Walk(self, True, False)
        walk.reading = True
        walk.watch = None
        walk.nested = False
        draw = np.random.default_rng(0)  # sums of numbers drawn do not cancel
        for index, bar in seeds:
            found = raw(bar)
            if is_on_device(found):
                weights = 1 + np.sin(np.cumsum(np.ones_like(found)).reshape(found.shape)) ** 2
            else:
                weights = draw.uniform(1, 2, np.shape(found))
            walk.add(index, (weights * (found != 0))[()])
        for index in self.messages:  # which another rank may read
            walk.add(index, 1.0)
        with np.errstate(all="ignore"):
            for entry in reversed(self.entries):
                entry.back(walk)
        return walk.bars

    def __str__(self) -> str:
        return "\n".join(lines(self))


def _size(part: Any) -> Any:
    return np.abs(part) if isinstance(part, float) or is_number_or_array(part) else part


def all_finite(bars: Iterable[Any]) -> bool:
    """Tell whether all cotangents are finite; those on a device are asked once, all together."""
    there: Any = None
    for bar in bars:
        if bar is not None:
            fine = np.all(np.isfinite(raw(bar)))
            if is_on_device(fine):
                there = fine if there is None else there & fine
            elif not fine:
                return False
    return there is None or bool(there)


# what a tape recorded, and after a walk back, the derivatives; and the same as a program
lines: Declared[[Tape], list[str]] = Declared("lines")
program: Declared[[Tape], Any] = Declared("program")


class Walk:
    """A walk back over a tape.

    Attributes:
        bars: the cotangents of the nodes so far; None for zero.
        owned: the nodes whose cotangent is an array that only the walk holds.
        shadows: for memory that was written, the cotangents of its bytes.
        complex: whether there are complex numbers.
        keep: whether cotangents are kept when they are not needed any more.
        nested: whether the walk itself may be recorded.
        transposed: whether the cotangents only stand for others.
        watch: who watches it, if anybody does.
        seeds: the cotangents that it began with.
        reading: whether it asks what is read, and not how steep it is.
        careful: whether it looks at each step for slopes that are infinite where nothing reads.
    """

    __slots__ = (
        "_read", "bars", "careful", "complex", "keep", "nested", "owned", "reading", "seeds",
        "shadows", "tape", "transposed", "watch",
    )  # fmt: skip

    def __init__(self, tape: Tape, keep: bool, transposed: bool) -> None:
        self.bars: list[Any] = [None] * len(tape.births)
        self.owned: set[int] = set()
        self.shadows: dict[Any, Any] = {}
        self.complex = tape.complex
        self.keep = keep
        self.transposed = transposed
        self.watch = tape.watch
        self.nested = state.session is not None and bool(state.session.tapes)
        self.tape = tape
        self.seeds: list[tuple[int, Any]] = []
        self.reading = False
        self.careful = False
        self._read: list[Any] | None = None

    def read(self, index: int) -> Any:
        """Return which entries of a node something reads; see ``Tape.reading``."""
        if self._read is None:
            self._read = self.tape.reading(self.seeds)
        found = raw(self._read[index])
        return np.False_ if found is None else found != 0

    def add(self, index: int, bar: Any) -> None:
        """Add to the cotangent of a node."""
        bars = self.bars
        before = bars[index]
        if before is None:
            bars[index] = bar
        else:
            # arrays of CuPy's do not leave an operator to what stands on its right
            bars[index] = bar + before if type(bar) is Box else before + bar
            self.owned.add(index)


class Call(Entry):
    """A call of a function that has a formula.

    Attributes:
        index: the node of the result; for several results a tree of nodes and None.
        inputs: position and node of each argument that was recorded; for an argument
            that holds several, a tree of nodes and None.
        backward: gives the cotangents of the arguments from that of the result.
        plan: the function, and how its formula takes arguments.
        held: the arguments of the formula.
        options: its keyword arguments.
        nested: whether the backward function can itself be recorded.
        spot: the instruction of the user's that called it.
    """

    __slots__ = ("backward", "held", "index", "inputs", "nested", "options", "plan", "spot")

    def __init__(
        self,
        index: Any,
        inputs: Any,
        backward: Callable[..., Any],
        plan: Any,
        held: Any,
        options: Any,
        nested: bool,
    ) -> None:
        self.index = index
        self.inputs = inputs
        self.backward = backward
        self.plan = plan
        self.held = held
        self.options = options
        self.nested = nested
        self.spot = running()

    def back(self, walk: Walk) -> None:
        """Add the cotangents of the arguments to those of their nodes."""
        if type(self.index) is int:
            bar = walk.bars[self.index]
            if bar is None:
                return
            if not walk.keep:
                walk.bars[self.index] = None
        else:
            bar = self._several(walk)
            if bar is None:
                return
        if walk.nested and not self.nested:
            self.make_nested()
        if walk.reading and not self.plan.selects:
            made = self._reading(bar)
        elif walk.careful and type(self.index) is int:
            made = self._careful(bar, walk)
        else:
            made = self.backward(bar)
            if walk.reading:  # what is read twice does not cancel
                made = mapped(_size, unboxed(made))
            if self.plan.single:
                made = (made,)
        plan = self.plan
        if walk.watch is not None:
            went_back(walk.watch, self, bar, made)
        check = walk.complex or not plan.own
        for position, index in self.inputs:
            part, held = made[position], self.held[position]
            if part is None:
                continue
            if walk.reading:
                held = unboxed(held)
            if plan.elementwise:
                part = plan.summed(part, held)
            if type(index) is not int:
                add_tree(walk, index, part, held)
            elif type(part) is list or type(part) is tuple:  # the argument is a sequence
                walk.add(index, self.plan.array_of(part))
            elif check:
                walk.add(index, fitting(part, held, self.plan.own))
            else:
                walk.add(index, part)

    def _careful(self, bar: Any, walk: Walk) -> tuple[Any, ...]:
        """The cotangents of the arguments; 0 where nothing reads, whatever the slope."""
        assert type(self.index) is int
        if walk.transposed:
            return self._choosing(bar)
        zero = raw(bar) == 0
        unread = zero & ~walk.read(self.index) if np.any(zero) else zero
        if np.all(unread):
            return tuple(None for _ in self.held)
        made = self._choosing(bar)
        if not np.any(unread) or not self.plan.entrywise:
            return made
        found = []
        for part in made:
            number = raw(part)
            if part is not None and np.shape(number) == np.shape(unread):
                outside = unread & ~np.isfinite(number)
                if np.any(outside):
                    part = self.plan.without(outside, part)
            found.append(part)
        return tuple(found)

    def _back_from(self, bar: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments; infinite ones also for numbers of Python's."""

        def of_numpy(part: Any) -> Any:
            number = raw(part)
            if type(number) is int and abs(number) < 2**63:
                return HELPERS["call"](np.int64, part)
            return HELPERS["call"](np.float64, part) if type(number) is float else part

        try:
            made = self.backward(bar)
        except ZeroDivisionError:
            held = mapped(of_numpy, self.held)
            backward = self.plan.run(held, self.options, self.inputs, self.nested)[1]
            made = backward(of_numpy(bar))
        return (made,) if self.plan.single else made

    def _choosing(self, bar: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments; 0 where it leaves out, also of an infinite one."""
        made = self._back_from(bar)
        if not self.plan.weighs:
            return made
        weights = unboxed(self.backward(np.ones_like(raw(bar))))
        weights = (weights,) if self.plan.single else weights
        return tuple(
            part if part is None else self.plan.without(raw(weight) == 0, part)
            for part, weight in zip(made, weights, strict=True)
        )

    def _reading(self, bar: Any) -> list[Any]:
        """What is read of the arguments where some of the result is read."""
        anything = np.any(bar) if type(self.index) is int else True

        def whole(part: Any) -> Any:
            if is_on_device(part):
                return np.ones_like(part, dtype=float) * anything
            return np.full(np.shape(part), float(anything))[()]

        elementwise = self.plan.elementwise or (self.plan.single and type(self.index) is int)
        made: list[Any] = [None] * len(self.held)
        for position, index in self.inputs:
            held = unboxed(self.held[position])
            same = type(index) is int and elementwise and np.shape(held) == np.shape(bar)
            if same or (type(index) is int and self.plan.elementwise):
                made[position] = bar
            else:
                made[position] = mapped(whole, held)
        return made

    def _several(self, walk: Walk) -> Any:
        """The cotangents of several results; None where all are zero.

        A single one that is zero is zeros, or None for a formula that tells it apart.
        """
        found = [walk.bars[leaf[0]] for leaf in leaves(self.index)]
        if all(bar is None for bar in found):
            return None
        parts = iter(found)
        place = next((like(raw(bar)) for bar in found if is_on_device(raw(bar))), None)
        apart = tests_for_none(self.plan.rule)

        def part(leaf: Any) -> Any:
            if leaf is None:
                return None
            bar = next(parts)
            return bar if bar is not None or apart else zeros(leaf[1], leaf[2], place)[()]

        return mapped_leaves(part, self.index)

    def make_nested(self) -> None:
        """Make the backward function anew, as one that can be recorded itself."""
        self.nested = True
        self.backward = self.plan.run(self.held, self.options, self.inputs, True)[1]

    def touches(self, owner: Any) -> bool:
        """Tell whether an argument is in the memory of an array."""
        return any(shares(part, owner) for part in flat((self.held, self.options)))

    def renew(self, owner: Any, copy: Any) -> None:
        """Hold a copy in the place of the memory of an array, which is about to be written."""
        self.held = mapped(lambda part: moved(part, owner, copy), self.held)
        self.options = mapped(lambda part: moved(part, owner, copy), self.options)
        self.backward = self.plan.run(self.held, self.options, self.inputs, self.nested)[1]


class Steps(Entry):
    """What was recorded while a solver ran, whose result is differentiated in another way.

    Something that was computed meanwhile may have been kept, as a cache does, and be read later:
    then the steps are walked back, too.

    Attributes:
        entries: the steps; None where they would take too much memory.
        first: the first of their nodes.
        last: the node behind the last one.
    """

    __slots__ = ("entries", "first", "last")

    def __init__(self, entries: list[Any] | None, first: int, last: int) -> None:
        self.entries = entries
        self.first = first
        self.last = last

    def back(self, walk: Walk) -> None:
        """Walk back over the steps where something reads what they made."""
        bars = walk.bars[self.first : self.last]
        if all(bar is None for bar in bars):
            return
        if self.entries is None:
            require_unread(bars)
            return
        for entry in reversed(self.entries):
            entry.back(walk)

    def touches(self, owner: Any) -> bool:
        """Tell whether a step holds memory of an array."""
        return any(entry.touches(owner) for entry in self.entries or ())

    def renew(self, owner: Any, copy: Any) -> None:
        """Let the steps hold a copy of memory that is going to be written."""
        for entry in self.entries or ():
            if entry.touches(owner):
                entry.renew(owner, copy)


def require_unread(bars: Iterable[Any]) -> None:
    """Refuse a walk back that needs the steps of a solver where these are not kept."""
    if any(bar is not None for bar in bars):
        raise MissingFormulaError(
            "a value that a function computed for a solver, and kept, and is read later",
            why="The steps of a solver are not kept where they take much memory, or are printed.",
            fixes=["compute it before the solver runs"],
        )


class Leaf(tuple):
    """The node of one of several results, with its shape and its dtype."""

    __slots__ = ()


def leaves(tree: Any) -> list[Leaf]:
    """Return the nodes of several results."""
    found: list[Leaf] = []
    mapped_leaves(lambda leaf: found.append(leaf) if leaf is not None else None, tree)
    return found


def mapped_leaves(fn: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to the nodes, and the None, of several results."""
    if tree is None or type(tree) is Leaf:
        return fn(tree)
    made = [mapped_leaves(fn, part) for part in tree]
    return made if type(tree) is list else containers.made(type(tree), made)


def fitting(bar: Any, held: Any, own: bool) -> Any:
    """Return a cotangent in the kind of the value that it belongs to.

    Raises:
        ArgumentError: when a formula of the user's gave one of another shape.
    """
    wanted = raw(held)
    found = raw(bar)
    if not own and np.shape(found) != np.shape(wanted):
        raise ArgumentError(
            f"a cotangent of shape {np.shape(found)} does not fit a value",
            why=f"That has the shape {np.shape(wanted)}.",
        )
    if np.iscomplexobj(wanted):
        return bar if np.iscomplexobj(found) else bar + 0j
    return bar.real if np.iscomplexobj(found) else bar


def add_tree(walk: Walk, tree: Any, bar: Any, held: Any) -> None:
    """Add cotangents to those of the nodes of a tree."""
    if bar is None or tree is None:
        return
    if type(tree) is int:
        bar = unbroadcast(bar, held) if np.shape(raw(bar)) != np.shape(raw(held)) else bar
        walk.add(tree, fitting(bar, held, True) if walk.complex else bar)
    elif isinstance(tree, dict):
        for key, part in tree.items():
            add_tree(walk, part, bar[key], held[key])
    else:
        for part, part_bar, part_held in zip(tree, bar, held, strict=True):
            add_tree(walk, part, part_bar, part_held)


# Trees of nested tuples, lists and dicts


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to what is in nested tuples, lists and dicts, from left to right."""
    kind = type(tree)
    if kind is not list and kind is not dict and not issubclass(kind, tuple):
        return fn(tree)
    return _mapped(fn, tree, {})


def _mapped(fn: Callable[[Any], Any], tree: Any, known: dict[int, Any]) -> Any:
    kind = type(tree)
    if kind is tuple:
        return tuple([_mapped(fn, part, known) for part in tree])
    if issubclass(kind, tuple):
        made = [_mapped(fn, part, known) for part in containers.parts(tree)]
        return containers.made(kind, made)
    if kind is not list and kind is not dict:
        return fn(tree)
    if id(tree) in known:  # what holds itself, or stands in two places
        return known[id(tree)]
    made: Any = kind()
    known[id(tree)] = made
    if kind is dict:
        for key, part in tree.items():
            made[key] = _mapped(fn, part, known)
    else:
        for part in tree:
            made.append(_mapped(fn, part, known))
    return made


def flat(tree: Any) -> list[Any]:
    """Return what is in nested tuples, lists and dicts, once for each of these."""
    found: list[Any] = []
    mapped(found.append, tree)
    return found


def raw(value: Any) -> Any:
    """Return a number or an array without its box, or that of an outer tape."""
    return value.array if type(value) is Box else value


def unboxed(tree: Any) -> Any:
    """Return the values in nested tuples, lists and dicts without boxes."""
    return mapped(raw, tree)


# Memory that arrays share


def owner_of(array: Any) -> Any:
    """Return the array that owns the memory of another one."""
    if type(array) is not np.ndarray and is_on_device(array):
        return owner_on_device(array)
    while True:
        base = array.base
        if isinstance(base, memoryview):
            base = base.obj
        elif base is not None and not isinstance(base, np.ndarray):  # as_strided has one between
            base = getattr(base, "base", None)
        if not isinstance(base, np.ndarray):
            return array
        array = base


def whole(value: Any) -> Any:
    """Return a record of an array as an array without axes, in the same memory.

    Args:
        value: any value; what is no record is returned as it is.
    """
    if not isinstance(value, np.void) or value.dtype.names is None:
        return value
    if not isinstance(value.base, np.ndarray):
        return value
    owner = owner_of(value.base)
    shift = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return np.ndarray((), value.dtype, owner.ravel(order="K"), shift)


def shares(value: Any, owner: Any) -> bool:
    """Tell whether a value is an array in the memory of another one."""
    value = raw(value)
    return is_array(value) and owner_of(value) is owner


def moved(value: Any, owner: Any, copy: Any) -> Any:
    """Return an array that is in the memory of another one as it is in a copy of that.

    Args:
        value: any value; what is not in that memory is returned as it is.
        owner: the array that owns the memory.
        copy: a copy of it, with the same strides.
    """
    if not shares(value, owner):
        return value
    if type(value) is Box:
        inner = moved(value.value, owner, copy)
        return Box(moved(value.array, owner, copy), value.tape, value.index, inner)
    return placed(copy, value, owner)
