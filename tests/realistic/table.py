"""The table of realistic programs: what there is to differentiate, and at which arguments.

A program is a piece of numerical Python as people of some field write it, with the
classes, dataclasses, caches, loggers and loops that they use. One function or method
of it is differentiated:

    @program(lambda rng: (rng.normal(size=3), Settings()), wrt=0)
    def loss(theta, settings): ...

    calls("pid_loop", lambda rng: (Loop(Plant()).run, (np.array([1.0, 0.2]),)))

The second form is for what only exists when it is made: methods of an object, partial
functions, closures.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Rng = np.random.Generator
_HARNESS = {"table", "trees", "differences", "state", "examine", "test_realistic", "__main__"}
_table: dict[str, Program] = {}


@dataclass(frozen=True)
class Program:
    """What to differentiate, where, and how exact differences of it are.

    Attributes:
        name: "field.function".
        module: the module that it stands in.
        make: gives the function and its arguments, made anew at each call from a
            generator of random numbers that has the same state each time.
        wrt: what a user passes: the position of an argument, or a tuple of them.
        order2: whether it is differentiated twice.
        again: whether a second call with the same arguments is compared, too.
        rtol: how exact the function is, relative to the derivative.
        changes: what changes between two calls, one after the other: functions of the
            arguments of the last call, which may give other ones.
    """

    name: str
    module: str
    make: Callable[[Rng], tuple[Callable[..., Any], tuple[Any, ...]]]
    wrt: int | tuple[int, ...]
    order2: bool
    again: bool
    rtol: float
    changes: tuple[Callable[[tuple[Any, ...]], Any], ...] = ()

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the arguments to differentiate with respect to."""
        return self.wrt if isinstance(self.wrt, tuple) else (self.wrt,)

    def made(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the function and its arguments, made anew."""
        fn, args = self.make(np.random.default_rng(7))
        return fn, tuple(args)


def program(
    make: Callable[[Rng], tuple[Any, ...]],
    wrt: int | tuple[int, ...] = 0,
    *,
    order2: bool = True,
    again: bool = True,
    rtol: float = 1e-6,
    changes: tuple[Callable[[tuple[Any, ...]], Any], ...] = (),
) -> Callable[[F], F]:
    """Put a function into the table; ``make`` gives its arguments, the rest is as in Program."""

    def put(fn: F) -> F:
        add = (fn.__module__, wrt, order2, again, rtol, changes)
        _put(fn.__name__, lambda rng: (fn, make(rng)), *add)
        return fn

    return put


def calls(
    name: str,
    make: Callable[[Rng], tuple[Callable[..., Any], tuple[Any, ...]]],
    wrt: int | tuple[int, ...] = 0,
    *,
    order2: bool = True,
    again: bool = True,
    rtol: float = 1e-6,
) -> None:
    """Put a method or a function that is made into the table, under a name."""
    module = sys._getframe(1).f_globals["__name__"]
    _put(name, make, module, wrt, order2, again, rtol)


def _put(name: str, make: Any, module: str, *rest: Any) -> None:
    full = f"{module.rpartition('.')[2]}.{name}"
    if full in _table:
        raise ValueError(f"there are two programs named {full}")
    _table[full] = Program(full, module, make, *rest)


def programs() -> list[Program]:
    """Return all programs of all fields, sorted by name."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name not in _HARNESS:
            importlib.import_module(f"{__package__}.{module.name}")
    return [_table[name] for name in sorted(_table)]
