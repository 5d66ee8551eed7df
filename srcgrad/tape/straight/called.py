"""What the text of a straight-line program calls, besides the libraries of the program itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.runtime.intercepting import replacement
from srcgrad.tape.formulas import plan_of
from srcgrad.tape.recording import fitting


def formula_of(fn: Any, *needed: int) -> Callable[..., Any]:
    """Return the formula of a function: called, it gives the value and the backward function.

    Args:
        fn: the function.
        *needed: the positions of the arguments that get cotangents; the others get None.

    Example:
        >>> value, backward = formula_of(np.maximum, 0)(3.0, 2.0)
        >>> float(value), float(backward(1.0)[0])
        (3.0, 1.0)
    """
    plan = plan_of(fn)
    inputs = [(k, 0) for k in needed]
    return functools.partial(_run, plan, inputs)


def _run(plan: Any, inputs: Any, *args: Any, **options: Any) -> Any:
    return plan.run(args, options, inputs, False)[:2]


def unread(z_bar: Any, x_bar: Any, where: Any = True) -> Any:
    """Return a cotangent with 0 where nothing reads the result, though its slope is infinite.

    Args:
        z_bar: the cotangent of the result.
        x_bar: that of the argument, from it.
        where: in which entries nothing read the result when the program was recorded.

    Example:
        >>> unread(np.array([0.0, 1.0]), np.array([np.nan, 2.0]))
        array([0., 2.])
        >>> unread(np.array([0.0, 0.0]), np.array([np.nan, np.nan]), np.array([True, False]))
        array([ 0., nan])
    """
    zero = np.equal(z_bar, 0) & where
    if np.shape(zero) == np.shape(x_bar):
        return np.where(zero & ~np.isfinite(x_bar), 0.0, x_bar)[()]
    return np.zeros_like(x_bar) if np.all(zero) else x_bar


def fitted(x_bar: Any, x: Any) -> Any:
    """Return a cotangent as real or complex as the value that it belongs to.

    Example:
        >>> fitted(1 + 2j, 3.0)
        1.0
    """
    return fitting(x_bar, x, True)


def intercepted(fn: Callable[[Any], Any], x_bar: Any) -> Any:
    """Return what a function that was put into the backward part makes of a cotangent.

    Example:
        >>> intercepted(lambda x_bar: 2 * x_bar, 3.0)
        6.0
    """
    bar = np.copy(x_bar) if isinstance(x_bar, np.ndarray) else x_bar
    found = fn(bar)
    replacement(found, bar)
    return bar if found is None else found


def is_transfer(fn: Any) -> bool:
    """Tell whether a function that was recorded sends numbers to other ranks, or receives some."""
    return getattr(fn, "__module__", "") == "srcgrad.mpi.transfers"


def carried_out(transfer: Any, *parts: Any) -> list[Any]:
    """Send numbers to other ranks, and return what this one is given, once more.

    Args:
        transfer: what was recorded of the message: on every rank, the program that it is part
            of has to run.
        *parts: the numbers and arrays that this rank gives.
    """
    return transfer.again().deliver(parts)


def carried_back(transfer: Any, *bars: Any) -> list[Any]:
    """Send cotangents back, and return those of what this rank has given.

    Args:
        transfer: what was recorded of the message.
        *bars: the cotangents of what this rank was given.
    """
    return transfer.back().deliver(bars)


def looking(memory: Any, shape: Any, dtype: Any, offset: int, strides: Any) -> Any:
    """Return an array that looks into the memory of another one.

    Args:
        memory: the array whose memory it is.
        shape: the shape of the new one.
        dtype: the type of its entries.
        offset: where it begins, in bytes.
        strides: how far apart its entries are along each axis, in bytes.

    Example:
        >>> looking(np.arange(4.0), (2,), float, 8, (16,))
        array([1., 3.])
    """
    return np.ndarray(shape, dtype, memory.ravel(order="K"), offset, strides)


__all__ = [
    "carried_back",
    "carried_out",
    "fitted",
    "formula_of",
    "intercepted",
    "is_transfer",
    "looking",
    "unread",
]
