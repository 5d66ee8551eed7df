"""Calls of CuPy's functions, and numbers that go to a device or come from there.

A function of CuPy's has the formula of NumPy's function of that name, and is called as that one,
which hands the call on to CuPy. Functions of NumPy's that make arrays of their own whatever they
are given are not: what stands for them makes arrays on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.library.cupy_names import known_name
from srcgrad.program.device_arrays import any_place, is_on_device, like, number_there, overlap
from srcgrad.registry import formula
from srcgrad.tape.calls import IN_PLACE, WRITING, call
from srcgrad.tape.errors import lost
from srcgrad.tape.formulas import has_box, missing
from srcgrad.tape.memory import all_seen, seen, viewed
from srcgrad.tape.recording import Box, flat, raw, unboxed
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import Session

# Functions of NumPy's that make arrays of NumPy's, whatever they are given
_ARRAYS = frozenset((np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray))
_MAKING = _ARRAYS | {
    np.require, np.full, np.zeros, np.ones, np.empty, np.eye, np.identity, np.arange, np.tri,
    np.indices, np.fromfunction, np.fromiter,
}  # fmt: skip


def to_host(x: Any, kind: Any) -> Any:
    """Return an array of one entry as a number of Python's."""
    return kind(x)


@formula(to_host)
def to_host_(x: Any, kind: Any) -> Any:
    """Z = the number in x."""
    return kind(x), lambda z_bar: (np.full_like(x, z_bar), None)


def to_device(x: Any, place: Any) -> Any:
    """Return a number as an array without axes."""
    return number_there(x, np.result_type(x), place)


@formula(to_device)
def to_device_(x: Any, place: Any) -> Any:
    """Z = an array with x in it."""
    return to_device(x, place), lambda z_bar: (z_bar, None)


def known_as(fn: Any) -> Any:
    """Return the function of NumPy's or SciPy's with the name of one of CuPy's.

    Args:
        fn: any function; that itself is returned where it is none of CuPy's.
    """
    owner = getattr(fn, "__self__", None)
    if owner is not None:
        ufunc = known_name(owner)
        return getattr(ufunc, fn.__name__, fn) if ufunc is not owner else fn
    return known_name(fn)


def namesake(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function of CuPy's as the one of NumPy's that has its formula."""
    if session.active:
        args, options = all_seen(args), all_seen(options)
    given, known = [*flat(args), *flat(options)], known_as(fn)
    there = any(is_on_device(raw(part)) for part in given)
    boxes = [part for part in given if type(part) is Box]
    if not boxes:
        return (
            call(known, *args, **options)
            if there and known not in _MAKING
            else fn(*args, **options)
        )
    if any(isinstance(box.array, np.ndarray) for box in boxes):
        fn(*unboxed(args), **unboxed(options))  # it raises an error, or copies to the device
        raise lost("copied between the host and a device")
    if known is np.full:
        return _full(*args, **options)
    if known in _ARRAYS:
        return _as_array(session, fn, *args, **options)
    if known in _MAKING:
        raise missing(fn)
    if not there:
        args = tuple(_there(part) if type(part) is Box else part for part in args)
    return call(known, *args, **options)


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> Any:
    """Do what ``cupy.full`` does."""
    made = call(np.copy, call(np.broadcast_to, _there(fill_value), shape), order=order)
    return _cast(made, dtype)


def _there(value: Any) -> Any:
    """Return a number as an array on the device; what is there already stays as it is."""
    return value if is_on_device(raw(value)) else call(to_device, value, any_place())


def _cast(made: Any, dtype: Any) -> Any:
    if dtype is None or np.dtype(dtype) == raw(made).dtype:
        return made
    return call(HELPERS["attribute"](made, "astype"), dtype)


def _as_array(session: Session, fn: Any, x: Any, dtype: Any = None, **options: Any) -> Any:
    """Do what ``cupy.array`` and ``cupy.asarray`` do, and their like."""
    if type(x) is not Box or not is_on_device(x.array):
        return _cast(_stacked(x, any_place()), dtype)
    made = fn(x.array, dtype, **options)
    if made is x.array:
        return x
    if overlap(made, x.array):
        return viewed(session, x, lambda array: fn(array, dtype, **options))
    order = "C" if made.flags.c_contiguous else "F"
    return _cast(call(np.reshape, call(np.copy, x, order=order), made.shape), dtype)


def array_of(parts: Any, dtype: Any = None) -> Any:
    """Return the array of sequences with arrays of a device in them, or a copy of an array."""
    place = next(like(raw(part)) for part in flat(parts) if is_on_device(raw(part)))
    made = _stacked(parts, place)
    return _cast(call(np.copy, made) if made is parts else made, dtype)


def holds_device_array(parts: Any) -> bool:
    """Tell whether an array of a device, or a box of one, is in nested sequences."""
    return any(is_on_device(raw(part)) for part in flat(parts))


def _stacked(part: Any, place: Any) -> Any:
    if isinstance(part, list | tuple):
        return call(np.stack, [_stacked(inner, place) for inner in part])
    part = seen(part)
    if is_on_device(raw(part)):
        return part
    if np.ndim(raw(part)):
        raise lost("copied between the host and a device")
    return call(to_device, part, place)


def method(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a method of an array on a device; it may write into the array."""
    box, name = seen(fn.__self__), fn.__name__
    if name == "__setitem__":
        HELPERS["store"](args[1], box, args[0])
        return None
    if name in IN_PLACE:
        return HELPERS["in_place"](name.strip("_"), box, *args)
    if type(box) is Box or has_box((args, options)) or name in WRITING:
        return HELPERS["method"](session, box, name, args, options)
    return fn(*args, **options)


HELPERS |= {"known_as": known_as, "method_there": method, "namesake": namesake}
