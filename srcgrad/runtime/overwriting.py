"""Copies of arrays in which some entries are others: what the writes of NumPy leave behind.

Generated code may call these at run time, as it may call those of ``runtime``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.placing import add_at


def with_put(x: Any, places: Any, v: Any, mode: Any = "raise") -> Any:
    """Return a copy of ``x`` after ``np.put(x, places, v, mode)``.

    Args:
        x: an array.
        places: integers, places in the flattened array.
        v: a number or an array; it is repeated, or cut, to the number of places.
        mode: what happens to places outside: "raise", "wrap" or "clip".
    """
    z = x.copy()
    np.put(z, places, v, mode=mode)
    return z


def with_put_along(x: Any, indices: Any, v: Any, axis: int | None) -> Any:
    """Return a copy of ``x`` after ``np.put_along_axis(x, indices, v, axis)``.

    Args:
        x: an array.
        indices: integers, with as many axes as ``x``; one axis where ``axis`` is None.
        v: a number, or an array that broadcasts against ``indices``.
        axis: the axis; None for the flattened array.
    """
    z = x.copy()
    np.put_along_axis(z, indices, v, axis=axis)
    return z


def with_placed(x: Any, mask: Any, v: Any) -> Any:
    """Return a copy of ``x`` after ``np.place(x, mask, v)``.

    Args:
        x: an array.
        mask: booleans in the shape of ``x``.
        v: a number or an array; its entries go to the places of the mask, one after
            the other, and over again.
    """
    z = x.copy()
    np.place(z, mask, v)
    return z


def with_masked(x: Any, mask: Any, v: Any) -> Any:
    """Return a copy of ``x`` after ``np.putmask(x, mask, v)``.

    Args:
        x: an array.
        mask: booleans in the shape of ``x``.
        v: a number or an array; its entry goes to the same place in the flattened
            array, and it is repeated where it is shorter.
    """
    z = x.copy()
    np.putmask(z, mask, v)
    return z


def entries_of(v: Any) -> Any:
    """Return the numbers 0, 1, ... of the entries of ``v``, in its shape."""
    return np.arange(np.size(v)).reshape(np.shape(v))


def add_entries(z_bar: Any, sources: Any, v: Any) -> Any:
    """Return zeros like ``v`` with each entry of ``z_bar`` added where it comes from.

    Args:
        z_bar: an array.
        sources: integers in its shape: which entry of the flattened ``v`` each one
            is; -1 for none of them.
        v: a number or an array of floats.

    Example:
        >>> add_entries(np.array([1.0, 2.0, 4.0]), np.array([0, -1, 0]), np.zeros(2))
        array([5., 0.])
    """
    out = np.zeros_like(z_bar, shape=(np.size(v),))
    taken = sources >= 0
    add_at(out, sources[taken], z_bar[taken])
    return out.reshape(np.shape(v)) if np.shape(v) else out[0]


def read_entries(v: Any, sources: Any) -> Any:
    """Return the entries of ``v`` that ``sources`` names, and 0 for -1.

    It is the transpose of ``add_entries``, and takes the same arguments.
    """
    padded = np.append(np.ravel(v), 0.0 * np.ravel(v)[:1])
    return padded[sources]
