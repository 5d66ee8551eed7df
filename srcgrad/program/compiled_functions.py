"""Functions that were compiled from Python functions, as Numba's are."""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_CONSTANTS = (bool, int, float, complex, str, np.generic, np.ndarray, tuple)
# of each compiled function, by the signatures it was compiled for: what it holds for constant
_held: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def python_of(function: Any) -> Any:
    """Return the Python function that a compiled one was made from, or what is given.

    Numba's functions keep it as ``py_func``. Objects of the user's are not asked.
    """
    if type(function).__module__.partition(".")[0] != "numba":
        return function
    plain = getattr(function, "py_func", None)
    return plain if isinstance(plain, types.FunctionType) else function


def compiler_of(function: Any) -> Callable[[Any], Any] | None:
    """Return what compiles other functions as Numba compiled this one; None for others."""
    numba = sys.modules.get("numba")
    options = getattr(function, "targetoptions", None)
    if numba is None or python_of(function) is function or not isinstance(options, dict):
        return None
    keeps = type(getattr(function, "_cache", None)).__name__ == "FunctionCache"
    return numba.jit(**options, cache=keeps)


def outdated(function: Any) -> str | None:
    """Return a name from outside that a compiled function holds for constant, and that changed.

    Numba takes globals, and what a function captures, for the constants that they are when it
    compiles; what such a function computes is that of their old values.

    Returns:
        The name; None where all are what they were.
    """
    now = dict(_outside(python_of(function)))
    held = _held.setdefault(function, {})
    for signature, made in list(function.overloads.items()):
        if signature not in held or held[signature][0] is not made:
            known = now | dict(_constants_of(made))
            held[signature] = made, {n: _kept(v) for n, v in known.items() if n in now}
        for name, value in held[signature][1].items():
            if name in now and not _is_same(value, now[name]):
                return name
    return None


def is_current(function: Any) -> bool:
    """Tell whether a compiled function holds nothing for constant that has changed."""
    return outdated(function) is None


def _outside(plain: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The constants that a function reads of globals and captures, as they are now."""
    for name in plain.__code__.co_names:
        if isinstance(value := plain.__globals__.get(name), _CONSTANTS):
            yield name, value
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # it has none yet
            continue
        if isinstance(value, _CONSTANTS):
            yield name, value


def _constants_of(made: Any) -> Iterator[tuple[str, Any]]:
    """The constants in the code that was compiled; none where it was read from a disk."""
    blocks = getattr(getattr(made, "type_annotation", None), "blocks", {})
    for statement in (s for block in blocks.values() for s in block.body):
        value: Any = getattr(statement, "value", None)
        if type(value).__name__ in ("Global", "FreeVar"):
            yield value.name, value.value


def _kept(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _is_same(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) or isinstance(new, np.ndarray):
        return type(old) is type(new) and np.array_equal(old, new, equal_nan=old.dtype.kind in "fc")
    return old is new or (type(old) is type(new) and (old == new or old != old))
