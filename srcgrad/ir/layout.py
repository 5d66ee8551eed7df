"""Where everything stands in the text of a lowered function.

The intermediate representation says what is computed; the layout says which
names hold which values at which places of the text. The emitter needs it to
find, for a value that the backward part reads, a name that still holds it, or
the place where it can be given one.

Positions are integers that grow in the order of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcgrad.ir.nodes import Var
from srcgrad.ir.types import node

Path = tuple[int | str, ...]  # indices, and what else is written behind a name


def path_text(path: Path) -> str:
    """What is written behind a name to read a part of its value."""
    return "".join(f"[{step}]" if isinstance(step, int) else step for step in path)


@dataclass(frozen=True)
class Steps:
    """The steps of a loop that keeps few of its states.

    Attributes:
        name: the name of the function of a step.
        target: the name of what the loop goes through.
        state: the names of what a step is given by the one before.
        gives: how many values a step gives: those, and what is read behind the loop.
        saving: the text of the arguments of ``Snapshots``.
    """

    name: str
    target: str
    state: tuple[str, ...]
    gives: int
    saving: str

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of what a step is given."""
        return self.target, *self.state


@dataclass(eq=False)
class Frame:
    """A region of the text that is entered as a whole.

    Attributes:
        kind: ``function``, ``loop`` (the body of one) or ``arm`` (of an ``if``).
        parent: the enclosing region; None for the function itself.
        statements: its direct statements as (libcst statement, position).
        start: the position at which it begins.
        branch: for an arm, what tells its ``if`` apart, and which arm it is.
        node: the libcst loop, for a loop.
        exits: position of the first direct statement that may leave the region.
        suite: the libcst suite its statements stand in.
        whole: for the body of a ``try`` statement, the position of its last statement: before
            that, it may be given up.
        steps: for a loop that keeps few of its states, its steps.
    """

    kind: str
    parent: Frame | None
    start: int
    branch: tuple[int, int] | None = None
    node: Any = None
    suite: Any = None
    statements: list[tuple[Any, int]] = field(default_factory=list)
    exits: int | None = None
    whole: int | None = None
    steps: Steps | None = None

    def ancestors(self) -> list[Frame]:
        """This region and all regions around it, innermost first."""
        out, frame = [], self
        while frame is not None:
            out.append(frame)
            frame = frame.parent
        return out

    def note_exit(self, position: int) -> None:
        """Note that an iteration may be left at a position: here, and in all regions between."""
        for frame in self.ancestors():
            if frame.exits is None:
                frame.exits = position
            if frame.kind != "arm":
                break

    @property
    def in_loop(self) -> bool:
        """Whether the region is executed repeatedly."""
        frame = self
        while frame is not None:
            if frame.kind == "loop":
                return True
            frame = frame.parent
        return False

    @property
    def storage(self) -> Frame:
        """The region whose execution a value defined here is kept for."""
        if self.in_loop:
            return self
        return self.ancestors()[-1]

    def encloses(self, other: Frame) -> bool:
        """Whether ``other`` is this region or stands inside it."""
        return self in other.ancestors()

    def excludes(self, other: Frame) -> bool:
        """Whether at most one of the two regions is executed (arms of one ``if``)."""
        mine = {f.branch[0]: f.branch[1] for f in self.ancestors() if f.branch}
        return any(
            f.branch and mine.get(f.branch[0], f.branch[1]) != f.branch[1]
            for f in other.ancestors()
        )


@node()
class Binding:
    """From ``position`` on, ``name`` (followed by ``path``) holds a value.

    Positions between those of two statements are right before the second one.
    """

    name: str
    path: Path
    position: float
    frame: Frame


@node()
class Write:
    """At ``position``, ``name`` is assigned, or its array is written in place."""

    name: str
    position: int
    frame: Frame
    in_place: bool = False


@node()
class Definition:
    """Where the expression stands that computes a value.

    Attributes:
        frame: the region.
        statement: the direct statement, None for parameters and merged values.
        node: the libcst expression, None if no expression stands for the value.
        position: the position of the statement.
        conditional: whether the expression is not always evaluated with its
            statement (an arm of a conditional expression, say).
        order: grows in the order of evaluation.
        path: for a part of a tuple that the expression gives, where it stands in it.
    """

    frame: Frame
    statement: Any
    node: Any
    position: int
    conditional: bool
    order: int
    path: Path = ()


Place = tuple[Frame, float]  # a region, and a position in it


class Layout:
    """The record of one lowering."""

    def __init__(self) -> None:
        self.position = 0
        self.function = Frame("function", None, 0)
        self.bindings: dict[Var, tuple[Binding, ...]] = {}
        self.writes: list[Write] = []
        self.writes_to: dict[str, tuple[Write, ...]] = {}  # the same, by the name
        self.together: list[set[str]] = []  # names that hold one object that is written
        self.definitions: dict[Var, Definition] = {}
        self.frames: list[Frame] = [self.function]
        self.roles: dict[Var, str] = {}
        self.spelled: dict[int, Any] = {}  # functions that no name in the text stands for
        self.captured: frozenset[str] = frozenset()  # local functions that a local one captured
        self.impure: set[int] = set()  # ids of calls that may have effects
        self.writing: set[int] = set()  # ids of calls that change what they are given
        self.lasting: set[str] = set()  # names through which arguments may be written
        self.tracked: set[Var] = set()  # what arguments certainly hold after a write
        self.aliased: set[Var] = set()  # nameless views that writes go through
        # lines before a statement: it, the name of a generator, and what that is a copy of
        self.draws: list[tuple[Any, str, str]] = []
        self.checks: list[tuple[Any, str, Any]] = []  # (statement, line before it, what it calls)

    def tick(self) -> int:
        """Advance to the next position and return it."""
        self.position += 1
        return self.position

    def new_frame(self, kind: str, parent: Frame, **details: Any) -> Frame:
        """Open a region inside another one."""
        frame = Frame(kind, parent, self.tick(), **details)
        self.frames.append(frame)
        return frame

    def bind(self, var: Var, name: str, path: tuple[int, ...], frame: Frame) -> None:
        """Note that a name holds a value from here on."""
        made = Binding(name, path, self.position, frame)
        self.bindings[var] = (*self.bindings.get(var, ()), made)

    def bind_before(
        self, var: Var, name: str, frame: Frame, statement: float, path: Path = ()
    ) -> None:
        """Note that a name holds a value since before a statement, at a position."""
        made = Binding(name, path, statement - 0.5, frame)
        self.bindings[var] = (*self.bindings.get(var, ()), made)

    def bind_outside(self, var: Var, name: str) -> None:
        """Note that a name holds a value since before the first statement."""
        self.bindings[var] = (Binding(name, (), 0, self.function),)

    def write(self, name: str, frame: Frame, in_place: bool = False) -> None:
        """Note that a name is assigned here."""
        made = Write(name, self.position, frame, in_place)
        self.writes.append(made)
        self.writes_to[name] = (*self.writes_to.get(name, ()), made)

    def aliases(self) -> dict[str, set[str]]:
        """For each name that is written in place, the names that hold the same object then."""
        together: dict[int, set[str]] = {}
        for k, names in enumerate(self.together):
            together[-1 - k] = names
        for write in self.writes:
            if write.in_place:
                together.setdefault(write.position, set()).add(write.name)
        found: dict[str, set[str]] = {}
        for names in together.values():
            for name in names:
                found.setdefault(name, set()).update(names)
        return found

    def holds(self, binding: Binding, place: Place, contents: bool = True) -> bool:
        """Whether a name certainly still gives at a place what it was bound to.

        ``contents``: whether what is found in the value must be as it was, too.
        """
        frame, position = place
        if binding.position > position or not binding.frame.encloses(frame):
            return False
        writes = self.writes_to.get(binding.name, ())
        if not (contents or binding.path):  # the array that the name stands for stays the same
            writes = tuple(write for write in writes if not write.in_place)
        if not writes:
            return True
        begin = binding.position
        between = [write for write in writes if begin < write.position < position]
        if not all(write.frame.excludes(frame) for write in between):
            return False
        around = binding.frame.ancestors()
        loops = [f for f in frame.ancestors() if f.kind == "loop" and f not in around]
        return not any(loop.encloses(write.frame) for loop in loops for write in writes)

    def after(self, frame: Frame, position: int) -> Place:
        """Return the place right after the simple statement at a position."""
        later = [p for _, p in frame.statements if p > position]
        return (frame, later[0] - 0.5) if later else self.end(frame)

    def end(self, frame: Frame) -> Place:
        """Return the place at the end of a region."""
        inside = [w.position for w in self.writes if frame.encloses(w.frame)]
        inside += [p for f in self.frames if frame.encloses(f) for _, p in f.statements]
        return frame, max(inside, default=frame.start) + 0.5
