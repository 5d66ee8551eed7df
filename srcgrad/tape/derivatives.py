"""The derivatives that a tape gives: the surface of the engine."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import srcgrad
import srcgrad.tape.rewriting as rewriting
from srcgrad.calling.api import Differentiated, own_has_aux, own_wrt
from srcgrad.calling.options import HOW
from srcgrad.errors import ArgumentError, OverwrittenError, ResultError
from srcgrad.formulas import load_all
from srcgrad.load.observers import entering, running
from srcgrad.program.device_arrays import (
    converted,
    is_array,
    is_number_or_array,
    is_on_device,
    is_writeable,
    like,
    look_for_devices,
    zeros,
)
from srcgrad.program.foreign import require_plain
from srcgrad.runtime.broadcasting import cast_like
from srcgrad.runtime.kept import Kept
from srcgrad.tape.calls import call
from srcgrad.tape.memory import argument, fresh, renew_constants, require_copies, seen
from srcgrad.tape.recording import Box, Tape, all_finite, program, raw
from srcgrad.tape.session import Session, state
from srcgrad.tape.steps.watching import returned
from srcgrad.tape.trees import Held, Rebuilding, parts_of, refill, unbox_inside


def vjp(
    f: Callable[..., Any], *args: Any, wrt: Any = 0, tape: Tape | None = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run a function on a tape, and return its value and its backward function.

    Args:
        f: the function; arguments and results may be arrays, numbers, and containers
            and objects that hold them.
        *args: its arguments. What it writes into them is there afterwards.
        wrt: position or name of the argument to differentiate with respect to, or
            a tuple of them; a tuple gives a tuple of gradients.
        tape: an empty tape to record on, for those who want to read it.
        **options: its keyword arguments, which are constants.

    Returns:
        ``(value, backward)``; ``backward(value_bar)`` takes a cotangent with the
        structure of the value, where None stands for zero.

    Raises:
        ArgumentError: when ``wrt`` does not fit, an argument is not of real or complex
            numbers, or a value leaves the tape.
        MissingFormulaError: when a function without a formula is called.
        OverwrittenError: by ``backward``, when an array that it needs was written since.

    Example:
        >>> import math
        >>> from srcgrad.tape import vjp
        >>> value, backward = vjp(lambda x: math.sin(x), 0.0)
        >>> float(backward(2.0))
        2.0
    """
    recording = Recording(tape or Tape(), f, args, options, wrt)
    if tape is not None:
        recording.show()
    value = recording.run()
    kept = None if state.session is not None else Kept(tuple(recording.outside), ())

    def backward(value_bar: Any) -> Any:
        if kept is not None and any(True for _ in kept.changed()):
            raise OverwrittenError(
                "a value that was kept was overwritten between vjp and the call of its "
                "backward function",
                why="The derivative needs the value that it had then.",
                fixes=["call the backward function before writing", "pass a copy"],
            )
        return recording.back(value_bar)

    return value, backward


def grad(f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes a gradient with a tape; see ``srcgrad.grad``.

    Args:
        f: the function; it must return one real number.
        wrt: see ``vjp``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.

    Returns:
        A function with the parameters of ``f``.

    Raises:
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> from srcgrad.tape import grad
        >>> float(grad(grad(lambda x: x * x * x))(2.0))
        12.0
    """
    has_aux = has_aux or own_has_aux(f)
    both = value_and_grad(f, wrt, has_aux)

    def gradient(*args: Any, **options: Any) -> Any:
        value, slope = both(*args, **options)
        return (slope, value[1]) if has_aux else slope

    gradient.__name__ = f"{getattr(f, '__name__', 'function')}_grad"
    return gradient


def value_and_grad(
    f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes a value and its gradient with a tape.

    Args:
        f: the function; it must return one real number.
        wrt: see ``vjp``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.

    Returns:
        A function that returns ``(value, gradient)``.

    Raises:
        ResultError: see ``grad``.

    Example:
        >>> from srcgrad.tape import value_and_grad
        >>> value, slope = value_and_grad(lambda x: x * x)(3.0)
        >>> float(value), float(slope)
        (9.0, 6.0)
    """
    has_aux = has_aux or own_has_aux(f)

    def both(*args: Any, **options: Any) -> Any:
        recording = Recording(Tape(), f, args, options, wrt)
        value = recording.run()
        if has_aux and (not isinstance(value, tuple) or len(value) != 2):
            raise ResultError(
                f"{_name(f)} does not return (value, auxiliary)",
                fixes=["return a tuple of two, or leave has_aux out"],
            )
        _require_real_number(raw(value[0] if has_aux else value), f)
        return value, recording.back((1.0, None) if has_aux else 1.0)

    return both


def _require_real_number(value: Any, f: Any) -> None:
    number = value
    if is_array(value) and value.ndim == 0:  # what kind it has is not asked of a device
        number = value.dtype.type() if is_on_device(value) else value.item()
    if isinstance(number, int | float | np.integer | np.floating) and type(number) is not bool:
        return
    if isinstance(number, complex | np.complexfloating):
        kind = "is complex"
    elif is_array(number):
        kind = f"has the shape {value.shape}"
    else:
        kind = f"is a {type(number).__name__}"
    raise ResultError(
        f"the result {kind}; a gradient asks for one real number",
        fixes=["sum it or index it", "take its real part", "use vjp"],
    )


def _name(f: Any) -> str:
    return getattr(f, "__name__", "the function")


@functools.cache
def _load() -> None:
    load_all()


class Slot:
    """A leaf of an argument that is differentiated.

    Attributes:
        box: what the function is given.
        node: its node.
        value: the number or the array.
    """

    __slots__ = ("box", "node", "value")

    def __init__(self, box: Box, node: int, value: Any) -> None:
        self.box = box
        self.node = node
        self.value = value


class End:
    """A leaf of a result.

    Attributes:
        node: its node; None for a constant.
        value: the number or the array, in the box of an outer tape if it has one.
    """

    __slots__ = ("node", "value")

    def __init__(self, node: int | None, value: Any) -> None:
        self.node = node
        self.value = value


class Recording:
    """One run of a function, and the walk back over it.

    Args:
        tape: an empty tape.
        f: the function.
        args: its arguments.
        options: its keyword arguments.
        wrt: see ``vjp``.

    Attributes:
        outside: the arrays that steps hold and that others may write to later.
        given: the arguments that the function was called with, by position and name.
        held: the containers and objects in its result, and their copies, by identity.
        shown: whether the tape is one that somebody will read.
        transposed: whether the walk back is differentiated, for forward mode.
        shared: whether what is given for an object that the result holds at several places
            is that of the object, and counts once.
        careful: whether what is left out counts as such in it.
        entering: makes a function of the program that ran, where somebody steps through it.
    """

    def __init__(self, tape: Tape, f: Any, args: Any, options: Any, wrt: Any) -> None:
        _load()
        look_for_devices()
        self.tape = tape
        self.f = f
        self.args = args
        self.options = options
        self.names = _names(f, len(args))
        self.several, self.places = _places(f, args, options, wrt)
        self.outside: list[Any] = []
        self.starts: list[Any] = []
        self.ends: Any = None
        self.given: dict[Any, Any] = {}
        self.held: dict[int, tuple[Any, Any]] = {}
        self.shown = False
        self.transposed = False
        self.shared = False
        self.careful = False
        self.entering: Any = None

    def show(self) -> None:
        """Note of each step where it stands, for somebody who will read the tape."""
        self.shown = True
        given = dict(zip(self.names, self.args, strict=False)) | self.options
        self.tape.note(self.f, given)

    def run(self) -> Any:
        """Run the function; return what its caller sees."""
        outer = state.session
        session = outer or Session()
        self.entering = entering() if outer is None else None
        if self.entering is not None:
            self.show()
        self.tape.watch = running()
        given: dict[Any, Any] = {**dict(enumerate(self.args)), **self.options}
        first, held = Rebuilding(_itself), None
        if self.tape.watch is not None and outer is None:
            named = dict(zip(self.names, self.args, strict=False)) | self.options
            self.tape.watch.started(_name(self.f), named)
        state.session = session
        session.tapes.append(self.tape)
        try:
            for place in self.places:
                self._start(session, place, given[place], first)
            held = Held(first.made, lambda part: part.box if type(part) is Slot else part)
            given.update(zip(self.places, map(held.given, self.starts), strict=True))
            positional = [given[k] for k in range(len(self.args))]
            try:
                value = call(self.f, *positional, **{k: given[k] for k in self.options})
            finally:
                if self.tape.failed is not None:
                    raise self.tape.failed
            require_copies(session)
            last = Rebuilding(self._end)
            self.ends, self.given, self.held = last(value), given, last.made
            self.tape.ends = self.ends if self.shown else None
            value = Rebuilding(_visible)(self.ends)
            if self.tape.watch is not None:
                returned(self.tape.watch, self.f, value)
        finally:
            self.tape.running = False
            session.tapes.remove(self.tape)
            session.finished.add(self.tape)
            self.outside += session.captured.values()
            state.session = outer
            if held is not None:
                held.end(_bare if outer is None else _itself)
            if outer is None:
                _leave(session)
        return value

    def _start(self, session: Session, place: Any, own: Any, first: Rebuilding) -> None:
        """Note an argument as a tape starts with it, and the leaves of it."""
        name = place if isinstance(place, str) else self.names[place]

        def slot(part: Any) -> Any:
            if type(part) is Box and len(session.tapes) == 1:
                part = part.array  # which another thread records meanwhile
            if not _is_number(raw(part)):
                return part
            require_plain(raw(part), name)
            if is_array(part):
                self.outside.append(part)
            box = argument(session, self.tape, name, part)
            return Slot(box, self.tape.arguments[-1][1], part)

        count = len(self.tape.arguments)
        first.leaf = slot
        self.starts.append(first(own))
        found = _leaves(self.starts[-1]) if len(self.tape.arguments) == count else ()
        if len(self.tape.arguments) == count and not any(type(part) is Slot for part in found):
            raise _no_number(name, own)

    def _end(self, part: Any) -> End:
        """Return a leaf of the result."""
        part = seen(part)
        part = fresh(part) if type(part) is Box else part
        if type(part) is not Box or part.tape is not self.tape:
            return End(None, part)
        if type(part.value) is Box:
            return End(part.index, part.value)
        return End(part.index, part.array)

    def back(self, value_bar: Any) -> Any:
        """Walk back, and return the gradients."""
        seeds: list[tuple[int, Any]] = []
        _add_seeds(seeds, self.ends, value_bar, set() if self.shared else None)
        if self.entering is not None and not self.transposed:
            bars = self._entered(seeds)
        else:
            bars = self.tape.back(seeds, self.shown, self.transposed, self.careful)

        def slope(part: Any) -> Any:
            if type(part) is not Slot:
                return None
            bar, bars[part.node] = bars[part.node], None
            return gradient(part.value, bar)

        made = tuple(map(Rebuilding(slope), self.starts))
        return made if self.several else made[0]

    def _entered(self, seeds: list[tuple[int, Any]]) -> list[Any]:
        """Run the program that ran on the tape, and return the cotangents of the arguments."""
        self.tape.seeds = seeds
        made = program(self.tape)
        slopes = self.entering(made)(*made.space["arguments"])[1]
        arguments = self.tape.arguments
        bars: list[Any] = [None] * len(self.tape.births)
        slopes = slopes if len(arguments) > 1 else (slopes,)
        for (_, node, _), bar in zip(arguments, slopes, strict=True):
            bars[node] = bar
        return bars


def _itself(box: Any) -> Any:
    return box


def _visible(end: End) -> Any:
    """Return a leaf of a result as the caller sees it: no array that others hold."""
    value = end.value
    if type(value) is Box:
        array = value.array
        return call(np.copy, value) if is_array(array) else value
    if is_array(value) and end.node is not None:
        return value.copy()
    return value


def gradient(value: Any, bar: Any) -> Any:
    """Return a gradient that only the caller holds, with the dtype and the type of its argument."""
    value = raw(value)
    if type(bar) is Box:
        if np.iscomplexobj(bar.array) and not np.iscomplexobj(value):
            bar = bar.real  # pyright: ignore[reportAttributeAccessIssue]
        kind = getattr(value, "dtype", None)
        if kind is not None and getattr(bar.array, "dtype", kind) != kind:
            bar = call(cast_like, bar, value)
        return call(np.copy, bar) if is_array(bar.array) else bar
    if bar is None:
        made = np.zeros_like(value)
    else:
        bar = np.real(bar) if np.iscomplexobj(bar) and not np.iscomplexobj(value) else bar
        same = is_array(value) and (type(bar) is np.ndarray or is_on_device(bar))
        if same and bar.dtype == value.dtype and _is_alone(bar):
            return bar
        if is_on_device(value):
            return converted(bar, value)
        if is_on_device(bar):  # of a number of the host, whose gradient is there, too
            return bar.copy()
        held = isinstance(value, np.ndarray)
        made = np.array(bar, dtype=value.dtype if held else np.result_type(value))
    if is_array(value):
        return made
    number = made[()]
    return type(value)(number) if type(value) in (float, complex) else number


def _is_alone(array: Any) -> bool:
    """Tell whether nobody holds an array but the functions that this one is called by."""
    return array.base is None and is_writeable(array) and sys.getrefcount(array) <= _ALONE


def _add_seeds(
    seeds: list[tuple[int, Any]],
    ends: Any,
    bar: Any,
    given: set[int] | None,
    around: tuple[int, ...] = (),
) -> None:
    """Add the nodes of a result, and the cotangents of them; what holds itself, once.

    Args:
        seeds: it is added to.
        ends: the result.
        bar: its cotangent.
        given: the leaves that were added, where each counts once; None where those of the
            same object at two places are added.
        around: what holds ``ends``.

    Raises:
        ArgumentError: when the cotangent has not the structure of the result.
    """
    if bar is None:
        return
    if type(ends) is End:
        if ends.node is not None and (given is None or id(ends) not in given):
            seeds.append((ends.node, seed(ends.value, bar)))
        if given is not None:
            given.add(id(ends))
        return
    parts = parts_of(ends)
    if parts is None:
        return
    found = parts_of(bar)
    fits = found is not None and len(found) == len(parts)
    fits = fits and isinstance(ends, dict) == isinstance(bar, dict)
    if isinstance(ends, dict):
        fits = fits and [*dict.keys(ends)] == [*dict.keys(bar)]
    if not fits or found is None:
        kind = "a tuple" if isinstance(ends, tuple | list) else f"a {type(ends).__name__}"
        raise ArgumentError(
            f"the result is {kind} of {len(parts)}, and the cotangent is not",
            fixes=[f"give {kind} with one cotangent, or None, for each part of the result"],
        )
    for part, part_bar in zip(parts, found, strict=True):
        if part is not ends and id(part) not in around:
            _add_seeds(seeds, part, part_bar, given, (*around, id(ends)))


def seed(value: Any, bar: Any) -> Any:
    """Return the cotangent of a result in the kind of the result.

    Raises:
        ArgumentError: when it does not fit.
    """
    number, found = raw(value), raw(bar)
    if np.shape(found) != np.shape(number):
        raise ArgumentError(
            f"the cotangent has the shape {np.shape(found)}, and the result {np.shape(number)}: "
            "it does not fit",
            fixes=["give a cotangent with the shape of the result"],
        )
    is_complex = np.iscomplexobj(number)
    if np.iscomplexobj(found) and not is_complex:
        raise ArgumentError(
            "the cotangent is complex, and the result is real: it does not fit",
            fixes=["give the real and the imaginary part one by one"],
        )
    if type(bar) is Box:
        return bar + 0j if is_complex and not np.iscomplexobj(found) else bar  # pyright: ignore[reportOperatorIssue]
    if is_on_device(number):
        return converted(bar, number)
    if is_on_device(found):
        raise ArgumentError(
            "the cotangent is on a device, and the result is not: it does not fit",
            fixes=["give one of NumPy's"],
        )
    dtype = np.result_type(number)
    if isinstance(number, np.ndarray | np.generic):
        return np.array(bar, dtype=dtype)[()]
    return complex(bar) if is_complex else float(bar)


def _leave(session: Session) -> None:
    """Leave no box in what is not the function's own, and give functions their own code."""
    rewriting.restore(session)
    renew_constants(session)
    around: set[int] = set()
    for thing in session.noted():
        if hasattr(type(thing), "cache_clear"):
            refill(thing, _bare, around, session.caches[id(thing)])
        else:
            unbox_inside(thing, _bare, around)
    for cell in (cell for cells in session.cells.values() for cell in cells):
        _unbox_cell(cell, around)
    for space, names in session.namespaces:
        for name in names:
            found = space.get(name)
            if type(found) is Box:
                space[name] = found.array
            elif found is not None:
                unbox_inside(found, _bare, around)


def _bare(box: Any) -> Any:
    return box.array


def _unbox_cell(cell: Any, around: set[int]) -> None:
    try:
        found = cell.cell_contents
    except ValueError:
        return
    if type(found) is Box:
        cell.cell_contents = found.array
    else:
        unbox_inside(found, _bare, around)


def _is_number(value: Any) -> bool:
    if is_number_or_array(value):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex)


def _no_number(name: str, value: Any) -> ArgumentError:
    """Return the error for an argument in which nothing can be differentiated."""
    dtype = getattr(value, "dtype", None)
    what = f"an array of dtype {dtype}" if dtype is not None else f"a {type(value).__name__}"
    return ArgumentError(
        f"the argument {name!r} is {what}, which cannot be differentiated: "
        "it is not of real or complex numbers",
        fixes=["pass floating-point numbers", f"leave {name!r} out of wrt"],
    )


def _names(f: Any, count: int) -> list[str]:
    """Return the names of the arguments, as far as there are any."""
    while isinstance(f, Differentiated):
        f = f.__srcgrad_primal__
    if type(f) is types.FunctionType:  # the usual case, and a fast one
        found = list(f.__code__.co_varnames[: f.__code__.co_argcount])
        return [*found, *(f"argument{k}" for k in range(len(found), count))][:count]
    try:
        parameters = inspect.signature(f, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        parameters = []
    found = [p.name for p in parameters if p.kind <= p.POSITIONAL_OR_KEYWORD]
    return [*found, *(f"argument{k}" for k in range(len(found), count))][:count]


def _place(f: Any, names: list[str], wrt: Any, options: Any) -> Any:
    """Return the position of a differentiated argument, or its name where it is given by name."""
    if isinstance(wrt, str) and wrt in options:
        return wrt
    found = names.index(wrt) if wrt in names else wrt
    if type(found) is int and found >= len(names):
        try:
            label = list(inspect.signature(f, follow_wrapped=False).parameters)[found]
        except (TypeError, ValueError, IndexError):
            label = None
        if label in options:
            return label
    if type(found) is not int or not -len(names) <= found < len(names):
        raise ArgumentError(
            f"wrt={wrt!r} does not fit a call with {len(names)} arguments",
            fixes=["give the position or the name of an argument, or a tuple of them"],
        )
    return found % len(names)


# Forward mode, and second derivatives. A tape only goes backward. But the product of a
# cotangent and a Jacobian is linear in the cotangent, so that its own derivative is the
# product of the Jacobian and a tangent.


def jvp(
    f: Callable[..., Any], primals: Any, tangents: Any, moving: Any = None, /, **options: Any
) -> tuple[Any, Any]:
    """Evaluate a function and its derivative along a direction; see ``srcgrad.jvp``.

    Args:
        f: the function.
        primals: its arguments.
        tangents: a tangent, or None, for each of them.
        moving: the tangents of arguments that are given by name.
        **options: the arguments that are given by name.

    Example:
        >>> from srcgrad.tape import jvp
        >>> value, slope = jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
        >>> float(value), float(slope)
        (6.0, 2.0)
    """
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"there are {len(primals)} arguments, and {len(tangents)} tangents",
            fixes=["give a tangent, or None, for each argument"],
        )
    dots = {**dict(enumerate(tangents)), **(moving or {})}
    dots = {k: dot for k, dot in dots.items() if dot is not None}
    recording = Recording(Tape(), f, primals, options, tuple(dots))
    value = recording.run()
    return value, pushed(recording, tuple(dots.values()))


def pushed(recording: Recording, tangents: tuple[Any, ...]) -> Any:
    """Return the tangent of what a recording gave.

    Args:
        recording: it has run.
        tangents: those of the arguments that it is differentiated with respect to.
    """
    zeros = Rebuilding(_zero)(recording.ends)
    if not tangents or not _any(zeros):
        return Rebuilding(_no_tangent)(recording.ends)
    recording.transposed = recording.shared = True
    for recording.careful in (False, True):
        transposed = Recording(Tape(), recording.back, (zeros,), {}, 0)
        transposed.shared = True
        transposed.run()
        found = transposed.back(tangents)
        if not _leaves_out(recording, found) or _all_finite(found):
            break
    return found


def _zero(end: End) -> Any:
    """Return a cotangent of a leaf that is zero, None for what has none."""
    number = raw(end.value)
    if not _is_number(number):
        return None
    return np.zeros_like(number) if is_array(number) else type(number)(0.0)


def _leaves_out(recording: Recording, tree: Any) -> bool:
    """Tell whether a careful walk may give another tangent; a device is not asked for nothing."""
    if not any(is_on_device(raw(part)) for part in _leaves(tree)):
        return True
    return any(
        hasattr(entry, "entries") or (hasattr(entry, "plan") and entry.plan.weighs)  # pyright: ignore[reportAttributeAccessIssue]
        for entry in recording.tape.entries
    )


def _leaves(tree: Any) -> list[Any]:
    found: list[Any] = []
    Rebuilding(found.append)(tree)
    return found


def _all_finite(tree: Any) -> bool:
    return all_finite(part for part in _leaves(tree) if _is_number(raw(part)))


def _no_tangent(end: End) -> Any:
    return _zero(end)


def _any(tree: Any) -> bool:
    return any(part is not None for part in _leaves(tree))


def hvp(f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian with a vector; see ``srcgrad.hvp``."""

    def product(*args: Any, **options: Any) -> Any:
        *given, vector = args
        several, places = _places(f, given, options, wrt)
        parts = vector if several else (vector,)
        if not isinstance(parts, tuple | list) or len(parts) != len(places):
            raise ArgumentError(
                f"wrt names {len(places)} arguments, and the vector has not a part for each",
                fixes=["give a tuple with a part for each of them"],
            )
        slopes = _slopes(f, places if several else places[0], has_aux)
        recording = Recording(Tape(), slopes, given, options, places)
        recording.run()
        made = pushed(recording, tuple(parts))
        if not several:
            return made
        return list(made) if isinstance(vector, list) else made

    return product


def _places(f: Any, args: Any, options: Any, wrt: Any) -> tuple[bool, tuple[Any, ...]]:
    """Return whether ``wrt`` is a tuple, and where what it names stands in a call."""
    wrt = own_wrt(f, wrt)
    several = isinstance(wrt, tuple | list)
    names = _names(f, len(args))
    wanted = wrt if several else (wrt,)
    return several, tuple(_place(f, names, part, options) for part in wanted)


def _slopes(f: Any, wrt: Any, has_aux: bool) -> Callable[..., Any]:
    """Return what gives a gradient alone."""
    both = value_and_grad(f, wrt, has_aux)
    return lambda *args, **options: both(*args, **options)[1]


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Jacobian column by column; see ``srcgrad.jacfwd``.

    All columns come from one run of the function, which may give something else at the next.
    """

    def columns(*args: Any, **options: Any) -> Any:
        several, places = _places(f, args, options, wrt)
        recording = Recording(Tape(), f, args, options, places)
        recording.run()
        # for each number of the arguments, by its identity: those of the result move by so much
        blocks = {id(slot): _moved(recording, slot) for slot in _slots(recording.starts)}
        leaves = itertools.count()

        def block(end: End) -> Any:
            if not _is_number(raw(end.value)):
                return None
            number = next(leaves)

            def part(slot: Any) -> Any:
                return blocks[id(slot)][number] if type(slot) is Slot else None

            made = tuple(Rebuilding(part)(start) for start in recording.starts)
            return made if several else made[0]

        return Rebuilding(block)(recording.ends)

    return columns


def _slots(starts: Any) -> list[Slot]:
    """Return the numbers of arguments that are differentiated.

    Raises:
        ArgumentError: where one is complex.
    """
    found: list[Any] = []
    Rebuilding(found.append)(starts)
    slots = [part for part in found if type(part) is Slot]
    if any(np.iscomplexobj(raw(slot.value)) for slot in slots):
        raise ArgumentError("a Jacobian is one of real arguments", fixes=["use vjp or jvp"])
    return slots


def _moved(recording: Recording, slot: Slot) -> list[Any]:
    """Return the Jacobians of the numbers of a result, for one number of the arguments."""
    number = raw(slot.value)
    number = number if is_on_device(number) else np.asarray(number)

    def along(unit: Any) -> list[Any]:
        move = Rebuilding(lambda part: unit if part is slot else None)
        dots = pushed(recording, tuple(move(start) for start in recording.starts))
        found: list[Any] = []
        Rebuilding(found.append)(dots)
        return [dot for dot in found if _is_number(raw(dot))]

    units = [unit.reshape(number.shape)[()] for unit in _identity(number)]
    rows = [along(unit) for unit in units]
    still = rows[0] if rows else along(zeros(number.shape, float, like(number))[()])
    made = []
    for k, dot in enumerate(still):
        shape = (*np.shape(raw(dot)), *number.shape)
        if rows:
            whole = call(np.stack, [row[k] for row in rows], axis=-1)
        else:
            whole = zeros(shape, float, like(raw(dot)))
        made.append(call(np.reshape, whole, shape))
    return made


def _identity(array: Any) -> Any:
    """Return an identity matrix with a row for each entry of an array, where that lies."""
    if is_on_device(array):
        return np.identity(array.size, dtype=array.dtype, like=array)
    return np.eye(array.size)


jacfwd = jacrev = jacobian


def hessian(f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes a Hessian; see ``srcgrad.hessian``."""

    def blocks(*args: Any, **options: Any) -> Any:
        several, places = _places(f, args, options, wrt)
        found = places if several else places[0]
        return jacobian(_slopes(f, found, has_aux), found)(*args, **options)

    return blocks


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as it is: what a tape holds is not computed again."""
    return f


def stand_in(thing: Any) -> Any:
    """Return what stands on a tape for a derivative of srcgrad's."""
    if hasattr(thing, "__srcgrad_made__"):
        kind, function, options = thing.__srcgrad_made__
        return _without_modes(partial(globals()[kind], function), thing)(**options)
    owner = getattr(thing, "__self__", None)
    if isinstance(owner, Differentiated):
        return partial(globals()[thing.__name__], owner.__srcgrad_primal__, **_wrt_of(thing, owner))
    return _without_modes(globals()[thing.__name__], thing)


def _without_modes(derivative: Any, own: Any) -> Any:
    """Return a derivative that takes the options that say how it is to be computed.

    Args:
        derivative: the one of a tape.
        own: the public function; its sparse derivatives are those of constants alone.
    """

    @functools.wraps(derivative)
    def run(*args: Any, **options: Any) -> Any:
        if options.get("sparse", False) is not False:
            return own(*args, **options)
        plain = {name: part for name, part in options.items() if name not in _MODES}
        if plain.get("on_final", derivative) is None:
            del plain["on_final"]
        return derivative(*args, **plain)

    return run


_MODES = frozenset({*HOW, "strict", "sparse"})


def _wrt_of(thing: Any, owner: Differentiated) -> dict[str, Any]:
    return {"wrt": owner.wrt} if thing.__name__ == "vjp" else {}


def is_derivative(thing: Any) -> bool:
    """Tell whether a function is one of srcgrad's, or a method of a decorated function."""
    name = getattr(thing, "__name__", None)
    if isinstance(getattr(thing, "__self__", None), Differentiated):
        return name in ("vjp", "jvp")
    return name in _SAME and thing is getattr(srcgrad, name)


def _references() -> int:
    """Return how many references an array has that only ``slope`` and ``gradient`` hold."""
    found: list[int] = []

    def look(array: Any) -> None:
        found.append(sys.getrefcount(array))

    def between(value: Any, bar: Any) -> None:
        look(bar)

    bar = np.zeros(1)
    between(None, bar)
    return found[0]


_ALONE = _references()
_SAME = {*srcgrad.__all__} & {*globals()}

rewriting.HELPERS |= {"stand_in": stand_in, "is_derivative": is_derivative}
