"""Which library a function, a class or an array comes from."""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from typing import Any

import numpy as np

from srcgrad.library.attributes import plainly

ARRAYS = ("numpy", "scipy", "cupy", "cupyx")  # libraries of arrays
WITH_FORMULAS = (*ARRAYS, "math")  # those whose functions formulas are written for


def module_of(thing: Any) -> str:
    """Return the name of the module that something was defined in, empty where it does not say.

    A function in Python runs in the namespace of that module. What it says itself is the
    module of another one, where ``functools.wraps(np.reshape)`` has decorated it; but what
    Python's own decorators have made (``contextmanager``) belongs to what they were given.
    """
    if isinstance(thing, types.FunctionType):
        own = thing.__globals__.get("__name__")
        own = own if isinstance(own, str) else ""
        if own.partition(".")[0] not in sys.stdlib_module_names:
            return own
    module = plainly(thing, "__module__")
    return module if isinstance(module, str) else ""


def home(thing: Any) -> str:
    """Return the package that something was defined in: ``numpy`` for ``np.linalg.norm``.

    Returns:
        The name of the package, empty where it does not say: a class of the user's says that
        it is Python's own if its text was executed in a namespace without a name.
    """
    name = module_of(thing).partition(".")[0]
    return "" if name == "builtins" and _is_executed(thing) else name


def _is_executed(thing: Any) -> bool:
    """Tell whether something that says it is Python's own was made while the program runs."""
    if not isinstance(thing, type):
        return False
    made = bool(thing.__flags__ & _HEAP)
    return made and getattr(builtins, thing.__name__, None) is not thing


_HEAP = 1 << 9  # among the flags of a class: it was made while the program runs


def is_of_library(fn: Any) -> bool:
    """Tell whether a Python function belongs to a library that formulas are written for."""
    return plainly(fn, "__srcgrad_generated__") is None and home(fn) in WITH_FORMULAS


def is_stand_in(thing: Any) -> bool:
    """Tell whether a class in Python, or a method of one, stands for a class of a library.

    It is read as those of the user are.
    """
    if not module_of(thing).startswith("srcgrad.runtime."):
        return False
    return isinstance(thing, type) or "." in plainly(thing, "__qualname__", "")


def is_installed(thing: Any) -> bool:
    """Tell whether a function or a class came with a package that was installed."""
    module = sys.modules.get(module_of(thing))
    file = getattr(module, "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def calls_compiled_code(thing: Any) -> bool:
    """Tell whether calls of an object run no Python code, as those of Numba's functions."""
    call = inspect.getattr_static(type(thing), "__call__", None)
    return type(call) is types.WrapperDescriptorType and not isinstance(thing, types.FunctionType)


def has_no_numbers(array: Any) -> bool:
    """Tell whether the elements and sums of an array are arrays, too, as CuPy's are."""
    cls = type(array)
    protocol = hasattr(cls, "__array_function__") and hasattr(cls, "__iadd__")
    return protocol and not isinstance(array, np.ndarray | np.generic)
