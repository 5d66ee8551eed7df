"""The arrays among the arguments of a function, alone or as parts of objects, that it may write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.forms import Outcome
from srcgrad.ir.layout import path_text
from srcgrad.ir.nodes import Compound, Items, Struct, Value, Var
from srcgrad.ir.written import Written


@dataclass(frozen=True, eq=False)
class _Place:
    """Where an array stands among the arguments."""

    text: str
    position: int
    leaf: int
    array: Var


class GivenArrays:
    """The arrays that a function is given.

    While the function is lowered, each is kept track of under a name of its own, so that it
    is known at the end what the caller's array holds, whatever the parameter, or the part of
    an object, has become.

    ``params``: the parameters, with the values bound to them.
    """

    def __init__(self, b: Builder, params: list[tuple[str, Value]]) -> None:
        self.b = b
        self.places: list[_Place] = []
        self.objects: list[tuple[str, Compound]] = []
        for position, (name, value) in enumerate(params):
            parts = list(_parts(value, name))
            self.objects += [(t, p) for t, p in parts if t and isinstance(p, Compound)]
            leaves = [row for row in parts if not isinstance(row[1], Compound)]
            for leaf, (text, part) in enumerate(leaves):
                array = isinstance(part, Var) and part.type.kind in ("array", "numeric")
                if text is not None and array:
                    self.places.append(_Place(text, position, leaf, part))  # type: ignore[arg-type]
        b.env |= {Unnamed("argument", place.text): place.array for place in self.places}

    def written(self) -> tuple[Written, ...]:
        """Those that have been written, with what they hold."""
        held = [(place, self.b.env[Unnamed("argument", place.text)]) for place in self.places]
        return tuple(
            Written(place.text, place.position, place.leaf, end)
            for place, end in held
            if end is not place.array
        )

    def replaced(self, changed: Iterable[tuple[Value, Value]]) -> tuple[str, ...]:
        """How the objects are read whose parts are others at the end, as well as their elements."""
        ends = {place.array: self.b.env[Unnamed("argument", place.text)] for place in self.places}
        found = {id(before) for before, end in changed if _differ(before, end, ends)}
        return tuple(text for text, part in self.objects if id(part) in found)


def _differ(before: Value, end: Value, ends: dict[Var, Value]) -> bool:
    if not isinstance(before, Compound) or not isinstance(end, Compound):
        return True
    if len(before.items) != len(end.items):
        return True
    for p, q in zip(before.items, end.items, strict=True):
        inside = isinstance(p, Compound) and isinstance(q, Compound) and p.token is q.token
        if p is not q and not inside and (not isinstance(p, Var) or ends.get(p) is not q):
            return True
    return False


def _parts(value: Value, text: str | None) -> Iterator[tuple[str | None, Value]]:
    """A value and its parts with how they are read, None where they cannot be."""
    yield text, value
    if not isinstance(value, Compound):
        return
    for k, item in enumerate(value.items):
        step: str | None = None
        if isinstance(value, Items):
            step = path_text((k,))
        elif isinstance(value, Struct) and not isinstance(value.form, Outcome):
            step = value.form.access(k)
        yield from _parts(item, None if text is None or step is None else text + step)
