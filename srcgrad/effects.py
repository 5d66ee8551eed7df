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
import logging
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.libraries import ARRAYS, home

ANY = "*"  # stands for whatever is given


@dataclass(frozen=True)
class Write:
    """One argument that a call may write into.

    Attributes:
        parameter: its name; ``*`` for all arguments.
        option: the name of the option that decides it, empty if it is always so.
        on: whether that option has to be on, or off.
    """

    parameter: str
    option: str = ""
    on: bool = True


@dataclass(frozen=True)
class Effects:
    """What a function does besides giving a result.

    Attributes:
        writes: what it may write into.
        keeps: the names of parameters that may be reached afterwards through something other
            than the result; ``*`` for all.
        views: the names of parameters whose memory the result may share; ``*`` for all.
        draws: whether it gives something else each time, as random numbers are.
        parameters: the names of the parameters, where the signature does not tell them.
    """

    writes: tuple[Write, ...] = ()
    keeps: tuple[str, ...] = ()
    views: tuple[str, ...] = (ANY,)
    draws: bool = False
    parameters: tuple[str, ...] = ()


UNKNOWN = Effects((Write(ANY),), (ANY,), (ANY,), True)
_OUTPUTS = ("out", "output")
_OVERWRITE = "overwrite_"
_declared: dict[Any, Effects] = {}
_registered: set[Any] = set()
_TRUSTED = {*ARRAYS, "math", "_operator", "operator", "builtins", "srcgrad"}

# Modules of the standard library whose functions write into no array, and keep none
_MODULES = """
abc argparse base64 binascii calendar cmath codecs collections contextlib copy datetime
decimal difflib enum errno fnmatch fractions functools gc getpass glob hashlib inspect
io itertools json locale logging math numbers operator os pathlib pickle platform pprint random
re secrets shutil statistics string sys textwrap time timeit traceback types typing
unicodedata uuid warnings zlib
builtins _collections _datetime _functools _io _json _operator _random _statistics _warnings
genericpath nt ntpath posix posixpath
"""
_IN_PLACE = """
iadd isub imul itruediv ifloordiv ipow imod imatmul iand ior ixor ilshift irshift iconcat
setitem delitem
"""
# These write or keep, or run what may do so
_RUNNING = "setattr delattr exec eval next send __setattr__ __import__"
_READING_MODULES, _IN_PLACE_NAMES, _RUNNING_NAMES = (
    frozenset(table.split()) for table in (_MODULES, _IN_PLACE, _RUNNING)
)
_PLAIN = (str, bytes, int, float, complex, logging.Logger)
_DRAWING = (np.random.Generator, np.random.RandomState, random.Random)
_CONTAINERS = (dict, list, set, tuple)


def effects(
    *functions: Callable[..., Any],
    writes: str = "",
    keeps: str = "",
    views: str = ANY,
    draws: bool = False,
    parameters: str = "",
) -> None:
    """Declare what functions do besides giving a result.

    Args:
        *functions: the functions.
        writes: what they may write into, separated by commas: the name of a parameter
            (``"a"``), one with the option that decides it (``"b if overwrite_b"``,
            ``"x unless copy"``), or ``"*"`` for everything.
        keeps: names of parameters that can be reached afterwards through something other
            than the result, separated by blanks; ``"*"`` for all.
        views: names of parameters whose memory the result may share, separated by blanks.
        draws: whether they give something else each time.
        parameters: the names of the parameters in their order, separated by blanks, where
            the signature does not tell them.

    Example:
        >>> from srcgrad.effects import effects, written_by
        >>> def clear(log, entry):
        ...     log[:] = entry
        >>> effects(clear, writes="log")
        >>> written_by(clear, ("a", "b"), {})
        ['a']
    """
    made = Effects(
        tuple(map(_write, filter(None, map(str.strip, writes.split(","))))),
        tuple(keeps.split()),
        tuple(views.split()),
        draws,
        tuple(parameters.split()),
    )
    for function in functions:
        _declared[function] = made


def _write(text: str) -> Write:
    """Read ``a``, ``a if option`` or ``a unless option``."""
    parameter, *rest = text.split()
    return Write(parameter, rest[1], rest[0] == "if") if rest else Write(parameter)


def note_registered(*functions: Any) -> None:
    """Note functions that are registered: of those of a library the signature tells the effects."""
    _registered.update(functions)


def is_declared(fn: Any) -> bool:
    """Whether somebody has declared what a function does."""
    try:
        return fn in _declared
    except TypeError:  # an unhashable callable
        return False


def effects_of(fn: Any) -> Effects:
    """Return what a function does besides giving a result.

    Args:
        fn: the function, or anything that is called.
    """
    try:
        found = _declared.get(fn)
        known = found is not None or fn in _registered
    except TypeError:  # an unhashable callable
        return UNKNOWN
    if found is not None:
        return found
    if isinstance(fn, functools.partial):
        return effects_of(fn.func)
    return _of_family(fn, known)


def _of_family(fn: Any, registered: bool) -> Effects:
    """The effects that a function has as one of a family."""
    owner = getattr(fn, "__self__", None)
    if is_ufunc(fn):
        return Effects((Write("out"),), views=("out",), parameters=_names_of_ufunc(fn))
    if is_ufunc(owner):
        names = _OF_UFUNCS.get(fn.__name__, ())
        written = "a" if fn.__name__ == "at" else "out"
        return Effects((Write(written),), views=("out",), parameters=names)
    name = getattr(fn, "__name__", "")
    if home(fn) in ("_operator", "operator") and name in _IN_PLACE_NAMES:
        return Effects((Write("a"),), ("c",), parameters=("a", "b", "c"))
    if registered and home(fn) in {*_TRUSTED, ""}:
        return _of_signature(fn)
    return _of_library(fn)


def _of_library(fn: Any) -> Effects:
    """The effects of a function that is not registered."""
    name = getattr(fn, "__name__", "")
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, _DRAWING):
        if name == "shuffle":
            return Effects((Write("x"),), draws=True, parameters=("x",))
        return Effects((Write("out"),), draws=True)
    if isinstance(owner, _PLAIN):
        return Effects()
    if isinstance(owner, _CONTAINERS):
        return Effects((), (ANY,))
    if isinstance(owner, np.ndarray):
        return UNKNOWN
    module = getattr(fn, "__module__", None) or type(fn).__module__
    if home(fn) == "srcgrad":
        return _of_signature(fn)
    if name in _RUNNING_NAMES:
        return UNKNOWN
    if module.partition(".")[0] in _READING_MODULES and inspect.isroutine(fn) | isinstance(
        fn, type
    ):
        return Effects(draws=module in ("random", "_random"))
    return UNKNOWN


@functools.lru_cache(maxsize=4096)
def _of_signature(fn: Any) -> Effects:
    """The effects that the names of a function's parameters tell."""
    names = parameters_of(fn)
    writes: list[Write] = [Write(name) for name in names if name in _OUTPUTS]
    for name in names:
        if name.startswith(_OVERWRITE):
            target = name.removeprefix(_OVERWRITE)
            first = names[0] if target == "input" else ANY
            writes.append(Write(target if target in names else first, name))
    return Effects(tuple(writes))


_OF_UFUNCS = {
    "at": ("a", "indices", "b"),
    "reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("array", "axis", "dtype", "out"),
    "reduceat": ("array", "indices", "axis", "dtype", "out"),
    "outer": ("A", "B"),
}


def is_ufunc(fn: Any) -> bool:
    """Whether something is a ufunc, of NumPy or of a library like it."""
    if isinstance(fn, np.ufunc):
        return True
    return type(fn).__name__ == "ufunc" and hasattr(fn, "nin") and hasattr(fn, "nout")


def _names_of_ufunc(fn: Any) -> tuple[str, ...]:
    """Names for the arguments that a ufunc takes by position; the outputs are all ``out``."""
    return (*(f"x{k}" for k in range(fn.nin)), *("out" for _ in range(fn.nout)))


@functools.lru_cache(maxsize=4096)
def parameters_of(fn: Any) -> tuple[str, ...]:
    """The names of a function's parameters, in their order; empty where they are not told."""
    try:
        return tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return ()


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


def _names(fn: Any) -> tuple[str, ...]:
    try:
        return parameters_of(fn)
    except TypeError:  # an unhashable callable
        return ()


def _bound(
    names: tuple[str, ...], args: Sequence[Any], options: Mapping[str, Any]
) -> Iterable[tuple[str, Any]]:
    """The arguments of a call with the names of their parameters."""
    positional = [(names[k] if k < len(names) else "", value) for k, value in enumerate(args)]
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
    "UNKNOWN",
    "Effects",
    "Write",
    "effects",
    "effects_of",
    "is_declared",
    "is_ufunc",
    "kept_by",
    "note_registered",
    "shared_by",
    "written_by",
]
