"""Functions that were compiled from Python functions, as Numba's are."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any


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
