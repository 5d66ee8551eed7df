"""The table of programs: what there is to differentiate, at which arguments.

A program is a plain function with a decorator that leaves it as it is:

    @program(args=(0.5, 2.0), wrt=(0, 1))
    def product(x, y):
        return x * y

Stacked decorators, each with a label, run one function at several arguments,
so that each branch is taken once.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Args = tuple[Any, ...]

TAGS = frozenset(
    {
        "third",  # a function of one float that is differentiated three times
        "flat",  # all its derivatives are zero, and that is what it shows
    }
)

_table: dict[str, Program] = {}


@dataclass(frozen=True)
class Program:
    """A function, and where and how to differentiate it.

    Attributes:
        name: "topic.function", or "topic.function[label]".
        fn: the function.
        args: its arguments, or a function that makes them from a generator of
            random numbers that has the same state each time.
        wrt: the positions of the arguments to differentiate with respect to.
        vector: whether the result is an array or nested tuples; then there is no
            gradient to take, but the product of a cotangent and the Jacobian.
        order2: whether its gradient is differentiated again.
        tags: words from TAGS.
        recorded: whether there is no text of it, so that it is recorded.
        recorded2: whether its gradient is, where that is differentiated again.
    """

    name: str
    fn: Callable[..., Any]
    args: Args | Callable[[np.random.Generator], Args]
    wrt: tuple[int, ...]
    vector: bool
    order2: bool
    tags: frozenset[str]
    recorded: bool = False
    recorded2: bool = False

    def make_args(self) -> Args:
        """Return the arguments, made anew, so that no test sees another's arrays."""
        if callable(self.args):
            return self.args(np.random.default_rng(20))
        return copy.deepcopy(self.args)


def program(
    *,
    args: Args | Callable[[np.random.Generator], Args],
    wrt: tuple[int, ...] = (0,),
    label: str = "",
    vector: bool = False,
    order2: bool = True,
    tags: tuple[str, ...] = (),
    recorded: bool = False,
    recorded2: bool = False,
) -> Callable[[F], F]:
    """Put a function into the table; the arguments are those of Program.

    Raises:
        ValueError: when the name is taken, or a tag is unknown.
    """

    def put(fn: F) -> F:
        topic = fn.__module__.rpartition(".")[2]
        name = f"{topic}.{fn.__name__}" + (f"[{label}]" if label else "")
        if name in _table:
            raise ValueError(f"there are two programs named {name}")
        if not TAGS.issuperset(tags):
            raise ValueError(f"unknown tag among {tags}: add it to TAGS")
        known = name, fn, args, wrt, vector, order2, frozenset(tags), recorded, recorded2
        _table[name] = Program(*known)
        return fn

    return put


def programs(*, recorded: bool = False) -> list[Program]:
    """Return the programs of all topics that have a text, or that are recorded, sorted by name."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("test_"):
            importlib.import_module(f"{__package__}.{module.name}")
    return [_table[name] for name in sorted(_table) if _table[name].recorded == recorded]
