"""The functions of CuPy, which have the names and the derivatives of NumPy's and SciPy's.

A program may be written with ``cp``. Its functions are looked up as NumPy's, whose formulas
they have, and the generated code calls CuPy's again.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

SAME_NAMES = {
    "cupy": "numpy",
    "cupy.linalg": "numpy.linalg",
    "cupy.fft": "numpy.fft",
    "cupy.random": "numpy.random",
    "cupyx.scipy.special": "scipy.special",
    "cupyx.scipy.ndimage": "scipy.ndimage",
    "cupyx.scipy.signal": "scipy.signal",
    "cupyx.scipy.linalg": "scipy.linalg",
}


def known_name(thing: Any) -> Any:
    """Return the function of NumPy or SciPy with the name of one of CuPy's.

    Returns:
        That function; the object itself if it is no function of CuPy's.
    """
    if "cupy" not in sys.modules:
        return thing
    for name in SAME_NAMES:
        module = sys.modules.get(name)
        found = None if module is None else _namesakes(module, name).get(id(thing))
        if found is not None:
            return found[1]
    return thing


def namesake(context: Any, thing: Any) -> Any:
    """Return what a program calls, as formulas know it, and note that it calls CuPy."""
    known = known_name(thing)
    if known is not thing:
        context.of_cupy = context.lengths.only_arrays = True
    return known


def in_cupy(module: str, path: str) -> Any:
    """Return the module of CuPy in which a function of NumPy or SciPy has a namesake.

    Returns:
        The module; None if CuPy has no such function.
    """
    owner = next((k for k, v in SAME_NAMES.items() if v == module), "")
    found = thing = sys.modules.get(owner)
    for part in path.split("."):
        thing = getattr(thing, part, None)
    return None if thing is None else found


def can_fuse() -> bool:
    """Tell whether CuPy is there, and makes one kernel of a function."""
    return hasattr(sys.modules.get("cupy"), "fuse")


@functools.lru_cache(maxsize=32)
def _namesakes(module: Any, name: str) -> dict[int, tuple[Any, Any]]:
    """The functions of a module, and their namesakes, by identity."""
    try:
        other = vars(importlib.import_module(SAME_NAMES[name]))
    except ImportError:  # SciPy is an extra
        return {}
    found: dict[int, tuple[Any, Any]] = {}
    for label, thing in vars(module).items():
        if callable(thing) and not isinstance(thing, type) and callable(other.get(label)):
            found.setdefault(id(thing), (thing, other[label]))
    return found
