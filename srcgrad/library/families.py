"""The effects that functions have as members of a family, without a declaration of their own.

Ufuncs write into ``out`` and into the arguments behind their operands, functions of the
array libraries into what their signature calls ``out``, ``output`` or ``overwrite_a``, and
most of the standard library into nothing. Of all others nothing is known.
"""

from __future__ import annotations

import functools
import inspect
import logging
import random
import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import ARRAYS, home, module_of

ANY = "*"  # stands for whatever is given


@dataclass(frozen=True)
class Write:
    """One argument that a call may write into."""

    parameter: str  # its name; ``*`` for all arguments
    option: str = ""  # the name of the option that decides it, empty if it is always so
    on: bool = True  # whether that option has to be on, or off


@dataclass(frozen=True)
class Effects:
    """What a function does besides giving a result."""

    writes: tuple[Write, ...] = ()  # what it may write into
    # the names of parameters that may be reached afterwards through something other than the
    # result; ``*`` for all
    keeps: tuple[str, ...] = ()
    # the names of parameters whose memory the result may share; ``*`` for all
    views: tuple[str, ...] = (ANY,)
    # whether it gives something else each time, as random numbers are, or is seen to have been
    # called, as what prints
    draws: bool = False
    locked: bool = False  # whether the result may be an array that cannot be written
    # the names of the parameters, where the signature does not tell them
    parameters: tuple[str, ...] = ()


UNKNOWN = Effects((Write(ANY),), (ANY,), (ANY,), True)
OUTPUTS = ("out", "output")
_OVERWRITE = "overwrite_"
_TRUSTED = {*ARRAYS, "math", "_operator", "operator", "builtins", "srcgrad"}

# Modules of the standard library whose functions write into no array, and keep none
_COMPUTING = """
abc base64 binascii bisect cmath codecs collections copy dataclasses datetime difflib enum fnmatch
fractions functools hashlib heapq inspect itertools json math numbers operator re statistics string
textwrap types typing unicodedata zlib
builtins _bisect _collections _datetime _functools _heapq _json _operator _statistics
"""
# ... and whose functions can be told to have been called
_REPORTING = """
argparse calendar contextlib decimal errno gc getpass glob io locale logging os pathlib
pickle platform pprint random secrets shutil sys time timeit traceback uuid warnings
_io _random _warnings genericpath nt ntpath posix posixpath
"""
_IN_PLACE = """
iadd isub imul itruediv ifloordiv ipow imod imatmul iand ior ixor ilshift irshift iconcat
setitem delitem
insort insort_left insort_right heapify heappush heappop heappushpop heapreplace
"""
_WITH_IN_PLACE = frozenset(("_operator", "operator", "_bisect", "bisect", "_heapq", "heapq"))
# These write or keep, or run what may do so
_REPORTERS = "print input open breakpoint id hash"
_RUNNING = "setattr delattr exec eval next send __setattr__ __import__"
_MAKING = frozenset({"replace", "make_dataclass"})  # of dataclasses, run what users write
_NEW_MEMORY = """
_operator math
srcgrad.runtime.choosing srcgrad.runtime.scipy.splines srcgrad.runtime.scipy.ndimage.samples
srcgrad.runtime.scipy.ndimage.gaussians scipy.ndimage._filters scipy.ndimage._interpolation
"""  # registered functions of these modules give memory of their own
_NEW_MEMORY_MODULES = frozenset(_NEW_MEMORY.split())
_COMPUTING_MODULES, _REPORTING_MODULES, _IN_PLACE_NAMES, _RUNNING_NAMES, _REPORTER_NAMES = (
    frozenset(t.split()) for t in (_COMPUTING, _REPORTING, _IN_PLACE, _RUNNING, _REPORTERS)
)
_WRITING = "byteswap fill itemset partition put resize setfield setflags sort"
WRITING_METHODS = frozenset(_WRITING.split())  # methods of arrays that write into them
_GROWING = "append appendleft extend extendleft insert pop popleft remove clear"
GROWING_METHODS = frozenset(_GROWING.split())  # methods of lists that change how long they are
_CHANGING = "popitem update setdefault add discard reverse rotate send"
CHANGING_METHODS = GROWING_METHODS | frozenset(_CHANGING.split())  # of lists, dicts and sets
_PLAIN = (str, bytes, int, float, complex, logging.Logger)
DRAWING = (np.random.Generator, np.random.RandomState, random.Random)
_CONTAINERS = (dict, list, set, tuple)


def of_family(fn: Any, registered: bool) -> Effects:
    """The effects that a function has as one of a family."""
    owner = plainly(fn, "__self__")
    if is_ufunc(fn):
        return Effects((Write("out"),), views=("out",), parameters=_names_of_ufunc(fn))
    if is_ufunc(owner):
        names = _OF_UFUNCS.get(fn.__name__, ())
        written = "a" if fn.__name__ == "at" else "out"
        return Effects((Write(written),), views=("out",), parameters=names)
    name = plainly(fn, "__name__", "")
    if home(fn) in _WITH_IN_PLACE and name in _IN_PLACE_NAMES:
        return Effects((Write("a"),), ("b", "c"), parameters=("a", "b", "c"))
    if name in _REPORTER_NAMES and home(fn) in ("builtins", "_io"):
        return Effects(draws=True)
    if registered and home(fn) in {*_TRUSTED, ""}:
        return _of_signature(fn)
    return _of_library(fn)


def _of_library(fn: Any) -> Effects:
    """The effects of a function that is not registered."""
    name = plainly(fn, "__name__", "")
    owner = plainly(fn, "__self__")
    if isinstance(owner, DRAWING):
        if name == "shuffle":
            return Effects((Write("x"),), draws=True, parameters=("x",))
        return Effects((Write("out"),), draws=True)
    if isinstance(owner, _PLAIN):
        return Effects(draws=isinstance(owner, logging.Logger))
    if isinstance(owner, _CONTAINERS):
        return Effects((), (ANY,))
    is_thing = not isinstance(owner, types.ModuleType | type | None)
    if is_thing and type(fn) is types.BuiltinFunctionType:
        return UNKNOWN  # what an object does with what it is given: ``variable.set(v)``
    module = module_of(fn)
    if not module and not isinstance(fn, types.FunctionType):
        module = type(fn).__module__
    if home(fn) == "srcgrad":
        return _of_signature(fn)
    if name in _RUNNING_NAMES or (module == "dataclasses" and name in _MAKING):
        return UNKNOWN
    root = module.partition(".")[0]
    if not (inspect.isroutine(fn) or isinstance(fn, type)):
        return UNKNOWN
    if root in _COMPUTING_MODULES or root in _REPORTING_MODULES:
        return Effects(draws=root in _REPORTING_MODULES)
    return UNKNOWN


@functools.lru_cache(maxsize=4096)
def _of_signature(fn: Any) -> Effects:
    """The effects that the names of a function's parameters tell."""
    names = parameters_of(fn)
    writes: list[Write] = [Write(name) for name in names if name in OUTPUTS]
    for name in names:
        if name.startswith(_OVERWRITE):
            target = name.removeprefix(_OVERWRITE)
            first = names[0] if target == "input" else ANY
            writes.append(Write(target if target in names else first, name))
    new = plainly(fn, "__module__") in _NEW_MEMORY_MODULES
    return Effects(tuple(writes), views=OUTPUTS if new else (ANY,))


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


def _parameters(fn: Any) -> list[inspect.Parameter]:
    """The parameters of a function, none where they are not told."""
    if not callable(fn):  # an operation of a backward part
        return []
    call = inspect.getattr_static(type(fn), "__call__", None)
    try:
        if isinstance(call, types.FunctionType):  # of an object, which is not asked itself
            return [*inspect.signature(call).parameters.values()][1:]
        return [*inspect.signature(fn).parameters.values()]
    except (TypeError, ValueError):
        return []


@functools.lru_cache(maxsize=4096)
def parameters_of(fn: Any) -> tuple[str, ...]:
    """The names of a function's parameters, in their order; empty where they are not told."""
    return tuple(parameter.name for parameter in _parameters(fn))


@functools.lru_cache(maxsize=4096)
def positional_of(fn: Any) -> tuple[str, ...]:
    """The names of the parameters that positional arguments go to; the last may be ``*args``."""
    found: list[str] = []
    for parameter in _parameters(fn):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return (*found, f"*{parameter.name}")
        if parameter.kind in _BY_PLACE:
            found.append(parameter.name)
    return tuple(found)


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
