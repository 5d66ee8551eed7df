"""What functions of NumPy's do with an axis of a number, which has none."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.library.libraries import home


def collapses(fn: Any, default: Any) -> bool:
    """Tell whether a function takes a number as an array along its only axis.

    NumPy adds up, multiplies or takes the largest of a number along the axis 0 or -1, but has
    no mean of it: what it does is asked of the function itself.
    """
    if isinstance(getattr(fn, "__self__", None), np.ufunc) and fn.__name__ == "reduce":
        return True
    return default is None and home(fn) == "numpy" and _takes_numbers(fn)


@functools.cache
def _takes_numbers(fn: Any) -> bool:
    for further in ((), (0,)):  # indices, or a count
        try:
            fn(0.5, *further, axis=0)
        except Exception:  # noqa: BLE001 - whatever it has against a number
            continue
        return True
    return False
