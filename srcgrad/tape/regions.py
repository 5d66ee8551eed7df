"""A called function that is recorded, while its caller is generated code."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.calling.recorded import Misfit
from srcgrad.errors import OverwrittenError
from srcgrad.ir.forms import Dataclass, Form, NamedTuple
from srcgrad.ir.structures import form_of
from srcgrad.program.device_arrays import is_array, is_number_or_array, is_on_device, overlap
from srcgrad.program.syntax_trees import functions_at
from srcgrad.runtime.kept import Kept
from srcgrad.tape.derivatives import End, Recording, pushed
from srcgrad.tape.recording import Box, Tape, raw
from srcgrad.tape.session import state
from srcgrad.tape.trees import Rebuilding, getattr_plain, inside

if TYPE_CHECKING:
    from srcgrad.generation.outlining import Region


def recorded(
    f: Callable[..., Any], /, *args: Any, wrt: Any = 0, gives: Any = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run a called function on a tape, and return its value and its backward function.

    Generated code calls it for a function that no code could be generated for. The
    arrays among the arguments, and in tuples, lists, dicts and records, are copied, so that
    the caller may write into them before the backward function runs.

    Args:
        f: the function.
        *args: its arguments.
        wrt: position or name of the argument to differentiate with respect to; for a part
            of an argument a list, which goes on with the keys and attributes that lead
            there; or a tuple of these.
        gives: the number of axes of the result, None where it is not known. Where the
            function returns a tree, one like it, with the number of axes in the place of
            each array, and ``int`` or ``bool`` in the place of each whole number or truth
            value.
        **options: the arguments that are passed by name.

    Returns:
        ``(value, backward)``; ``backward`` takes the cotangents of the value, one for
        each leaf of a tree, and returns the cotangents of the arguments.

    Raises:
        Misfit: when the result is not what the generated code was written for.
        OverwrittenError: by ``backward``, when an array that it needs was written since.

    Example:
        >>> from srcgrad.tape.regions import recorded
        >>> value, backward = recorded(lambda x, n: x**n, 3.0, 2, wrt=0)
        >>> float(value), float(backward(1.0))
        (9.0, 6.0)
        >>> scaled = lambda p: p["a"] * p["b"]
        >>> value, backward = recorded(scaled, {"a": 2.0, "b": 3.0}, wrt=[0, "a"])
        >>> float(value), float(backward(1.0))
        (6.0, 3.0)
    """
    run = _Run(f, args, options, wrt, gives)
    kept = Kept(tuple(run.outside), ()) if run.outside and state.session is None else None

    def backward(*bars: Any) -> Any:
        if kept is not None and any(True for _ in kept.changed()):
            raise OverwrittenError(
                f"a value that {getattr(f, '__name__', 'a function')} has read was overwritten "
                "before the backward part",
                why="The function is recorded, and the derivative needs the value that it had.",
                fixes=["write into a copy", 'say recorded="refuse" to see what is recorded'],
            )
        made = run.back(bars)
        return tuple(made) if isinstance(wrt, tuple) else made[0]

    return run.value, backward


def recorded_jvp(
    f: Callable[..., Any],
    /,
    *args: Any,
    wrt: Any = 0,
    tangents: Any,
    gives: Any = None,
    **options: Any,
) -> tuple[Any, Any]:
    """Run a called function on a tape, and return its value and the tangent of it.

    Args:
        f: the function; see ``recorded``.
        *args: its arguments.
        wrt: see ``recorded``.
        tangents: those of what ``wrt`` names, None for zero.
        gives: see ``recorded``.
        **options: the arguments that are passed by name.

    Returns:
        ``(value, tangent)``, with a tuple of the tangents of the leaves of a tree.

    Raises:
        Misfit: see ``recorded``.

    Example:
        >>> value, slope = recorded_jvp(lambda x, n: x**n, 3.0, 2, wrt=0, tangents=2.0)
        >>> float(value), float(slope)
        (9.0, 12.0)
    """
    run = _Run(f, args, options, wrt, gives)
    made = run.along(tangents if isinstance(wrt, tuple) else (tangents,))
    return run.value, made[0] if gives is None or type(gives) is int else tuple(made)


class _Run:
    """A run of a called function on a tape.

    Attributes:
        value: what it gave.
        outside: the arrays that it has read, and that others may write into.
    """

    def __init__(self, f: Any, args: Any, options: Any, wrt: Any, gives: Any) -> None:
        apart = getattr(f, "__srcgrad_apart__", None)
        if apart is not None and any(
            _may_change(part)
            for name, part in zip(f.__code__.co_varnames, args, strict=False)
            if name in apart.numbers
        ):
            raise Misfit(f, None)
        copies: list[Any] = []
        own = tuple(_copied(part, copies) for part in args)
        named = {name: _copied(part, copies) for name, part in options.items()}
        paths = [k if isinstance(k, list) else [k] for k in (wrt if type(wrt) is tuple else (wrt,))]
        given = {k: named[k] if isinstance(k, str) else own[k] for k, *_ in paths}
        self.paths, self.parts = paths, [_at(given[k], steps) for k, *steps in paths]
        rows = zip(paths, self.parts, strict=True)
        self.moving = tuple(dict.fromkeys(path[0] for path, part in rows if _is_inexact(part)))
        if not self.moving:
            raise Misfit(f, None)
        self.recording = recording = Recording(Tape(), f, own, named, self.moving)
        self.value = recording.run()
        found = _template(recording)
        if not _same(found, gives) and not (gives is None and type(found) is int):
            raise Misfit(f, found)
        self.ends = _ends(recording.ends, recording.ends)
        held = recording.outside
        self.outside = [array for array in held if not any(array is own for own in copies)]

    def back(self, bars: Any) -> list[Any]:
        """Return the cotangents of the arguments, from those of the leaves of the result."""
        rows = zip(self.ends, bars, strict=True)
        seeds = {id(end): _spread(bar, end.value) for end, bar in rows}
        made = self.recording.back(Rebuilding(lambda end: seeds.get(id(end)))(self.recording.ends))
        slopes = dict(zip(self.moving, made, strict=True))
        starts = dict(zip(self.moving, self.recording.starts, strict=True))
        reached: set[int] = set()  # what two paths lead to, through a shared object, counts once
        full = []
        for (k, *steps), part in zip(self.paths, self.parts, strict=True):
            slope = _at(slopes[k], steps) if k in slopes else None
            slot = id(_at(starts[k], steps)) if k in starts else None
            full.append(_zero(part) if slope is None or slot in reached else slope)
            if slot is not None:
                reached.add(slot)
        return full

    def along(self, dots: Any) -> list[Any]:
        """Return the tangents of the leaves of the result, from those of the arguments."""
        starts = dict(zip(self.moving, self.recording.starts, strict=True))
        slots: dict[int, Any] = {}
        for (k, *steps), part, dot in zip(self.paths, self.parts, dots, strict=True):
            if k in starts and dot is not None:
                slots[id(_at(starts[k], steps))] = _spread(dot, part)
        given = map(Rebuilding(lambda slot: slots.get(id(slot))), starts.values())
        return _ends(pushed(self.recording, tuple(given)), self.recording.ends)


def _at(value: Any, steps: list[Any]) -> Any:
    """Return a part of an argument: by keys, positions and attributes."""
    for step in steps:
        if isinstance(value, dict) or type(step) is int:
            value = value[step]
        else:
            value = getattr_plain(value, step)
    return value


def _is_inexact(part: Any) -> bool:
    """Tell whether an argument can move: sums may begin with a whole number, which does not."""
    number = raw(part)
    kind = number.dtype.kind if is_number_or_array(number) else ""
    return isinstance(number, float | complex) or kind in ("f", "c")


def _zero(part: Any) -> Any:
    if is_on_device(raw(part)):
        return np.zeros_like(raw(part))
    return np.zeros(np.shape(part)) if np.ndim(part) else 0.0


_ATOMS = frozenset({float, int, bool, str, type(None), np.float64, Box})
_DEPTH = 4  # how far into tuples, lists and dicts arrays are copied


def _copied(part: Any, copies: list[Any], depth: int = _DEPTH) -> Any:
    """Return an argument with arrays of its own, also inside of tuples, lists and dicts."""
    kind = type(part)
    if kind is np.ndarray or is_on_device(part):
        copies.append(part.copy())
        return copies[-1]
    if not depth:
        return part
    if kind is tuple or kind is list:
        return kind(_copied(value, copies, depth - 1) for value in part)
    if kind is dict:
        return {key: _copied(value, copies, depth - 1) for key, value in part.items()}
    if isinstance(part, Iterator):  # what a second run would find used up
        raise Misfit(None, None)
    form = form_of(part) if kind not in _ATOMS else None
    if isinstance(form, NamedTuple | Dataclass):
        return form.build([_copied(value, copies, depth - 1) for value in form.parts(part)])
    return part


def seen_results(callee: types.FunctionType, run: Callable[[], Any]) -> Any:
    """Return what ``gives`` is for the calls of a function in a program.

    Args:
        callee: the function.
        run: runs a program that calls it, and changes nothing that can be noticed.

    Returns:
        None where the calls do not all give the same, or what generated code cannot take.
    """
    found: list[Any] = []

    def look(frame: types.FrameType, event: str, value: Any) -> None:
        if event == "return" and frame.f_code is callee.__code__ and value is not None:
            found.append(_template_of(Rebuilding(lambda part: End(0, part))(value), []))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        with np.errstate(all="ignore"):
            run()
    except Exception:  # noqa: BLE001 -- the program raises it again when it is differentiated
        found.clear()
    finally:
        sys.setprofile(before)
    if not found or not all(_same(part, found[0]) for part in found):
        return None
    return found[0]


@contextlib.contextmanager
def watching(regions: Iterable[Region]) -> Iterator[dict[Any, Any]]:
    """Look at what statements give, while the functions run in which they stand.

    Args:
        regions: the statements.

    Yields:
        What ``gives`` of ``recorded`` is for each of them that has run, by its key; None where
        it does not always give the same, or what generated code cannot take.
    """
    places: dict[Any, list[Region]] = {}
    for region in regions:
        code = region.owner.__code__
        node: Any
        (node,) = functions_at(code, region.owner.__globals__)
        for line in {code.co_firstlineno, node.lineno}:  # of a decorator, of the definition
            place = code.co_filename, line, code.co_name
            places.setdefault(place, []).append(region)
    seen: dict[Any, Any] = {}

    def entered(frame: types.FrameType, event: str, value: Any) -> Any:
        code = frame.f_code  # which may have been rewritten
        found = places.get((code.co_filename, code.co_firstlineno, code.co_name))
        return None if found is None else _Watch(found, seen).look

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        yield seen
    finally:
        sys.settrace(before)


class _Watch:
    """One run of a function with statements that are looked at.

    Args:
        regions: the statements.
        seen: what was found, by their keys; it is added to.
    """

    def __init__(self, regions: list[Region], seen: dict[Any, Any]) -> None:
        self.regions, self.seen = regions, seen
        self.given: dict[Any, list[Any]] = {}  # what those that are being run were given

    def look(self, frame: types.FrameType, event: str, value: Any) -> Any:
        for region in self.regions:
            inside = region.first <= frame.f_lineno <= region.last
            if event == "exception":
                self.given.pop(region, None)
            elif event == "return" and region in self.given:
                taken = self.given.pop(region)
                if region.results is None:
                    self.note(region, value, taken)
            elif event == "line" and region in self.given and not inside:
                self.left(region, frame.f_locals)
            elif event == "line" and inside and region not in self.given:
                values = frame.f_locals
                self.given[region] = [values.get(n) for n in region.given]
        return self.look

    def left(self, region: Region, values: dict[str, Any]) -> None:
        taken, results = self.given.pop(region), region.results
        if results and all(name in values for name in results):
            found = tuple(values[name] for name in results)
            self.note(region, found if len(found) > 1 else found[0], taken)  # pyright: ignore[reportGeneralTypeIssues]

    def note(self, region: Region, value: Any, given: list[Any]) -> None:
        parts, holders = inside(given)
        shared = _is_shared(inside(value)[1].values(), holders)
        named = dict(zip(region.given, given, strict=True))
        mutable = any(_may_change(named[name]) for name in region.numbers)
        if mutable or shared or any(isinstance(part, Iterator) for part in (*parts, *given)):
            self.seen[region.key] = None
            return
        taken = [raw(part) for part in parts if is_array(raw(part))]
        found = _template_of(Rebuilding(lambda part: End(0, part))(value), taken, plain=True)
        if region.key in self.seen and not _same(found, self.seen[region.key]):
            found = None
        self.seen[region.key] = found


def _may_change(value: Any) -> bool:
    """Tell whether an operator such as ``+=`` may change a value, instead of giving another."""
    return not isinstance(raw(value), bool | int | float | complex | str | tuple | np.generic)


class _Unfit(Exception):
    """A result that generated code cannot take."""


def _template(recording: Recording) -> Any:
    """Return what ``gives`` has to be for a result; None where there is nothing that fits.

    A constant array may be one that others hold and write into; so may one that shares the
    memory of an argument, and a container or an object that an argument holds.
    """
    parts, holders = inside(list(recording.given.values()))
    taken = [raw(part) for part in parts if is_array(raw(part))]
    recording.given = {}
    if _is_shared((own for own, _ in recording.held.values()), holders):
        return None
    return _template_of(recording.ends, taken, hasattr(recording.f, "__srcgrad_apart__"))


def _is_shared(held: Iterable[Any], holders: dict[int, Any]) -> bool:
    """Tell whether a container or an object that a result holds is one that an argument holds."""
    return any(id(own) in holders and not isinstance(own, tuple) for own in held)


def _template_of(ends: Any, taken: list[Any], plain: bool = False) -> Any:
    ranks: list[int] = []
    seen: set[int] = set()

    def template(end: Any) -> Any:
        if type(end) is End:
            found = _rank(end, taken)
            if type(found) is int:
                ranks.append(found)
            return found
        form = form_of(end)
        if type(end) not in (tuple, list) and type(form) not in (Form, NamedTuple, Dataclass):
            raise _Unfit
        if id(end) in seen and not isinstance(end, tuple):
            raise _Unfit
        seen.add(id(end))
        if form is None:
            return type(end)([template(part) for part in end])
        return form.build([template(part) for part in form.parts(end)])

    try:
        found = template(ends)
    except _Unfit:
        return None
    return found if ranks or plain else None


def _rank(end: End, taken: list[Any]) -> Any:
    """Return the number of axes of a leaf of a result, or what kind of constant it is.

    Args:
        end: the leaf.
        taken: arrays that share no memory with it; it is added to them.

    Raises:
        _Unfit: where generated code cannot take it.
    """
    number = raw(end.value)
    if number is None:
        return None
    if isinstance(number, bool | np.bool_):
        return bool
    if isinstance(number, int | np.integer):
        return int
    if isinstance(number, float | np.floating):
        return 0
    there = is_on_device(number)
    if (type(number) is not np.ndarray and not there) or number.dtype.kind != "f":
        raise _Unfit
    if end.node is None:
        raise _Unfit
    if (number.ndim == 0 and not there) or any(overlap(number, other) for other in taken):
        raise _Unfit
    taken.append(number)
    return number.ndim


def _ends(tree: Any, ends: Any) -> list[Any]:
    """Return the leaves of a result that fits, or of a tree like it, in order."""
    if type(ends) is End:
        return [tree] if raw(ends.value) is not None else []
    form = form_of(ends)
    rows = (tree, ends) if form is None else (form.parts(tree), form.parts(ends))
    return [leaf for row in zip(*rows, strict=True) for leaf in _ends(*row)]


def _same(found: Any, wanted: Any) -> bool:
    """Tell whether a result is what it is wanted to be."""
    if type(found) is not type(wanted):
        return False
    form = form_of(found)
    if form is None and type(found) not in (tuple, list):
        return found == wanted and found is not None
    if form != form_of(wanted):
        return False
    pair = (found, wanted) if form is None else (form.parts(found), form.parts(wanted))
    return len(pair[0]) == len(pair[1]) and all(map(_same_part, *pair))


def _same_part(found: Any, wanted: Any) -> bool:
    return (found is None and wanted is None) or _same(found, wanted)


def _spread(bar: Any, value: Any) -> Any:
    """Return a cotangent in the shape of its value, which may be given as one number."""
    if bar is None or type(bar) is Box or np.shape(bar) == np.shape(raw(value)):
        return bar
    if is_on_device(raw(value)) and not is_on_device(bar):
        return np.full_like(raw(value), bar)
    return np.broadcast_to(bar, np.shape(raw(value)))


__all__ = ["recorded", "recorded_jvp", "seen_results", "watching"]
