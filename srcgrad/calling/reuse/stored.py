"""Generated code that other processes have made: it is kept on disk, and read for plain calls.

Whoever asks for more than the result (a source, a second derivative, a trace) has code
generated in this process, from arguments of the same kind.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.cache import files
from srcgrad.calling.options import OF_TEXT, Options
from srcgrad.calling.recorded import mode_in_force
from srcgrad.calling.reuse.finished import Flags, finished
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.late import late

if TYPE_CHECKING:
    from srcgrad.cache.entries import Loaded
    from srcgrad.calling.transformed import Transform
    from srcgrad.load.texts import FunctionText
    from srcgrad.program.guards import ArgumentTests, Facts

_NUMBERS = (bool, int, float, complex, str, type(None))


class _NoStandIn(Exception):
    """An argument that nothing but itself can stand for."""


def stand_ins(arguments: Sequence[Any]) -> list[Any] | None:
    """Return arguments of the same kind that hold no memory; None where there are none."""
    try:
        return list(map(_stand_in, arguments))
    except _NoStandIn:
        return None


def _stand_in(argument: Any) -> Any:
    kind = type(argument)
    if kind in _NUMBERS or issubclass(kind, np.generic):
        return argument
    if kind is np.ndarray and argument.dtype.kind in "fciub":
        return np.broadcast_to(np.zeros((), argument.dtype), argument.shape)
    if kind in (tuple, list):
        parts = [_stand_in(part) for part in argument]
        return parts if kind is list else tuple(parts)
    if kind is dict:
        return {key: _stand_in(part) for key, part in argument.items()}
    if issubclass(kind, types.FunctionType | types.BuiltinFunctionType | np.ufunc | type):
        return argument
    raise _NoStandIn


def stored(
    transform: Transform, arguments: tuple[Any, ...]
) -> tuple[Specialisation, Loaded] | None:
    """Return code that is kept on disk for the arguments of a call; None where there is none.

    Returns:
        The code, and what was read.
    """
    key = _key(transform, arguments)
    found = None if key is None else late("kept")(key, transform.plain, arguments)
    if found is None:
        return None
    code = found.code
    second = found.functions[code.second] if code.second is not None else None
    flags = Flags(*code.flags)
    run, backward = finished(transform, flags, found.functions[code.main], second)
    slots = None if code.slots is None else late("slots_of")(code.slots)
    texts = found.text, found.filename
    return Specialisation(found.guard, run, backward, slots, *texts, None, None), found


def store(
    transform: Transform,
    arguments: Sequence[Any],
    tests: ArgumentTests,
    facts: Facts,
    texts: Sequence[FunctionText],
    names: tuple[str, str | None],
    slots: Any,
    flags: Flags,
) -> None:
    """Keep generated code on disk, if other processes can tell whether it is for them.

    Args:
        transform: the derivative.
        arguments: those of the call that it was generated for.
        tests: the tests of its arguments.
        facts: what it relies on.
        texts: its functions.
        names: those of the functions that a call runs.
        slots: see ``Specialisation``.
        flags: what has to be tested of its results.
    """
    key = _key(transform, arguments)
    if key is None:
        return
    plain = None if slots is None else late("written_slots")(slots)
    if slots is not None and plain is None:
        return
    code = late("Code")(texts, *names, plain, tuple(flags))
    late("keep")(key, transform.plain, tests, facts, code)


def _key(transform: Transform, arguments: Sequence[Any]) -> str | None:
    """Return the key of a derivative on disk; None where it is not kept there."""
    function = transform.plain
    plain = type(function) is types.FunctionType and not hasattr(function, "__srcgrad__")
    if not (plain and files.is_on()) or transform.bound or transform.jit is not None:
        return None
    how = transform.how
    text = {name: getattr(how, name) for name in OF_TEXT}
    if how != Options(how.recorded, **text):
        return None
    if not all(type(name) is str for name in transform.wanted):
        return None
    if stand_ins(arguments) is None:
        return None
    wrt = tuple(transform.wanted), isinstance(transform.wrt, tuple | list)
    ranks = tuple(sorted(transform.ranks.items()))
    options = transform.kind, wrt, transform.has_aux, ranks, mode_in_force(transform.mode)
    text["optimize"] = transform.optimize
    return late("key_of")(function, *options, tuple(text.values()))
