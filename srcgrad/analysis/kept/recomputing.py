"""Which primal values are computed again where the backward part reads them.

A value that costs next to nothing, and whose operands are found anyway, is not kept.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from srcgrad.analysis.kept.plans import Names, Plan, unsure
from srcgrad.analysis.kept.sweeps import Sweeps
from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.shapes.indices import is_plain
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.blocks import loops_of
from srcgrad.ir.layout import Binding, Frame, Layout
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import Const, Equation, Function, Known, Loop, Var, equations, uses

_LIGHT = {operator.neg, operator.add, operator.sub, operator.mul}
_OF_NUMBERS = {operator.not_, operator.lt, operator.le, operator.gt, operator.ge}
_OF_NUMBERS |= {operator.eq, operator.ne}


def costs_little(eq: Equation) -> bool:
    """Whether what an equation gives may as well be computed where it is read.

    That is metadata, a part of an array, or of a tuple from outside, and arithmetic of numbers,
    or of an array and a constant.
    """
    fn, args = eq.op.fn, eq.args
    if len(eq.targets) != 1 or eq.options:
        return False
    if isinstance(fn, Metadata):
        return True
    if fn is operator.getitem:
        if isinstance(args[0], Known):  # a number: arrays in it are read at their places
            return isinstance(args[1], Const)
        return type_of(args[0]).kind == "shape" or (isinstance(args[0], Var) and is_plain(args[1]))
    if fn in _LIGHT and (len(args) == 1 or any(isinstance(a, Const) for a in args)):
        return True
    return fn in _LIGHT | _OF_NUMBERS and all(type_of(a).shape == () for a in args)


class Recomputing:
    """What is known of the forward part, and what of it is computed again."""

    def __init__(
        self,
        function: Function,
        hidden,
        loops: list[Loop],
        names: Names,
        split: bool,
        reads,
        shaped,
        outlines: set[Var],
        stored: dict[Var, Equation],
    ) -> None:
        self.split = split
        self.shaped = shaped
        self.reads = reads
        self.function = function
        self.layout: Layout = function.layout
        self.hidden = hidden
        self.loops = loops
        self.names = names
        self.plan = Plan()
        self.equations = {t: eq for eq in equations(function.body) for t in eq.targets}
        outside = {
            v for v, bs in self.layout.bindings.items() if bs and v not in self.layout.definitions
        }
        own = {write.name for write in self.layout.writes if not write.in_place}
        self.free_names = {b.name for v in outside for b in self.layout.bindings[v]} - own
        self.unsure = unsure(function.body)
        self.clobbered = Clobbered(function)
        self.sweeps = Sweeps(function, self.clobbered, self.equations)
        self.outlines = outlines
        self.globals = {v for v in outside if not self.spoiled(v)}
        self.at_end: set[str] = set()  # names of arrays of which parts are read at the end
        self.read_from: dict[str, tuple[str, bool]] = {}  # copies: of what, and whether always
        self.indices = {loop.index for loop in loops_of(function.body)}
        self.stored = stored

    def frame_of(self, var: Var) -> Frame:
        if var in self.hidden:
            var = self.hidden[var].targets[0]
        definition = self.layout.definitions.get(var)
        return self.layout.function if definition is None else definition.frame

    def spoiled(self, var: Var, until: int | None = None) -> bool:
        """Whether a write has changed what the backward part reads of a value."""
        return var not in self.outlines and self.clobbered(var, until=until)

    def holds(self, binding: Binding, var: Var, until: int | None = None) -> bool:
        """Whether a name still gives what the backward part reads of a value."""
        if binding.name == "_":  # it is assigned wherever a value has no use
            return False
        place = binding.frame, math.inf if until is None else until
        contents = var not in self.outlines
        return self.layout.holds(binding, place, contents) and not self.spoiled(var, until)

    def choose_again(self, wanted: list[Var]) -> None:
        order = {v: d.order for v, d in self.layout.definitions.items()}
        kept = self.kept = set(wanted)
        for var in sorted(wanted, key=lambda v: -order.get(v, 0)):
            if var in self.hidden or self.named_for_good(var):
                continue
            if self.bindings(var) and self.frame_of(var).in_loop:
                continue
            stored = self.stored.get(var)
            if stored is not None and self.cheap(var, kept - {var}, 3, stored):
                kept.discard(var)
                self.mark_again(var, stored)
                continue
            if self.cheap(var, kept - {var}, 3):
                kept.discard(var)
                self.mark_again(var)

    def named_for_good(self, var: Var) -> bool:
        frame = self.frame_of(var)
        if frame.in_loop:
            return False
        return any(not b.path and self.holds(b, var) for b in self.bindings(var))

    def free(self, var: Var, kept: set[Var]) -> bool:
        if var in kept or var in self.globals or var in self.indices:
            return True
        frame = self.frame_of(var) if var in self.layout.definitions else None
        return frame is not None and not frame.in_loop and self.named_for_good(var)

    def cheap(self, var: Var, kept: set[Var], depth: int, eq: Equation | None = None) -> bool:
        eq = self.equations.get(var) if eq is None else eq
        if eq is None or len(eq.targets) != 1 or eq.options or depth == 0:
            return False
        fn = eq.op.fn
        if fn in (operator.truediv, operator.pow):
            if not self.cheap_arithmetic(var, eq):
                return False
        elif not (costs_little(eq) or (fn is np.transpose and len(eq.args) == 1)):
            return False
        found = self.found_at_end(eq)
        for operand in uses(eq):
            if operand in found:
                continue
            if not self.free(operand, kept) and not self.cheap(operand, kept, depth - 1):
                return False
            if self.written(operand) or self.clobbered(operand):
                return False
        return True

    def found_at_end(self, eq: Equation) -> dict[Var, str]:
        """The array of which an equation reads what no write changes any more, and its name."""
        name = self.sweeps.name_of(eq) if eq.op.fn is operator.getitem else None
        return {} if name is None else {eq.args[0]: name}  # type: ignore[dict-item]

    def cheap_arithmetic(self, var: Var, eq: Equation) -> bool:
        """A quotient or small power of numbers, or the square of an array that is kept anyway."""
        if self.reads.get(var, 0) > 1:
            return False
        if eq.op.fn is operator.pow:
            exponent = eq.args[1]
            if not isinstance(exponent, Const) or exponent.value not in (2, 3):
                return False
            if exponent.value == 2 and self.frame_of(var).in_loop:
                return True
        return all(type_of(a).shape == () for a in eq.args)

    def written(self, var: Var) -> bool:
        """Whether the array is written in place somewhere."""
        names = {b.name for b in self.bindings(var)}
        return any(w.in_place and w.name in names for w in self.layout.writes)

    def mark_again(self, var: Var, eq: Equation | None = None) -> None:
        eq = self.equations[var] if eq is None else eq
        self.plan.again[var] = eq
        found = self.found_at_end(eq)
        for operand in uses(eq):
            if operand in found and operand not in self.kept:
                self.plan.where[operand] = found[operand]
                self.at_end.add(found[operand])
                continue
            if operand in self.globals:
                self.plan.where[operand] = self.layout.bindings[operand][0].name
            elif operand in self.indices or operand in self.plan.again:
                continue
            elif operand not in self.plan.where and operand not in self.kept:
                if operand in self.equations and not self.free(operand, set()):
                    self.mark_again(operand)
                else:
                    self.plan.where[operand] = self.bindings(operand)[0].name

    def bindings(self, var: Var) -> list[Binding]:
        """The names that certainly hold a variable once it is computed, the shortest first.

        ``scale`` of ``scale = params["scale"]`` reads better than what it was taken from.
        """
        found = sorted(self.layout.bindings.get(var, []), key=lambda b: len(b.path))
        if var not in self.layout.definitions:
            return found
        home = self.layout.definitions[var].frame
        return [b for b in found if b.frame.encloses(home)]
