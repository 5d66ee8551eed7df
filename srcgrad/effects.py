"""What functions do besides giving a result: the one place that is asked.

Effects are declared beside the formulas, by ``@formula(..., writes=...)`` or ``effects(fn,
...)``. What whole families of functions have in common needs no declaration of its own:
ufuncs write into ``out`` and into the arguments behind their operands, and functions of the
array libraries into what their signature calls ``out``, ``output`` or ``overwrite_a``. Of a
function that nobody has declared it is taken that it may write into everything it is given,
and keep it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.library.families import (
    ANY,
    DRAWING,
    OUTPUTS,
    UNKNOWN,
    WRITING_METHODS,
    Effects,
    Write,
    is_ufunc,
    of_family,
    positional_of,
)
from srcgrad.library.tables import is_in

_told: dict[Any, dict[str, Any]] = {}
_registered: set[Any] = set()


def effects(
    *functions: Callable[..., Any],
    writes: str | None = None,
    keeps: str | None = None,
    views: str | None = None,
    draws: bool | None = None,
    locked: bool | None = None,
    parameters: str = "",
) -> None:
    """Declare what functions do besides giving a result.

    What is not told is as it is for others of the same family; for functions of a user's own
    it is nothing.

    Args:
        *functions: the functions.
        writes: what they may write into, separated by commas: the name of a parameter
            (``"a"``), one with the option that decides it (``"b if overwrite_b"``,
            ``"x unless copy"``), or ``"*"`` for everything.
        keeps: names of parameters that can be reached afterwards through something other
            than the result, separated by blanks; ``"*"`` for all.
        views: names of parameters whose memory the result may share, separated by blanks.
        draws: whether they give something else each time.
        locked: whether what they give may be an array that cannot be written.
        parameters: the names of the parameters in their order, separated by blanks, where
            the signature does not tell them.

    Example:
        >>> import numpy as np
        >>> from srcgrad.effects import effects, written_by
        >>> def clear(log, entry):
        ...     log[:] = entry
        >>> effects(clear, writes="log")
        >>> log = np.ones(2)
        >>> [x is log for x in written_by(clear, (log, np.zeros(2)), {})]
        [True]
    """
    told: dict[str, Any] = {} if draws is None else {"draws": draws}
    if locked is not None:
        told["locked"] = locked
    if writes is not None:
        told["writes"] = tuple(map(_write, filter(None, map(str.strip, writes.split(",")))))
    for name, text in (("keeps", keeps), ("views", views), ("parameters", parameters or None)):
        if text is not None:
            told[name] = tuple(text.split())
    for function in functions:
        _told[function] = {**_told.get(function, {}), **told}
    _of_hashable.cache_clear()


def _write(text: str) -> Write:
    """Read ``a``, ``a if option`` or ``a unless option``."""
    parameter, *rest = text.split()
    return Write(parameter, rest[1], rest[0] == "if") if rest else Write(parameter)


def note_registered(*functions: Any) -> None:
    """Note functions that are registered: of those of a library the signature tells the effects."""
    _registered.update(functions)
    _of_hashable.cache_clear()


def is_declared(fn: Any) -> bool:
    """Whether somebody has declared what a function does."""
    return is_in(fn, _told)


def effects_of(fn: Any) -> Effects:
    """Return what a function does besides giving a result."""
    if isinstance(fn, functools.partial):
        return effects_of(fn.func)
    try:
        return _of_hashable(fn)
    except TypeError:  # an unhashable callable
        return UNKNOWN


@functools.lru_cache(maxsize=8192)
def _of_hashable(fn: Any) -> Effects:
    told, family = _told.get(fn), of_family(fn, fn in _registered)
    if told is None:
        return family
    return replace(Effects() if family is UNKNOWN else family, **told)


def written_by(fn: Any, args: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    """Return the arguments that a call may write into.

    Args:
        fn: what is called.
        args: its positional arguments: arrays, or whatever stands for them. What is known of
            them, such as None, False and dtypes, has to be given as it is.
        options: its keyword arguments.

    Example:
        >>> import numpy as np
        >>> a, t = np.ones(3), np.zeros(3)
        >>> [x is a for x in written_by(np.modf, (a, a, t), {})]
        [True, False]
        >>> written_by(np.add, (a, t), {})
        []
    """
    if isinstance(fn, np.ufunc) and len(args) <= fn.nin and "out" not in options:
        return []  # nearly all calls
    if isinstance(fn, functools.partial):
        return written_by(fn.func, (*fn.args, *args), {**fn.keywords, **options})
    does = effects_of(fn)
    if not does.writes:
        return []
    given = _bound(does.parameters or _names(fn), args, options)
    found: list[Any] = []
    for write in does.writes:
        if write.option and not _decided(fn, write, given):
            continue
        if write.parameter == ANY:
            found += [*args, *options.values()]
        else:
            found += [value for name, value in given if name == write.parameter]
    return [part for value in found for part in _parts(value) if _may_be_array(part)]


def kept_by(fn: Any, args: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    """Return the arguments that may be reached after a call through something but its result."""
    return _named_by(fn, effects_of(fn).keeps, args, options)


def shared_by(fn: Any, args: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    """Return the arguments that the result of a call may share memory with."""
    return _named_by(fn, effects_of(fn).views, args, options)


def _named_by(
    fn: Any, names: tuple[str, ...], args: Sequence[Any], options: Mapping[str, Any]
) -> list[Any]:
    """The arguments of the parameters with some names, as far as they may be arrays."""
    if isinstance(fn, functools.partial):
        return _named_by(fn.func, names, (*fn.args, *args), {**fn.keywords, **options})
    if not names:
        return []
    given = _bound(effects_of(fn).parameters or _names(fn), args, options)
    found = [value for name, value in given if ANY in names or name in names]
    return [part for value in found for part in _parts(value) if _may_be_array(part)]


def may_be_locked(fn: Any) -> bool:
    """Whether what a function gives may be an array that cannot be written."""
    return effects_of(fn).locked


def gives_new(fn: Any) -> bool:
    """Whether what a function gives shares memory with nothing but the output it is given."""
    views = effects_of(fn).views
    return not views or {*views} <= {*OUTPUTS}


def draws(thing: Any) -> bool:
    """Whether calling something, or a method of it, gives something else each time."""
    return isinstance(thing, DRAWING) or (callable(thing) and effects_of(thing).draws)


def computes_only(fn: Any, args: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Whether a call does nothing but give a result, the same each time."""
    does = effects_of(fn)
    return not (does.draws or kept_by(fn, args, options) or written_by(fn, args, options))


def _names(fn: Any) -> tuple[str, ...]:
    try:
        return positional_of(fn)
    except TypeError:  # an unhashable callable
        return ()


def _bound(
    names: tuple[str, ...], args: Sequence[Any], options: Mapping[str, Any]
) -> Iterable[tuple[str, Any]]:
    """The arguments of a call with the names of their parameters."""
    rest = names[-1][1:] if names and names[-1].startswith("*") else ""
    known = names[:-1] if rest else names
    positional = [(known[k] if k < len(known) else rest, value) for k, value in enumerate(args)]
    return [*positional, *options.items()]


def _decided(fn: Any, write: Write, given: Iterable[tuple[str, Any]]) -> bool:
    """Whether the option that decides about a write may be as it has to be for it."""
    value = next((v for name, v in given if name == write.option), _default(fn, write.option))
    known = value is None or isinstance(value, bool | int | np.bool_)
    return bool(value) == write.on if known else True


def _default(fn: Any, name: str) -> Any:
    try:
        return inspect.signature(fn).parameters[name].default
    except (TypeError, ValueError, KeyError):
        return ANY


def _parts(value: Any) -> list[Any]:
    """The arrays in the tuple that ``out=`` may be."""
    return list(value) if isinstance(value, tuple | list) else [value]


def _may_be_array(value: Any) -> bool:
    """Whether something that is given may be an array, or lead to one."""
    return value is not None and not isinstance(
        value, bool | int | float | complex | str | bytes | type | np.dtype | np.generic
    )


__all__ = [
    "UNKNOWN", "WRITING_METHODS", "Effects", "Write", "computes_only", "effects", "effects_of",
    "gives_new", "is_declared", "is_ufunc", "kept_by", "note_registered", "shared_by",
    "written_by",
]  # fmt: skip
