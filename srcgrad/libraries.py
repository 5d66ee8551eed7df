"""Which library a function, a class or an object comes from."""

from __future__ import annotations

from typing import Any

ARRAYS = ("numpy", "scipy", "cupy", "cupyx")  # libraries of arrays
WITH_FORMULAS = (*ARRAYS, "math")  # those whose functions formulas are written for


def home(thing: Any) -> str:
    """Return the package that something was defined in: ``numpy`` for ``np.linalg.norm``.

    Args:
        thing: a function, a class or an object.

    Returns:
        The name of the package, empty where it does not say.
    """
    module = getattr(thing, "__module__", None)
    return module.partition(".")[0] if isinstance(module, str) else ""


def is_of_library(fn: Any) -> bool:
    """Tell whether a Python function belongs to a library that formulas are written for."""
    return not hasattr(fn, "__srcgrad_generated__") and home(fn) in WITH_FORMULAS
