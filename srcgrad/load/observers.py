"""Who watches generated code while it runs: the statements that were executed, with their values.

Nothing of this is in the code that usually runs. While somebody watches, a second
compilation of the same text is called, with a call of an observer around each statement
(`load/instrumented.py`).
"""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.load.source_map import Place
    from srcgrad.load.texts import FunctionText

CHECK, LOG = "SRCGRAD_CHECK", "SRCGRAD_LOG"


@dataclass(eq=False)
class WatchedFunction:
    """A generated function that is watched."""

    text: FunctionText  # its text, and where it comes from
    filename: str  # the file that it was compiled under
    first: int  # the number of its first line there
    sites: list[Site] = field(default_factory=list)  # its statements, in the order of the text

    @property
    def name(self) -> str:
        """The name of the generated function."""
        return self.text.name


@dataclass(eq=False)
class Site:
    """A statement of a generated function."""

    function: WatchedFunction  # the function
    node: ast.stmt  # its syntax tree, with the line numbers of the generated file
    text: str  # its text
    targets: tuple[str, ...] = ()  # the names that it gives values to
    # for a statement of a backward part, the forward line that it belongs to
    place: Place | None = None
    # the expressions in it whose values are seen, in the order of their numbers
    parts: list[ast.expr] = field(default_factory=list)

    @property
    def lineno(self) -> int:
        """The number of its first line in the generated file."""
        return self.node.lineno

    @property
    def is_return(self) -> bool:
        """Whether it returns from the function."""
        return isinstance(self.node, ast.Return)


class Observer:
    """What is told of each statement that runs; each method does nothing by itself."""

    def enter(self, activation: Activation, arguments: dict[str, Any]) -> None:
        """Begin a call of a generated function."""

    def begin(self, activation: Activation) -> None:
        """Begin a statement."""

    def end(self, activation: Activation, values: tuple[Any, ...]) -> None:
        """End a statement.

        Args:
            activation: the call that it runs in; its ``parts`` are the values of the
                expressions in it, by number.
            values: those of the targets, or what is returned.
        """

    def started(self, function: str, arguments: dict[str, Any]) -> None:
        """Begin a function that is recorded, with its arguments by name."""

    def step(self, watch: Watch, step: Step) -> None:
        """See a step that the tape recorded, or went back over."""


@dataclass(frozen=True, eq=False)
class Step:
    """A step of a recorded function."""

    name: str  # the name of what was called; empty for the result of the whole function
    place: Place  # the line of the user's that it belongs to
    operands: tuple[Any, ...]  # the values of the operands of the call
    value: Any = None  # the value of the call; in a backward part None
    bar: Any = None  # in a backward part, the cotangent of the value
    bars: tuple[Any, ...] | None = None  # in a backward part, the cotangents of the operands


class Watch:
    """One watched run: who watches, and what runs at the moment."""

    def __init__(
        self,
        observers: tuple[Observer, ...],
        alter: Callable[[Activation, int, Any], Any] | None = None,
    ) -> None:
        self.observers = observers  # who watches
        # gives the value that an expression has in this run; None where each has its own
        self.alter = alter
        self.top: Activation | None = None  # the call of generated code that runs
        self.steps: dict[Any, Step] = {}  # the steps that a tape recorded, by what it has of them
        self.notes: dict[str, Any] = {}  # what an observer keeps for this run, by name

    def started(self, function: str, arguments: dict[str, Any]) -> None:
        """Tell of the beginning of a recorded function."""
        for observer in self.observers:
            observer.started(function, arguments)

    def step(self, step: Step) -> None:
        """Tell of a step of a recorded function."""
        for observer in self.observers:
            observer.step(self, step)


class Activation:
    """One call of a watched function."""

    __slots__ = ("_watch", "caller", "function", "notes", "parts", "site")

    def __init__(self, function: WatchedFunction, watch: Watch) -> None:
        self.function = function  # what is called
        self.caller = watch.top  # the watched call that it comes from
        # the values of the expressions of that statement, as far as they ran
        self.parts: dict[int, Any] = {}
        self.notes: dict[str, Any] = {}  # what an observer keeps for this call, by name
        self.site: Site | None = None  # the statement that runs
        self._watch = watch

    def begin(self, number: int) -> None:
        """Begin a statement; generated code calls it."""
        self._watch.top = self
        self.site = self.function.sites[number]
        self.parts = {}
        for observer in self._watch.observers:
            observer.begin(self)

    def see(self, number: int, value: Any) -> Any:
        """Note the value of an expression, and return it; generated code calls it."""
        if self._watch.alter is not None:
            value = self._watch.alter(self, number, value)
        self.parts[number] = value
        return value

    def end(self, *values: Any) -> None:
        """End the statement; generated code calls it."""
        self._watch.top = self
        for observer in self._watch.observers:
            observer.end(self, values)
        self.parts = {}

    def returned(self, value: Any) -> Any:
        """End a return statement, and return its value; generated code calls it."""
        self.end(value)
        self._watch.top = self.caller
        return value


_NOBODY = Watch(())
_running: ContextVar[Watch] = ContextVar("srcgrad_running", default=_NOBODY)
_around: ContextVar[tuple[Observer, ...]] = ContextVar("srcgrad_watching", default=())

# Where this is empty, nobody watches, in any thread; the functions that users call test it.
STOPS: list[Any] = []  # the breakpoints in backward parts; each of them is in WATCHING, too
ENTERING: ContextVar[Callable[[Any], Callable[..., Any]] | None] = ContextVar(
    "srcgrad_entering", default=None
)
WATCHING: list[Any] = [name for name in (CHECK, LOG) if os.environ.get(name)]


def enter(function: WatchedFunction, arguments: dict[str, Any]) -> Activation:
    """Begin a call of a watched function; generated code calls it."""
    watch = _running.get()
    activation = Activation(function, watch)
    if watch is not _NOBODY:
        for observer in watch.observers:
            observer.enter(activation, arguments)
        watch.top = activation
    return activation


@contextlib.contextmanager
def watching(*observers: Observer) -> Iterator[None]:
    """Let derivatives that are called in this context be watched."""
    token = _around.set((*_around.get(), *observers))
    WATCHING.append(observers)
    try:
        yield
    finally:
        WATCHING.remove(observers)
        _around.reset(token)


def around() -> tuple[Observer, ...]:
    """Return who watches the derivatives that are called in this context."""
    return _around.get()


def running() -> Watch | None:
    """Return the watched run that goes on in this context; None where there is none."""
    found = _running.get()
    return None if found is _NOBODY else found


def entering() -> Callable[[Any], Callable[..., Any]] | None:
    """Return what makes a function of the program that was recorded, for somebody to step through.

    None where nobody steps, so that the tape itself is walked back over.
    """
    return ENTERING.get() or (STOPS[-1].entered if STOPS else None)


def run_watched(
    observers: tuple[Observer, ...],
    run: Callable[..., Any],
    alter: Callable[[Activation, int, Any], Any] | None = None,
) -> Callable[..., Any]:
    """Return a function that runs, and is watched meanwhile."""

    def watched(*args: Any, **options: Any) -> Any:
        token = _running.set(Watch(observers, alter))
        try:
            return run(*args, **options)
        finally:
            _running.reset(token)

    return watched
