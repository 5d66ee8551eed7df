"""Finding, at a place of the forward text, an expression that holds a primal value there."""

from __future__ import annotations

import operator

import libcst as cst

from srcgrad.analysis.kept.plans import access_text
from srcgrad.analysis.kept.recomputing import costs_little
from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.layout import Frame, Layout, Place
from srcgrad.ir.nodes import Function, Var, equations, uses


class Holders:
    """What holds which value where in the text of a function."""

    def __init__(self, function: Function) -> None:
        self.layout: Layout = function.layout
        # names that were added to the text, by the variable they hold
        self.given: dict[Var, str] = {}
        self.saved: set[Var] = set()  # those variables whose names hold a copy
        # those that are given as parts of what may be written to under its names; once it has one,
        # this tells what holds the variable
        self.parts: set[Var] = set()
        self.clobbered = Clobbered(function)
        self.equations = {t: eq for eq in equations(function.body) for t in eq.targets}

    def access(self, var: Var, place: Place) -> str | None:
        """The text that holds a value at a place, None if there is none."""
        bindings = self.layout.bindings.get(var, [])
        if bindings and var not in self.layout.definitions:
            return bindings[0].name  # a global or a captured variable
        if var in self.saved:
            return self.given[var]
        if self.changed(var, place):
            return None
        named = var in self.parts and any(b.position < place[1] for b in bindings)
        if var in self.given and not named:
            return self.given[var]
        held = [b for b in bindings if self.layout.holds(b, place)]
        held.sort(key=lambda b: len(b.path))
        return access_text(held[0]) if held else None

    def changed(self, var: Var, place: Place) -> bool:
        """Whether a write into memory that a value shares may have changed it before a place."""
        return self.clobbered(var, until=place[1], at=place[0])

    def reachable(self, var: Var, place: Place) -> bool:
        """Whether a value can be written at a place, maybe by computing it again."""
        return self.access(var, place) is not None or self.again(var, place, 3)

    def again(self, var: Var, place: Place, depth: int) -> bool:
        """Whether a value costs next to nothing to compute once more."""
        eq = self.equations.get(var)
        if eq is None or depth == 0 or not costs_little(eq) or self.changed(var, place):
            return False
        if eq.op.fn is operator.getitem and type_of(eq.args[0]).kind == "list":
            return False
        return all(
            self.access(v, place) is not None or self.again(v, place, depth - 1) for v in uses(eq)
        )

    def hoistable(self, var: Var, frame: Frame) -> bool:
        """Whether the expression that computes a value can be given a name before its statement."""
        definition = self.layout.definitions.get(var)
        if definition is None or definition.conditional:
            return False
        if not isinstance(definition.node, cst.BaseExpression):  # ``x += v`` is a statement
            return False
        return definition.statement is not None and definition.frame.encloses(frame)

    def kept(self, var: Var, after: Place, frame: Frame) -> bool:
        """Whether a value can be read after a statement without saving it before."""
        if self.reachable(var, after):
            return True
        if self.changed(var, after):
            return False
        definition = self.layout.definitions.get(var)
        named = bool(self.layout.bindings.get(var))
        return not named and definition is not None and self.hoistable(var, frame)

    def ready(self, var: Var, place: Place) -> bool:
        """Whether a value can be read before a statement, maybe under a new name."""
        return self.reachable(var, place) or self.hoistable(var, place[0])
