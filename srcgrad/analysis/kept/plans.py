"""What is decided about the values that a backward part reads: where each is kept."""

from __future__ import annotations

import builtins
import keyword
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from srcgrad.ir.layout import Binding, Definition, Frame, path_text
from srcgrad.ir.nodes import Equation, If, Loop, Value, Var
from srcgrad.ir.types import Type
from srcgrad.ir.unassigned import UNDEFINED

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(eq=False)
class Saved:
    """The list that keeps one tuple per execution of a region."""

    name: str  # the list's name
    frame: Frame  # the region
    # (expression in the forward part, name in the backward part)
    entries: list[tuple[str, str]] = field(default_factory=list)
    place: int = -1  # index of the region's statement at which the tuple is complete
    after: bool = True  # whether it is complete after or before that statement


@dataclass(eq=False)
class Plan:
    """What the forward part must keep, and how."""

    # how the backward part refers to a forward variable
    where: dict[Var, str] = field(default_factory=dict)
    # variables that are computed again, with their equations
    again: dict[Var, Equation] = field(default_factory=dict)
    # (definition, name) of expressions that get a name of their own
    hoists: list[tuple[Definition, str]] = field(default_factory=list)
    # for such a name, the lines behind it: of what is read of it, the names. That is a copy where
    # its array is written later, and a part where it may be unassigned.
    copied: dict[str, dict[str, str]] = field(default_factory=dict)
    # such names for views that stay in the text, where they are written through, and whether the
    # name has a copy
    views: dict[str, bool] = field(default_factory=dict)
    # (frame, statement index or None for the top, line) to be inserted
    copies: list[tuple[Frame, int, bool, str]] = field(default_factory=list)
    saved: dict[Frame, Saved] = field(default_factory=dict)  # the lists, by region
    # loops that must count their iterations, with the counter's name
    counted: dict[Frame, str] = field(default_factory=dict)
    # loops over a range that need nothing but its elements, with their name
    ranged: dict[Frame, str] = field(default_factory=dict)
    indices: list[str] = field(default_factory=list)  # names of the indices of backward loops
    # what the whole function keeps: (expression, name), in order
    kept: list[tuple[str, str]] = field(default_factory=list)
    # names kept that may not be assigned, with the statement before which they get a placeholder,
    # and that: zero, or tuples of it
    conditional: dict[str, Any] = field(default_factory=dict)
    homes: dict[Var, Frame] = field(default_factory=dict)  # for what the regions keep, the region
    # the names that the backward part gives to what it computes again
    remade: set[str] = field(default_factory=set)
    # the names that hold arrays at the end, and may be deleted behind that
    certain: set[str] = field(default_factory=set)
    # what is said of it at the beginning of the backward part
    told: list[str] = field(default_factory=list)
    # by name, what it holds from where the forward part reads it no more: the text of another form
    # of its value; nothing where it is deleted
    otherwise: dict[str, str] = field(default_factory=dict)

    def rebound(self) -> set[str]:
        """The user's names that the loops of the backward part assign."""
        found = {name for saved in self.saved.values() for _, name in saved.entries}
        found |= self.remade | set(self.otherwise)
        return found | set(self.ranged.values()) | set(self.indices)

    def read(self) -> set[str]:
        """The names under which the backward part finds values of the forward part."""
        texts = [*self.where.values(), *(text for text, _ in self.kept)]
        texts += [s.name for s in self.saved.values()]
        return {word for text in texts for word in _WORD.findall(text)}


class Names:
    """Hands out names that nothing else in a function has."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = {*taken, *vars(builtins), *keyword.kwlist}
        self.given: set[str] = set()
        self.handed: set[str] = set()  # the names that were handed out
        self.counted: dict[str, int] = {}  # up to which number each name was handed out

    def copy(self) -> Names:
        """Return another one that knows the same names."""
        made = Names(self.taken)
        made.given = set(self.given)
        made.handed = set(self.handed)
        made.counted = dict(self.counted)
        return made

    def fresh(self, wanted: str) -> str:
        """Return the wanted name, or one like it that is free.

        A name of the user's gets an underscore, one that was handed out before a number.
        """
        if wanted in self.taken and wanted not in self.given:
            wanted = f"{wanted}_"
        name, count = wanted, self.counted.get(wanted, 1)
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}" if wanted[-1:].isdigit() else f"{wanted}{count}"
        self.counted[wanted] = count
        self.taken.add(name)
        self.handed.add(name)
        self.given.add(wanted)
        return name


def holder_of(frame: Frame) -> Frame:
    """The region in which the list of another region is made."""
    while frame.kind != "loop":
        assert frame.parent is not None
        frame = frame.parent
    assert frame.parent is not None
    return frame.parent.storage


class _Written(str):
    """A text that stands in the text of a tuple as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


_WIDTH = 88  # of a line of placeholders
NAN = _Written('float("nan")')  # a name that was read where it was not assigned shows in the result


def placeholder_of(type_: Type) -> Any:
    """Return what stands for a value that may not be assigned: a zero, or no elements."""
    if type_.kind == "list":
        return []  # zeros are made in its length, also where it was not assigned
    return NAN


def placeholders(conditional: dict[str, tuple[Any, Any]]) -> list[tuple[Any, str]]:
    """Return the lines that give names a placeholder, from the last to the first.

    Args:
        conditional: by name, the statement before which the line stands, and the placeholder.
    """
    lines: list[tuple[Any, str]] = []
    for name, (statement, value) in reversed(conditional.items()):
        line = f"{name} = {value}"
        if lines and value == NAN and lines[-1][0] is statement and lines[-1][1].endswith(f"{NAN}"):
            longer = f"{name} = {lines[-1][1]}"
            if len(longer) <= _WIDTH:
                lines[-1] = statement, longer
                continue
        lines.append((statement, line))
    return lines


def widened_placeholder(value: Any, path: list[int], end: Any) -> Any:
    """Return a placeholder in which a path can be followed, to `end` if nothing is there yet."""
    if not path:
        return value if isinstance(value, tuple) else end
    parts = list(value) if isinstance(value, tuple) else []
    parts += [NAN] * (path[0] + 1 - len(parts))
    parts[path[0]] = widened_placeholder(parts[path[0]], path[1:], end)
    return tuple(parts)


def index_at(frame: Frame, position: int) -> int:
    """The index of the statement at a position of a region."""
    return bisect_right(frame.statements, position, key=lambda found: found[1]) - 1


def access_text(binding: Binding) -> str:
    """The expression that reads a binding."""
    return binding.name + path_text(binding.path)


def unsure(block: Any) -> dict[Var, Value | None]:
    """The variables that may not have been assigned, with what the only arm that does gives."""
    found: dict[Var, Value | None] = {}
    _note_unsure(block, found)
    return found


def _note_unsure(block: Any, found: dict[Var, Value | None]) -> None:
    for statement in block:
        if isinstance(statement, If):
            _note_unsure(statement.then, found)
            _note_unsure(statement.orelse, found)
            for m in statement.merges:
                given = [v for v in (m.then, m.orelse) if v is not UNDEFINED]
                if len(given) < 2:
                    found[m.out] = given[0] if given else None
                elif any(v in found for v in given):
                    found[m.out] = None
        elif isinstance(statement, Loop):
            open_ = [c for c in statement.carried if c.init is UNDEFINED or c.init in found]
            found.update((c.param, None) for c in open_)
            _note_unsure(statement.body, found)
            found.update((c.out, None) for c in open_)
