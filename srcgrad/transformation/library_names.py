"""Under which names the functions of libraries are written."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from typing import Any

import numpy as np

from srcgrad.formulas import LIBRARIES

_SYNONYMS = {  # of functions that every NumPy has under another name
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "concat", "double", "permute_dims",
    "pow",
}  # fmt: skip


@functools.cache
def numpy_names() -> dict[int, str]:
    """Return the names of NumPy's functions behind ``np.``, by the identity of the function."""
    found: dict[int, str] = {}
    for module, prefix in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
        for name, thing in vars(module).items():  # dir() would import lazy submodules
            if not name.startswith("_") and name not in _SYNONYMS:
                found.setdefault(id(thing), prefix + name)
    return found


def place_in_scipy(fn: Any) -> tuple[types.ModuleType, str] | None:
    """Return the public module of SciPy that has a function, and the name there.

    A method of a distribution has a name with a dot, such as ``norm.pdf``. Modules
    that the program has not imported are not looked into.
    """
    name = getattr(fn, "__name__", "")
    for library in LIBRARIES:
        module = sys.modules.get(library) if library.startswith("scipy.") else None
        if module is None:
            continue
        if inspect.ismethod(fn):
            for owner, thing in vars(module).items():
                if thing is fn.__self__:
                    return module, f"{owner}.{name}"
        elif name and vars(module).get(name) is fn:
            return module, name
    return None


def qualified_name(fn: Any) -> str:
    """Return the dotted name that a function is known by."""
    found = place_in_scipy(fn)
    if found is not None:
        return f"{found[0].__name__}.{found[1]}"
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return f"{qualified_name(fn.__self__)}.{fn.__name__}"
    if isinstance(fn, types.BuiltinFunctionType) or hasattr(fn, "__qualname__"):
        module = getattr(fn, "__module__", None)
        name = getattr(fn, "__qualname__", getattr(fn, "__name__", repr(fn)))
        return name if module in (None, "builtins", "__main__") else f"{module}.{name}"
    name = getattr(fn, "__name__", None)
    module = "numpy" if type(fn).__module__.startswith("numpy") else type(fn).__module__
    return f"{module}.{name}" if name else repr(fn)
