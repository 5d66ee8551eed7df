"""A call of a solver: what it is given, with and without boxes, and what it reports."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from typing import Any

import numpy as np

import srcgrad.tape.rewriting as rewriting
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.scipy.solvers import FAR
from srcgrad.tape.calls import call
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import Item, Read
from srcgrad.tape.recording import Box, Call, Noted, Steps, mapped, raw
from srcgrad.tape.session import Session
from srcgrad.tape.trees import Rebuilding
from srcgrad.tape.undoing import Names


class Given:
    """What a solver is given.

    Args:
        session: what is recorded.
        fn: the solver.
        args: its positional arguments.
        options: those by name.

    Attributes:
        arguments: its arguments by name.
        active: whether what it finds depends on what is differentiated.
    """

    def __init__(self, session: Session, fn: Any, args: Any, options: Any) -> None:
        signature = inspect.signature(fn)
        self.session = session
        self.fn = fn
        self.arguments = dict(signature.bind(*args, **options).arguments)
        for p in signature.parameters.values():
            if p.kind is p.VAR_KEYWORD:
                self.arguments |= self.arguments.pop(p.name, {})
        self.name = fn.__name__
        self.active = has_box((args, options))
        self.own = next(iter(self.arguments.values()))
        self.further = as_tuple(self.arguments.get("args", ()))

    def f(self, *args: Any) -> Any:
        """Call the function that is given."""
        return call(self.own, *args, *self.further)

    def solve(self) -> Any:
        """Run the solver on numbers."""
        given = {name: self._plain(value) for name, value in self.arguments.items()}
        names = list(inspect.signature(self.fn).parameters.values())
        before = [p.name for p in names if p.kind is p.POSITIONAL_ONLY]
        args = [given.pop(name) for name in before if name in given]
        return self.unrecorded(functools.partial(self.fn, *args, **given))

    def unrecorded(self, run: Any, *args: Any) -> Any:
        """Run a function, and put the steps that were recorded meanwhile aside.

        On a tape that is printed they are left out, unless something that they computed may
        have been stored.
        """
        marks = [(tape, len(tape.entries), len(tape.births)) for tape in self.session.tapes]
        notes, before = self.session.notes, Names(self.session, self.functions())
        found = run(*args)
        stored = self.session.notes > notes or any(map(holds_box, before.changed()))
        for tape, count, first in marks:
            steps = list(tape.entries[count:])
            if not steps or not all(type(step) in (Call, Item, Read) for step in steps):
                continue
            if type(tape.entries) is Noted:
                if stored:
                    continue
                del tape.entries[count:]
                tape.dropped.append((first, len(tape.births)))
            else:
                last = len(tape.births)
                tape.entries[count:] = [Steps(steps if _fit(steps) else None, first, last)]
                tape.births[first:] = [count] * (last - first)
            for step in steps:
                if type(step) is Read:
                    step.memory.version += 1  # boxes that were read meanwhile are read anew
        return found

    def functions(self) -> list[Any]:
        """Return the functions that are given."""
        return list(filter(callable, self.arguments.values()))

    def _plain(self, value: Any) -> Any:
        """Return an argument without boxes; a function, so that it gives none."""
        if type(value) in (list, tuple):
            return type(value)(map(self._plain, value))
        if isinstance(value, dict):
            return {name: self._plain(part) for name, part in value.items()}
        if (type(value).__module__ or "").startswith("scipy.optimize"):  # bounds and constraints
            made = copy.copy(value)
            vars(made).update({name: self._plain(p) for name, p in vars(value).items()})
            return made
        if not callable(value) or isinstance(value, type):
            if not holds_box(value):
                return value
            self.active = True
            return Rebuilding(raw)(value)
        rewriting.prepare_all(self.session, value)

        further = {id(raw(part)) for part in self.further}

        def run(*args: Any, **options: Any) -> Any:
            # solvers write into what they gave, which steps may hold
            own = [
                part.copy() if type(part) is np.ndarray and id(part) not in further else part
                for part in args
            ]
            found = call(value, *own, **options)
            for part, copied in zip(args, own, strict=True):
                if copied is not part and not np.array_equal(copied, part, equal_nan=True):
                    part[...] = copied  # as the function did
            self.active = self.active or holds_box(found)
            return mapped(_number, found)

        with contextlib.suppress(TypeError, ValueError):
            run.__signature__ = inspect.signature(value)
        for name in ("terminal", "direction"):  # of events
            if hasattr(value, name):
                setattr(run, name, getattr(value, name))
        return run

    def refuse(self, what: str, fix: str) -> MissingFormulaError:
        """Return the error for a call that is not differentiated."""
        return MissingFormulaError(
            f"scipy's {self.name} with {what}",
            why="What it is given depends on what is being differentiated.",
            fixes=[fix],
        )

    def steps(self) -> int:
        """Return how many steps of Newton's method give derivatives of the order asked for."""
        return max(1, int(np.ceil(np.log2(len(self.session.tapes) + 1))))

    def found_by(self, made: Any, found: Any) -> Any:
        """Return a value with the derivatives of one that a step of Newton's method led to.

        Raises:
            MissingFormulaError: when the step is a long one, as nothing was found.
        """
        here, there = np.asarray(found), np.asarray(raw(made))
        if not np.all(np.abs(there - here) <= FAR * (1.0 + np.abs(here))):
            raise self.refuse(
                "a search that has not come to its end", "start nearer, or allow for more steps"
            )
        return exact(made, found)


_BYTES = 1 << 28


def _fit(steps: list[Any]) -> bool:
    """Tell whether steps are few enough to be kept for what may be read of them."""
    arrays = (part for step in steps for part in getattr(step, "held", ()))
    sizes = {id(part): part.nbytes for part in arrays if isinstance(part, np.ndarray)}
    return sum(sizes.values()) < _BYTES


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return further arguments, of which one may stand alone."""
    return value if isinstance(value, tuple) else (value,)


def holds_box(value: Any) -> bool:
    """Tell whether there is a box in a value."""
    found: list[Any] = []
    Rebuilding(lambda part: found.append(part) if type(part) is Box else None)(value)
    return bool(found)


def _number(part: Any) -> Any:
    part = raw(part)
    if isinstance(part, np.ndarray) and part.dtype == object:
        return np.array([raw(entry) for entry in part.flat]).reshape(part.shape)
    return part


def exact(made: Any, found: Any) -> Any:
    """Return a value with the derivatives of one that it differs from by rounding."""
    return made + (np.asarray(found) - raw(made))[()]


def recording(run: Any, *args: Any) -> Any:
    """Call a function of this engine's so that it is recorded."""
    return rewriting.rewritten(run)(*args)


class Report(dict):
    """What a solver reports: entries that are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


_CONSTANT = (
    "success", "status", "message", "nit", "nfev", "njev", "nhev", "converged", "flag",
    "iterations", "function_calls", "nlu", "method",
)  # fmt: skip


def report(plain: Any, **known: Any) -> Report:
    """Return what a solver reports, but for what would have to be differentiated and is not."""
    kept = {name: getattr(plain, name) for name in _CONSTANT if hasattr(plain, name)}
    return Report({**kept, **known})


class Entries(dict):
    """What a solver tells of its search by name, without what depends on data and is not known."""

    def __missing__(self, name: Any) -> Any:
        raise MissingFormulaError(
            f"what a solver of SciPy's tells as {name!r}",
            why="It depends on what is being differentiated.",
            fixes=["compute it from what was found"],
        )


def in_place_of(given: Given, plain: Any, place: Any, value: Any = None, **known: Any) -> Any:
    """Return what a solver gave, as a function of data.

    Args:
        given: what the solver was given.
        plain: what it gave: a place, or a place and more.
        place: the place it found, as a function of data.
        value: gives the value there, which comes second; None where no value does.
        known: what it tells of its search by name, as a function of data.
    """
    if hasattr(plain, "x"):
        return report(plain, x=place, **known)
    if not isinstance(plain, tuple):
        return place
    found = [place]
    for part in plain[1:]:
        if value is not None and len(found) == 1:
            found.append(value(place))
        elif isinstance(part, dict):
            rest = {n: v for n, v in part.items() if isinstance(v, int | str)}
            found.append(Entries({**rest, **known}))
        elif isinstance(part, float | np.floating | np.ndarray):
            raise given.refuse("all that it tells of its search", "leave full_output= out")
        else:
            found.append(part)
    return tuple(found)
