"""Which values are changed after they were computed, by writes into memory that they share."""

from __future__ import annotations

from srcgrad.analysis.memory.ownership import HIDDEN, Roots, list_itself, roots_in, roots_of
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    LIST_WRITES,
    PAIR,
    WRITES,
    Equation,
    Function,
    Value,
    Var,
    equations,
    variables,
)


class Clobbered:
    """The in-place writes of a function, and the values whose memory they may change.

    A value that shares memory with an array (a slice of it, its transpose, another
    name of it) is not the same any more once the array is written. Nor is what a
    function shares with a caller that writes into it before the backward part. An array
    that has a name outside may be the one that is written in a way that is not known.
    """

    def __init__(self, function: Function) -> None:
        self.layout = function.layout
        writes = [eq for eq in equations(function.body) if eq.may_write or eq.op.fn in WRITES]
        self.roots = (
            roots_in(function) if writes or function.exposed or function.outside_exposed else {}
        )
        outer = {v for v in self.layout.bindings if v not in self.layout.definitions}
        self._outside = frozenset(("external", v) for v in outer)
        self.writes: list[tuple[Equation, int, int, Frame]] = []
        for eq in writes:
            where = self.layout.definitions[eq.targets[0]]
            self.writes.append((eq, where.order, where.position, where.frame))
        self.exposed = frozenset().union(*(roots_of(v, self.roots) for v in function.exposed))
        if function.outside_exposed:
            self.exposed |= {HIDDEN} | self._outside

    def written(self, eq: Equation) -> Roots:
        """Return what a write may go into."""
        mine = roots_of(eq.args[0], self.roots)
        if HIDDEN in mine:
            return mine | self._outside
        return mine | {HIDDEN} if mine & self._outside else mine

    def outside(self, since: int, frame: Frame) -> bool:
        """Whether what may be reached from outside is written after a place, or by the caller."""
        if HIDDEN in self.exposed:
            return True
        for write, order, _, where in self.writes:
            later = order > since and not where.excludes(frame)
            if (later or _common_loop(frame, where)) and HIDDEN in self.written(write):
                return True
        return False

    def is_shared(self, var: Var) -> bool:
        """Whether a value is a view, or is shared with the caller, who writes into it."""
        mine = roots_of(var, self.roots)
        return bool(mine & self.exposed) or (("array", var) in mine and len(mine) > 1)

    def __call__(
        self,
        value: Value,  # the value
        # consider writes after this point in the order of evaluation, those into what a list or an
        # object holds included; by default, after the value was computed, and of a list only what
        # the caller does to it
        since: int | None = None,
        until: float | None = None,  # consider writes before this position of the text only
        # the region of that position; those in the other arm of a branch are not before it
        at: Frame | None = None,
    ) -> bool:
        """Whether a value may be changed by a write into memory that it shares."""
        if not (self.writes or self.exposed) or not isinstance(value, Var):
            return False
        type_ = type_of(value)
        if type_.kind == "list" and since is None:
            return bool(roots_of(value, self.roots) & self.exposed)
        holds = type_.kind == "list" or (type_.kind == "opaque" and since is not None)
        if not (type_.is_number or holds) or type_.is_immutable:
            return False
        home = self.layout.definitions.get(value)
        frame = home.frame if home is not None else self.layout.function
        computed = home.order if home is not None else -1
        after = since if since is not None else computed
        mine = roots_of(value, self.roots)
        if mine & self.exposed:
            return True
        for write, order, position, where in self.writes:
            later = order > after and not where.excludes(frame)
            if until is not None:
                again = later and position < until
                again = again and (at is None or not _other_arm(where, at, frame))
            else:
                again = later or _common_loop(frame, where)
            if again and mine & self.written(write):
                return True
        return False


class ChangedLists:
    """What a function does to lists of varying length, by itself and by the functions it calls."""

    def __init__(self, function: Function) -> None:
        self.layout = function.layout
        self.changes: list[tuple[Roots, Equation]] = []
        body = list(equations(function.body))
        if not any(eq.op.fn in LIST_WRITES or _hands_back_lists(eq) for eq in body):
            return
        self.roots = roots_in(function)
        for eq in body:
            if eq.op.fn in LIST_WRITES:
                self.changes.append((self._of(eq.args[0]), eq))
            elif _hands_back_lists(eq):
                lists = [v for v in eq.targets if v.type.kind == "list"]
                self.changes += [(self._of(v), eq) for v in lists]

    def _of(self, value: Value) -> Roots:
        return frozenset(list_itself(r) for r in roots_of(value, self.roots) if r[0] != "array")

    def later(self, value: Value, since: int, frame: Frame) -> bool:
        """Whether a list is changed after a place, or when that is reached again."""
        if not self.changes or type_of(value).kind != "list":
            return False
        mine = self._of(value)
        for theirs, eq in self.changes:
            where = self.layout.definitions[eq.targets[0]]
            later = where.order > since and not where.frame.excludes(frame)
            if (later or _common_loop(frame, where.frame)) and mine & theirs:
                return True
        return False


def _hands_back_lists(eq: Equation) -> bool:
    """Whether an equation is a call of a function that changes a list."""
    if eq.op.fn is not PAIR or eq.payload.pair.function is None:
        return False
    ends = (end for _, end in eq.payload.pair.function.objects)
    return any(v.type.kind == "list" for end in ends for v in variables(end))


def _other_arm(where: Frame, at: Frame, home: Frame) -> bool:
    """Whether a region never runs between the one where a value is made and a place."""
    loops = [f for f in at.ancestors() if f.kind == "loop" and not f.encloses(home)]
    return where.excludes(at) and not any(loop.encloses(where) for loop in loops)


def _common_loop(a: Frame, b: Frame) -> bool:
    """Whether two places may be reached again after each other."""
    loops = {f for f in a.ancestors() if f.kind == "loop"}
    return any(f in loops for f in b.ancestors())
