"""The pair behind ``vjp``, at run time: the value, and what a cotangent of it gives."""

from __future__ import annotations

import functools
import operator
import types
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.calling.reuse.sharing import found as found_code
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.calling.transformed import Transform, arguments_of
from srcgrad.calling.unsettled import Unsettled
from srcgrad.calling.watched import watched
from srcgrad.errors import ArgumentError, OverwrittenError, ResultError, Spot
from srcgrad.late import late
from srcgrad.library.libraries import has_no_numbers
from srcgrad.load.observers import WATCHING
from srcgrad.load.readers import readers, readers_of_name
from srcgrad.load.source_map import place_at
from srcgrad.load.tracebacks import shorten, shortened
from srcgrad.runtime.kept import ATOMS, FEW, Kept, fingerprint, lock, unlock

if TYPE_CHECKING:
    from srcgrad.ir.forms import Skeleton


class Given:
    """The arguments of a call, of which it can be told whether they are still the same.

    ``arrays``: the arrays among that which nobody else looks after, with fingerprints.
    """

    def __init__(self, arguments: tuple[Any, ...], leaves: list[Any], arrays: list[Any]) -> None:
        self.arguments, self.leaves, self.arrays = arguments, leaves, arrays

    def is_the_same(self) -> bool:
        """Tell whether nothing was written into them since."""
        now = _leaves(self.arguments)
        if len(now) != len(self.leaves) or any(map(operator.is_not, now, self.leaves)):
            return False
        return all(fingerprint(array) == known for array, known in self.arrays)


def given_once(arguments: tuple[Any, ...], kept: Kept | None) -> Given | None:
    """Return the arguments of a call of ``vjp``, for a second run in its backward function.

    ``kept``: what the backward function watches; None where nothing else runs before it.

    Returns:
        None where it would cost much to tell whether they are still the same, or cannot be told.
    """
    leaves = _leaves(arguments)
    watched = {id(thing) for thing, _ in kept.watched} if kept is not None else set[int]()
    arrays = []
    for leaf in leaves:
        if isinstance(leaf, np.ndarray):
            if kept is None or id(leaf) in watched:
                continue
            if leaf.nbytes > FEW or leaf.dtype.hasobject:
                return None
            arrays.append((leaf, fingerprint(leaf)))
        elif type(leaf) not in ATOMS and not isinstance(leaf, np.generic | types.FunctionType):
            return None
    return Given(arguments, leaves, arrays)


def _leaves(arguments: tuple[Any, ...]) -> list[Any]:
    if all(type(part) in ATOMS or type(part) is np.ndarray for part in arguments):
        return list(arguments)
    return late("leaves_of")(arguments)


def run_vjp(
    transform: Transform,
    args: tuple[Any, ...],
    options: dict[str, Any] | None = None,
    *,
    watch: bool = True,
    strict: bool = False,
) -> tuple[Any, Callable[..., Any]]:
    """Evaluate a function and return its value with its backward function.

    Args:
        transform: the ``vjp`` of the function.
        args: the arguments.
        options: those that are given by name.
        watch: whether the backward function makes sure that nothing it reads was
            written meanwhile; False where no foreign code runs in between.
        strict: whether what is watched is read-only until the backward function ran.

    Returns:
        ``(value, backward)``; see ``srcgrad.vjp``.
    """
    transform.current()
    arguments = arguments_of(transform, args, options)
    with shortened:
        special = found_code(transform, arguments)
    if WATCHING or transform.check_finite:
        special = watched(transform, special)
    positional, named = transform.passed(arguments)
    if special.recorded is not None:
        with shortened:
            found = special.run(*positional, **named)
        return _with_ran(found, special)
    try:
        made = special.run(*positional, **named)
    except BaseException as error:
        late("annotate")(error)
        found = late("otherwise")(transform, error, arguments)
        if found is None:
            shorten(error)
            raise
        return _with_ran(found[0], transform.shown())
    if isinstance(made, Specialisation):  # a recorded call did not give what was expected
        return _with_ran(made.run(*positional, **named), made)
    value, residuals = made
    _require_number(value, transform)
    slots, whole, pattern, mutable = special.slots
    alone = isinstance(transform.wrt, tuple | list) and len(slots) == 1
    seen = residuals if transform.jit is None else (residuals, arguments, value)
    kept = Kept(seen if mutable else (), special.names) if watch else None
    once = given_once(arguments, kept)
    locked: list[Any] = []
    if strict and kept is not None:
        locked += lock(
            kept.arrays(), [x for x in late("leaves_of")((arguments, value)) if _writable(x)]
        )

    def backward(value_bar: Any) -> Any:
        leaves, given = whole.flat(value), flat_like(whole, value, value_bar)
        if kept is not None:
            for what in kept.changed():
                if transform.jit is not None and not isinstance(what, str):
                    what = what[1:] if what[:1] == (0,) else ()  # beside the residuals
                _refuse_overwritten(transform, special, what)
        try:
            rows = zip(leaves, given, pattern, strict=True)
            bars = [_taken(leaf, bar, live) for leaf, bar, live in rows if live]
            made = special.backward(residuals, *bars)
        except BaseException as error:
            late("annotate")(error)
            found = None
            if once is not None and once.is_the_same():
                again = functools.partial(_pulled_back, transform, once.arguments, value, value_bar)
                found = late("otherwise")(transform, error, once.arguments, again)
            if found is not None:
                return found[0]
            if not isinstance(error, Unsettled):
                shorten(error)
                raise
            made = error.made
        finally:
            _release(locked)
        return (made,) if alone else made

    if locked:
        weakref.finalize(backward, _release, locked)
    return _with_ran((value, backward), special)


def _with_ran(found: tuple[Any, Any], ran: Specialisation) -> tuple[Any, Any]:
    """Note on a backward function the code that ran, which is what its source is."""
    found[1].__srcgrad_ran__ = ran
    return found


def _pulled_back(
    transform: Transform, arguments: Any, value: Any, value_bar: Any, special: Specialisation
) -> Any:
    """Run a program once more on the tape, and return what a cotangent of its value gives."""
    positional, named = transform.passed(arguments)
    found, backward = special.run(*positional, **named)
    rows = zip(*(late("leaves_of")(part) for part in (found, value)), strict=True)
    if not all(np.array_equal(*row, equal_nan=True) for row in rows):
        raise ArgumentError("what is read has changed since vjp was called")
    return backward(value_bar)


def _require_number(value: Any, transform: Transform) -> None:
    """Refuse a result that is text or a truth value, as a whole."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, str | bytes | bool) or kind in ("b", "S", "U"):
        raise ResultError(
            f"{transform.plain.__name__} returns a {type(value).__name__} without a derivative",
            fixes=["return numbers"],
        )


def _writable(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.flags.writeable


def _release(locked: list[Any]) -> None:
    arrays = list(locked)
    locked.clear()
    unlock(arrays)


def _refuse_overwritten(transform: Transform, special: Any, what: Any) -> None:
    """Raise, unless nothing but the shape of the kept value is read."""
    find: Callable[..., Any] = readers_of_name if isinstance(what, str) else readers
    found = find(special.text, special.backward.__name__, what)
    if found == []:
        return
    name, spots = "a value that was kept", []
    for reader in found or ():
        place = place_at(special.filename, reader.lineno)
        name = repr(reader.name)
        if place is not None and place.lineno is not None:
            first = place.text.splitlines()[0]
            column = max(first.find(reader.name), 0)
            width = len(reader.name) if reader.name in first else len(first)
            spots = [Spot(place.filename, place.function, place.lineno, first, column, width)]
            break
    raise OverwrittenError(
        f"{name} was overwritten between vjp and the call of its backward function",
        spots=spots,
        why="The derivative of this line needs the value that it had then.",
        fixes=[
            "call the backward function before writing",
            f"pass a copy to {transform.plain.__name__}, or write into one",
            "find the write with vjp(..., strict=True)",
        ],
    )


def flat_like(
    whole: Skeleton, value: Any, bar: Any, what: str = "result", its: str = "cotangent"
) -> list[Any]:
    """The cotangents of the leaves of a result; where None is given, it stands for all below."""
    if whole.form is None:
        return [bar]
    if bar is None:
        return [None] * whole.count()
    sequence = whole.form in (list, tuple)
    try:
        parts = list(bar) if sequence else whole.form.parts(bar)
    except (TypeError, KeyError, AttributeError):
        parts = None
    if (
        parts is None
        or len(parts) != len(whole.parts)
        or isinstance(bar, dict) != (not sequence and whole.form.cls is dict)
    ):
        kind = "a tuple" if sequence else f"a {whole.form.cls.__name__}"
        raise ArgumentError(
            f"the {what} is {kind} of {len(whole.parts)}, and the {its} is not",
            fixes=[f"give {kind} with one {its}, or None, for each part of the {what}"],
        )
    rows = zip(whole.parts, value if sequence else whole.form.parts(value), parts, strict=True)
    return [leaf for own, v, c in rows for leaf in flat_like(own, v, c, what, its)]


def _taken(leaf: Any, bar: Any, kind: Any) -> Any:
    """The cotangent of a leaf as the code takes it: of a list that it takes apart, a new list.

    An element that is a tuple has a tuple of the cotangents of those parts that have one.
    """
    if (kind != "list" and not isinstance(kind, tuple)) or type(leaf) is not list:
        return _checked(leaf, bar)
    bars = [None] * len(leaf) if bar is None else list(bar)
    if len(bars) != len(leaf):
        raise ArgumentError(
            f"the cotangent has {len(bars)} parts, and the list {len(leaf)}",
            fixes=["give a list with one cotangent, or None, for each part of the result"],
        )
    rows = zip(leaf, bars, strict=True)
    if kind == "list":
        return [_taken(part, own, kind) for part, own in rows]
    elements = [tuple(_parts_taken(part, own, kind)) for part, own in rows]
    return [parts[0] if len(parts) == 1 else parts for parts in elements]


def _parts_taken(leaf: Any, bar: Any, kind: Any) -> Iterator[Any]:
    """Go through the cotangents of the parts of an element."""
    if not isinstance(kind, tuple):
        if kind:
            yield _taken(leaf, bar, kind)
        return
    bars = [None] * len(kind) if bar is None else bar
    if not isinstance(bars, list | tuple) or len(bars) != len(kind):
        raise ArgumentError(
            f"an element of the list has {len(kind)} parts, and its cotangent has not",
            fixes=["give a tuple with one cotangent, or None, for each part of the element"],
        )
    for part, own, inner in zip(leaf, bars, kind, strict=True):
        yield from _parts_taken(part, own, inner)


def _checked(leaf: Any, bar: Any) -> Any:
    if bar is None:
        return np.zeros_like(leaf) if np.ndim(leaf) or has_no_numbers(leaf) else 0.0
    if np.shape(bar) != np.shape(leaf):
        raise ArgumentError(
            f"the cotangent has the shape {np.shape(bar)}, and the result {np.shape(leaf)}",
            fixes=["give a cotangent with the shape of the result"],
        )
    if np.iscomplexobj(bar) and not np.iscomplexobj(leaf):
        raise ArgumentError(
            "the cotangent is complex, and the result is real",
            fixes=["give the real and the imaginary part one by one"],
        )
    if has_no_numbers(leaf) and not has_no_numbers(bar):
        return np.full_like(leaf, bar)
    if hasattr(bar, "dtype") and not np.ndim(bar):
        bar = bar[()]  # an array without dimensions could be written into under several names
    dtype = getattr(leaf, "dtype", None)
    if isinstance(bar, list | tuple):
        return np.array(bar, dtype=dtype)
    if isinstance(bar, int | float) and dtype is not None:
        return np.full_like(leaf, bar)[()]  # in the precision of the leaf, and 1 / 0 is no error
    if dtype is None and isinstance(bar, int | np.integer | np.bool_):
        return float(bar)
    if dtype is not None and getattr(bar, "dtype", dtype) != dtype:
        return bar.astype(dtype)[()]  # pyright: ignore[reportAttributeAccessIssue]
    return bar
