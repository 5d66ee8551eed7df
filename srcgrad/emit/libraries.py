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
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "concat", "permute_dims", "pow",
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
