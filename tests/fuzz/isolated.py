"""Checking programs that change state: every evaluation has a module of its own.

A program's text is executed anew for each evaluation, so that nothing that an evaluation
wrote to (globals, defaults, attributes, memos) is there at the next one. What the program
leaves behind is compared as well: the arguments and the globals of the module, as they are
after the derivative was computed and after the program itself ran.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import linecache
import random
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad import SrcgradError, jvp, tape, value_and_grad, vjp
from tests.fuzz.programs import Program
from tests.fuzz.witnesses import (
    LARGEST,
    WITHOUT_TEXT,
    Tally,
    Unsuitable,
    compare,
    estimate,
    refusal,
    same,
)

ENGINES = {
    "text": (
        functools.partial(vjp, recorded="refuse"),
        functools.partial(value_and_grad, recorded="refuse"),
        functools.partial(jvp, recorded="refuse"),
    ),
    "regions": (
        functools.partial(vjp, recorded="allow"),
        functools.partial(value_and_grad, recorded="allow"),
        functools.partial(jvp, recorded="allow"),
    ),
    "tape": (tape.vjp, tape.value_and_grad, tape.jvp),
}
WAYS = tuple(f"{engine} {mode}" for engine in ENGINES for mode in ("vjp", "gradient", "jvp"))
PLAIN = (int, float, complex, bool, str, bytes, type(None))

_serial = 0


@dataclass(frozen=True, repr=False)
class Isolated(Program):
    """A program that is called once or several times, with changes of its module between.

    The module defines ``f``, perhaps ``extra()``, which makes more arguments, and functions
    ``change1()``, ``change2()``, ... that are called before the call of that number.

    Attributes:
        ways: the ways to take derivatives that are compared.
    """

    ways: tuple[str, ...] = WAYS

    @property
    def calls(self) -> tuple[tuple[Any, ...], ...]:
        """The arguments of all calls."""
        return (self.args, *self.others)


class Wrong(AssertionError):
    """A derivative, a value or what is left behind is not that of the program."""


@contextlib.contextmanager
def module(program: Isolated) -> Iterator[dict[str, Any]]:
    """Give the names of the program's module, executed anew."""
    global _serial
    _serial += 1
    filename = f"<isolated {_serial}>"
    lines = program.source.splitlines(keepends=True)
    if not WITHOUT_TEXT[0]:
        linecache.cache[filename] = (len(program.source), None, lines, filename)
    made = types.ModuleType(f"isolated_{_serial}")
    sys.modules[made.__name__] = made  # where dataclasses look for it
    space = vars(made)
    try:
        exec(compile(program.source, filename, "exec"), space)
        yield space
    finally:
        linecache.cache.pop(filename, None)
        del sys.modules[made.__name__]


def arguments(space: dict[str, Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return copies of the arguments of a call, and the more that the module makes."""
    made = space["extra"]() if "extra" in space else ()
    return (*copy.deepcopy(args), *made)


def change(space: dict[str, Any], number: int) -> None:
    """Carry out what stands between two calls."""
    if number and f"change{number}" in space:
        space[f"change{number}"]()


def plain(program: Isolated, number: int, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the value of a call that comes after others, and what is left behind."""
    with module(program) as space:
        f = space["f"]
        for k in range(number):
            change(space, k)
            f(*arguments(space, program.calls[k]))
        change(space, number)
        given = arguments(space, args)
        value = f(*given)
        return value, left(space, given)


def left(space: dict[str, Any], given: tuple[Any, ...]) -> dict[str, Any]:
    """Return what can be compared of a module and arguments."""
    seen: dict[int, tuple[int, Any]] = {}
    kept = {k: v for k, v in space.items() if not k.startswith("__")}
    return {k: picture(v, seen) for k, v in {**kept, "arguments": given}.items()}


def _of(key: Any) -> Any:
    """Return what a key stands for."""
    return key() if isinstance(key, weakref.ref) else key


def picture(thing: Any, seen: dict[int, tuple[int, Any]]) -> Any:
    """Return a value as nested tuples of numbers, arrays and text."""
    if isinstance(thing, PLAIN):
        return thing
    if id(thing) in seen:
        return ("again", seen[id(thing)][0])
    seen[id(thing)] = (len(seen), thing)  # kept, so that no other has its id
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return np.array(thing)
    if isinstance(thing, np.generic):
        return thing
    if isinstance(thing, np.random.Generator):
        return ("draws", picture(thing.bit_generator.state, seen))
    if isinstance(thing, np.random.RandomState):
        return ("draws", picture(thing.get_state(legacy=False), seen))
    if isinstance(thing, random.Random):
        return ("draws", thing.getstate())
    if isinstance(thing, list | tuple | collections.deque | set):
        return (type(thing).__name__, *(picture(item, seen) for item in thing))
    if isinstance(thing, dict):
        return ("dict", *((repr(_of(k)), picture(v, seen)) for k, v in thing.items()))
    if isinstance(thing, weakref.ref):
        return ("weak", picture(thing(), seen))
    if isinstance(thing, types.FunctionType):
        cells = [c.cell_contents for c in thing.__closure__ or () if c != types.CellType()]
        return ("function", picture(thing.__defaults__, seen), picture(cells, seen))
    if isinstance(thing, type) and not thing.__flags__ & 1 << 9:
        return "library class"
    if isinstance(thing, type):
        names = [k for k in vars(thing) if not k.startswith("__")]
        return ("class", *((k, picture(vars(thing)[k], seen)) for k in names))
    if hasattr(thing, "__dict__") and not isinstance(thing, types.ModuleType):
        own = {k: v for k, v in vars(thing).items() if not k.startswith("__")}
        return (type(thing).__name__, picture(own, seen))
    return type(thing).__name__


def require_equal(what: str, got: Any, wanted: Any, rounding: float, place: str = "") -> None:
    """Raise Wrong where two pictures differ."""
    if isinstance(got, tuple) and isinstance(wanted, tuple) and len(got) == len(wanted):
        for one, other in zip(got, wanted, strict=True):
            require_equal(what, one, other, rounding, place)
        return
    if isinstance(got, dict) and isinstance(wanted, dict):
        for name in wanted:
            require_equal(what, got.get(name), wanted[name], rounding, name)
        return
    number = (int, float, np.ndarray, np.generic)
    if isinstance(got, int) and isinstance(wanted, int):
        equal = got == wanted  # the state of a generator has numbers of 128 bits
    elif isinstance(got, number) and isinstance(wanted, number):
        with np.errstate(all="ignore"):
            equal = np.shape(got) == np.shape(wanted) and np.allclose(
                got, wanted, rounding, rounding, equal_nan=True
            )
    else:
        equal = type(got) is type(wanted) and got == wanted
    if not equal:
        raise Wrong(f"{what} leaves something else behind: {place}: {got}, not {wanted}")


@dataclass
class Reference:
    """What is known about one call of a program.

    Attributes:
        value: what it gives.
        behind: what it leaves behind.
        gradients: its gradients, with how far they can be off.
    """

    value: float
    behind: dict[str, Any]
    gradients: list[tuple[Any, Any]]


def reference(program: Isolated, number: int) -> Reference:
    """Return what the program itself says about one of its calls.

    Raises:
        Unsuitable: when it raises, or its values are too large to take differences of.
    """
    wide = replace(program, args=program.calls[number]).widened()
    args = wide.args

    def run(*values: Any) -> float:
        return float(plain(program, number, values)[0])

    try:
        value, behind = plain(program, number, program.calls[number])
        if np.shape(value) != () or not np.isfinite(value) or abs(value) > LARGEST:
            raise Unsuitable
        gradients = [estimate(run, args, k) for k in program.wrt]
    except Unsuitable:
        raise
    except Exception as error:
        raise Unsuitable from error
    return Reference(value, behind, gradients)


class Ways:
    """The derivatives of a program, taken in one way after the other."""

    def __init__(self, program: Isolated, tally: Tally) -> None:
        self.program, self.tally = program, tally
        self.wrt = program.wrt if len(program.wrt) > 1 else program.wrt[0]

    def check(self) -> None:
        """Compare what each way gives with the program itself.

        Raises:
            Unsuitable: when nothing can be said about this program.
            Wrong: when something differs.
        """
        with np.errstate(all="ignore"):
            known = [reference(self.program, k) for k in range(len(self.program.calls))]
            for way in self.program.ways:
                self.follow(way, known)

    def follow(self, way: str, known: list[Reference]) -> None:
        """Compare one way, called as often as the program is."""
        with module(self.program) as space:
            take = self.taking(way, space["f"])
            for k, (args, wanted) in enumerate(zip(self.program.calls, known, strict=True)):
                change(space, k)
                given = arguments(space, args)
                try:
                    value, gradients = take(given)
                except SrcgradError as error:
                    self.tally[f"{way}: refused"] += 1
                    self.tally[f"{way.partition(' ')[0]}: {refusal(error)}"] += 1
                    return
                self.tally[f"{way}: calls compared"] += 1
                self.require(f"{way}, call {k}", wanted, value, gradients, space, given)

    def require(
        self, way: str, wanted: Reference, value: Any, gradients: Any, space: Any, given: Any
    ) -> None:
        """Raise Wrong where a call's value, gradients or traces are not the program's."""
        narrow = any(getattr(a, "dtype", None) == np.float32 for a in given)
        rounding = 1e-3 if narrow else 1e-8
        try:
            if value is not None:
                same(f"value of {way}", value, wanted.value, rounding)
            if way.split(",")[0].endswith("jvp"):
                expected = sum(np.sum(g) for g, _ in wanted.gradients)
                error = sum(np.sum(e) for _, e in wanted.gradients)
                whole = gradients is None and isinstance(wanted.value, int)  # which has no tangent
                found = 0.0 if whole else gradients
                compare(way, found, expected, np.asarray(error + (rounding if narrow else 0)))
            else:
                for got, (expected, error) in zip(gradients, wanted.gradients, strict=True):
                    compare(way, got, expected, error + (rounding if narrow else 0))
        except AssertionError as error:
            raise Wrong(str(error)) from None
        # what nobody needs is not carried out by a gradient alone, so it is not asked for
        require_equal(way, left(space, given), wanted.behind, rounding)

    def taking(self, way: str, f: Callable[..., Any]) -> Callable[[Any], tuple[Any, Any]]:
        """Return what gives the value and the gradients for arguments."""
        engine, mode = way.split()
        vector, both, forward = ENGINES[engine]
        several = len(self.program.wrt) > 1

        if mode == "vjp":

            def reverse(given: Any) -> tuple[Any, Any]:
                value, backward = vector(f, *given, wrt=self.wrt)
                bars = backward(1.0)
                return value, bars if several else (bars,)

            return reverse
        if mode == "jvp":

            def along(given: Any) -> tuple[Any, Any]:
                dots = [np.ones_like(a) if k in self.program.wrt else None
                        for k, a in enumerate(given)]  # fmt: skip
                return forward(f, given, tuple(dots))

            return along
        gradient = both(f, wrt=self.wrt)

        def joint(given: Any) -> tuple[Any, Any]:
            value, bars = gradient(*given)
            return value, bars if several else (bars,)

        return joint
