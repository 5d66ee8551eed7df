"""Entries that a sweep through an array leaves behind, and does not overwrite any more.

In ``for i in range(1, n): p[i] = f(p[i - 1])`` the entry that an iteration reads is the same at
the end of the function: later iterations write behind it. So it is read again there, and
nothing of it is kept.
"""

from __future__ import annotations

import operator
from typing import Any

from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.memory.ownership import roots_of
from srcgrad.analysis.memory.places import Places
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import infer
from srcgrad.ir.blocks import loops_of
from srcgrad.ir.layout import Binding
from srcgrad.ir.nodes import (
    INDEX_ADD,
    INDEX_SET,
    Equation,
    Function,
    Op,
    Var,
    equations,
)


class Sweeps:
    """Which entries of arrays are, where they are read, what they are at the end."""

    def __init__(
        self, function: Function, clobbered: Clobbered, equations: dict[Var, Equation]
    ) -> None:
        self.function = function
        self.layout = function.layout
        self.clobbered = clobbered
        self.places = Places(equations)
        self.loops = {loop.frame: loop for loop in loops_of(function.body)}

    def name_of(self, read: Equation) -> str | None:
        """The name under which what ``x[k]`` reads is found at the end; None if it is not.

        Args:
            read: an equation that reads an entry, or a part, of an array.
        """
        base = read.args[0]
        if not isinstance(base, Var) or base.type.kind != "array" or not base.type.active:
            return None  # of what is not differentiated, not all writes are equations
        mine = roots_of(base, self.clobbered.roots)
        if mine & self.clobbered.exposed:
            return None
        for binding in self.layout.bindings.get(base, []):
            if not binding.path and self._lasts(binding) and self._stays(read, binding.name, mine):
                return binding.name
        return None

    def _lasts(self, binding: Binding) -> bool:
        """Whether a name, given an array before any branch or loop, still has that at the end."""
        own = [w for w in self.layout.writes if w.name == binding.name and not w.in_place]
        home = self.layout.function
        return all(w.frame is home and w.position <= binding.position for w in own)

    def _stays(self, read: Equation, name: str, mine: Any) -> bool:
        """Whether no write changes what is read, later on."""
        changed = [t for write, *_ in self.clobbered.writes for t in write.targets]
        known = {b.position for t in changed for b in self.layout.bindings.get(t, [])}
        names = self.layout.aliases().get(name, {name})
        if any(
            w.name in names and w.in_place and w.position not in known for w in self.layout.writes
        ):
            return False
        home = self.layout.definitions[read.targets[0]]
        for write, order, _, frame in self.clobbered.writes:
            if not mine & self.clobbered.written(write):
                continue
            around = set(home.frame.ancestors())
            loops = [f for f in frame.ancestors() if f.kind == "loop" and f in around]
            if not loops and (order < home.order or frame.excludes(home.frame)):
                continue
            names = {b.name for b in self.layout.bindings.get(write.targets[0], [])}
            plain = write.op.fn in (INDEX_SET, INDEX_ADD) and name in names
            if not plain or len(loops) != 1:
                return False
            loop, again = self.loops[loops[0]], order > home.order
            if not self.places.apart(loop, read.args[1], write.args[1], 1, again):
                return False
        return True


def stored(function: Function, lengths: Lengths) -> dict[Var, Equation]:
    """Return the values that loops write into arrays as they are, with how they are read there.

    All arrays have one precision, so that what is read is what has been written.
    """
    found: dict[Var, Equation] = {}
    definitions = function.layout.definitions
    for eq in equations(function.body):
        value = eq.args[2] if eq.op.fn is INDEX_SET else None
        if not isinstance(value, Var) or value not in definitions or value.type.dtype != "f":
            continue
        made, written = definitions[value], definitions[eq.targets[0]]
        frame = made.frame
        if frame is not written.frame or not frame.in_loop or frame.exits or frame.whole:
            continue
        array = eq.targets[0]
        place = infer(lengths, operator.getitem, (array, eq.args[1]), ())
        if place.kind == value.type.kind and place.dtype == "f" and lengths.same(place, value.type):
            found[value] = Equation((array,), Op(operator.getitem), (array, eq.args[1]))
    return found
