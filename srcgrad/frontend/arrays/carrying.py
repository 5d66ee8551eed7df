"""Arrays that a loop writes, and the names and views through which they are seen.

Names that stand for one array, and views of it, stay so from one iteration to the
next: the loop carries the array once, and the views are taken of it again.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.arrays import views
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Compound, Value, Var
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.unassigned import UNDEFINED


class Iterable:
    """Something that a ``for`` statement iterates over."""

    def __init__(self, kind: str, parts: tuple[Any, ...]) -> None:
        self.kind, self.parts = kind, parts

    def values(self) -> list[Any]:
        """What is gone through side by side, and the numbers of ranges."""
        nested = [p.values() if isinstance(p, Iterable) else [p] for p in self.parts]
        return [value for part in nested for value in part]

    def now(self, b: Builder, names: dict[Value, str]) -> Iterable:
        """What is gone through as it is by now, where names hold it."""
        parts = tuple(
            p.now(b, names) if isinstance(p, Iterable) else b.env[names[p]] if p in names else p
            for p in self.parts
        )
        return Iterable(self.kind, parts)


def hold_iterated(b: Builder, iterable: Iterable) -> dict[Value, str]:
    """Give names to the arrays and lists that a loop goes through, which it may write."""
    names: dict[Value, str] = {}
    for value in iterable.values():
        if isinstance(value, Var) and _is_array(value) and value not in names:
            views.hold(b, value)
            names[value] = b.hidden_name()
            b.env[names[value]] = value
    return names


def with_arrays_behind(b: Builder, names: set[str], bound: set[str]) -> set[str]:
    """Add the names under which the arrays are seen that some names stand for."""
    arrays = [leaf for n in sorted(names - bound) for leaf in leaves(b.env.get(n, UNDEFINED))]
    for leaf in arrays:
        views.hold(b, leaf)
    behind = {views.chain(b, v)[0] for v in arrays if isinstance(v, Var) and _is_array(v)}
    seen = {
        name
        for name, held in b.env.items()
        if any(views.chain(b, v)[0] in behind for v in leaves(held) if isinstance(v, Var))
    }
    return names | seen


class CarriedMemory:
    """The arrays that one loop carries.

    Args:
        b: the builder.
        bound: the names that the loop assigns; what they stand for may be another
            array in each iteration.
        apart: arrays before the loop of whose names some stand for others behind an
            iteration; more are added as they are found.
        unknown: tokens of lists, dicts and objects that an iteration may change in ways that
            are not known; more are added as they are found.
        begun: the names that an iteration assigns first and a later one may read, each with
            the form that it has; more are added as they are found.
        mixed: the names that have one structure behind some iterations and another one behind
            others; more are added as they are found.
    """

    def __init__(
        self,
        b: Builder,
        bound: set[str],
        apart: set[Value],
        unknown: dict[Any, bool],
        begun: dict[str, Value],
        mixed: set[str],
    ) -> None:
        self.b = b
        self.bound = bound
        self.apart = apart
        self.unknown = unknown
        self.begun = begun
        self.mixed = mixed
        self.last: dict[str, Value] = {}  # what names stand for at the end of an iteration
        self.inside: dict[Any, Any] = {}  # arrays before the loop, in an iteration
        self.ends: dict[Value, tuple[Value, Value]] = {}
        self.later: list[Any] = []

    def in_order(self, start: dict[str, Value]) -> list[tuple[str, Value]]:
        """The names a loop changes, arrays before their views."""

        def depth(value: Value) -> int:
            return max((len(views.chain(self.b, v)[1]) for v in leaves(value)), default=0)

        return sorted(start.items(), key=lambda item: depth(item[1]))

    def carry(self, name: str, first: Value, param: Var) -> None:
        """Note what stands for an array in an iteration."""
        if isinstance(first, Var) and not param.named:
            self.b.context.shaped_as[param] = first
        if self.stays(name, first):
            self.inside[first] = param
            if first in self.b.made and views.parent(self.b, first) is None:
                self.b.made[param] = self.b.made[first]  # its memory is the same

    def enter(self, name: str, first: Value) -> Value | None:
        """What a name stands for in an iteration, if another name carries its array."""
        if not self.stays(name, first):
            return None
        assert isinstance(first, Var)
        if first in self.inside:
            return self.inside[first]
        again = views.rebase(self.b, first, self.inside)
        return None if again is first else again

    def stays(self, name: str, first: Value) -> bool:
        """Whether a name is taken to stand for the same array in each iteration."""
        if name in self.bound or not isinstance(first, Var) or not _is_array(first):
            return False
        return views.chain(self.b, first)[0] not in self.apart

    def is_seen(self, name: str, first: Value, before: Value) -> bool:
        """Whether another name carries the array of this one."""
        if not self.stays(name, first):
            return False
        return before in self.ends or views.parent(self.b, before) is not None

    def changes(self, before: Value, after: Value | None) -> bool:
        """Whether an iteration has another version of what it did not carry."""
        if isinstance(before, Compound) and isinstance(after, Compound):
            pairs = zip(before.items, after.items, strict=False)
            return any(self.changes(p, q) for p, q in pairs)
        if not isinstance(before, Var) or not isinstance(after, Var) or before is after:
            return False
        return before in self.b.newer or (_is_array(before) and _is_array(after))

    def done(self, before: Value, last: Value, out: Var) -> None:
        """Note what an array is at the end of an iteration, and after the loop."""
        self.ends[before] = (last, out)
        if before in self.b.context.shaped_as:
            self.b.context.shaped_as[out] = before

    def leave(self, first: Var, before: Value, last: Value) -> Value:
        """What a name stands for after the loop whose array another name carries."""
        if before in self.ends:
            end, out = self.ends[before]
            return out if end is last else self._differs(first)
        (root, steps), (end, others) = views.chain(self.b, before), views.chain(self.b, last)
        same = root in self.ends and self.ends[root][0] is end
        if not same or not views.same_steps(steps, others):
            return self._differs(first)
        start, _ = views.chain(self.b, first)
        return _Later(first, {start: self.ends[root][1]})  # type: ignore[dict-item]

    def _differs(self, first: Var) -> Value:
        """Note that names of one array stand for several behind an iteration."""
        self.apart.add(views.chain(self.b, first)[0])
        return UNDEFINED

    def after(self, finals: dict[str, Value]) -> dict[str, Value]:
        """What names stand for after the loop, views taken again."""
        memo: dict[int, Value] = {}
        return {name: self._taken(value, memo) for name, value in finals.items()}

    def _taken(self, value: Any, memo: dict[int, Value]) -> Value:
        if isinstance(value, Compound):
            return rebuilt(value, lambda part: self._taken(part, memo), memo)
        if isinstance(value, _Later):
            return views.rebase(self.b, value.value, value.moved)
        return value


class _Later:
    """A view that is to be taken of an array as it is after a loop."""

    def __init__(self, value: Var, moved: dict[Var, Var]) -> None:
        self.value, self.moved = value, moved


def _is_array(value: Var) -> bool:
    """Whether a value may be written into under one name and read under another one."""
    return value.type.kind in ("array", "numeric", "list") and not value.type.is_immutable
