"""What an array is, NumPy's or one of a device, and what its memory is.

Arrays of CuPy's do what NumPy's do, with three differences. They cannot be turned into arrays
of NumPy's, nor meet these. A part of one is a view of it also where it is a single entry, so
that what NumPy gives as a number is an array without axes. And their memory is known by the
object that stands for an allocation (``array.data.mem``), which all views of it share; an array
that was made of an address has no ``base``.

A class whose arrays do not say where their memory is can be read, and not be written.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

import numpy as np

CLASSES: list[type] = []  # those of arrays that are no arrays of NumPy's
_arrays: list[Any] = [(np.ndarray,)]  # the tuples that isinstance takes, in lists to be replaced
_numbers: list[Any] = [(np.ndarray, np.generic)]
_there: list[Any] = [()]
_owners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_empty: dict[type, Any] = {}


def register(cls: type) -> None:
    """Declare that a class is one of arrays that are no arrays of NumPy's, and mean the same."""
    if cls not in CLASSES and not issubclass(cls, np.ndarray):
        CLASSES.append(cls)
        _there[0] = tuple(CLASSES)
        _arrays[0] = (np.ndarray, *CLASSES)
        _numbers[0] = (np.ndarray, np.generic, *CLASSES)


def look_for_devices() -> None:
    """Register the arrays of CuPy's, where it has been imported."""
    cls = getattr(sys.modules.get("cupy"), "ndarray", None)
    if cls is not None and cls not in CLASSES:
        register(cls)


def is_array(value: Any) -> bool:
    """Tell whether a value is an array, of NumPy's or of a device.

    Args:
        value: any object; what says that its class is one of arrays, is one.

    Example:
        >>> import numpy as np
        >>> is_array(np.ones(3)), is_array(np.float64(1.0))
        (True, False)
    """
    return isinstance(value, _arrays[0])


def is_array_class(cls: type) -> bool:
    """Tell whether a class is one of arrays."""
    return issubclass(cls, _arrays[0])


def is_number_or_array(value: Any) -> bool:
    """Tell whether a value is an array or a number of NumPy's."""
    return isinstance(value, _numbers[0])


def is_on_device(value: Any) -> bool:
    """Tell whether a value is an array, and not one of NumPy's."""
    return isinstance(value, _there[0])


def has_devices() -> bool:
    """Tell whether any class of arrays is known beside NumPy's."""
    return bool(CLASSES)


# Arrays like others


def like(array: Any) -> Any:
    """Return what stands for the place of an array: None for NumPy's memory.

    It holds no numbers, so that it can be kept where the array is not.
    """
    if not is_on_device(array):
        return None
    cls = type(array)
    if cls not in _empty:
        _empty[cls] = np.zeros_like(array, shape=(0,))
    return _empty[cls]


def any_place() -> Any:
    """Return what stands for CuPy's device, where no array is at hand."""
    return like(sys.modules["cupy"].zeros(0))


def zeros(shape: Any, dtype: Any, place: Any) -> Any:
    """Return zeros.

    Args:
        shape: the lengths of the axes.
        dtype: the type of the entries.
        place: what ``like`` gives.
    """
    if place is None:
        return np.zeros(shape, dtype)
    if not shape:
        return number_there(0, dtype, place)
    return np.zeros_like(place, shape=shape, dtype=dtype)


def number_there(number: Any, dtype: Any, place: Any) -> Any:
    """Return an array without axes on a device, with a number in it.

    ``dtype``: the type of the entry.
    """
    # CuPy takes ``shape=()`` for no shape
    return np.full_like(place, number, shape=(1,), dtype=dtype).reshape(())


def copied(array: Any) -> Any:
    """Return an array, or a number, as a new array."""
    return array.copy() if is_on_device(array) else np.array(array)


def converted(value: Any, array: Any) -> Any:
    """Return an array or a number as a new array where another one lies, in the dtype of that.

    ``value``: an array of the same place, or a number.

    Raises:
        TypeError: when one is an array of NumPy's, and the other is not.
    """
    if not is_on_device(array):
        return np.array(value, dtype=array.dtype)
    if is_on_device(value):
        return value.astype(array.dtype)
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"an array of NumPy's stands where a {type(array).__name__} is asked for; "
            "convert it with cupy.asarray"
        )
    return np.full_like(array, value)


def same_entries(one: Any, other: Any) -> bool:
    """Tell whether two arrays of one shape and dtype hold the same numbers; on a device it asks."""
    if not is_on_device(one):
        return one.tobytes() == other.tobytes()
    same = (one == other) | ((one != one) & (other != other))  # nan differs from itself
    return bool(same.all())


def is_writeable(array: Any) -> bool:
    """Tell whether an array can be written."""
    return getattr(array.flags, "writeable", True)


# Memory


def has_memory(array: Any) -> bool:
    """Tell whether it is known where the memory of an array is."""
    return not is_on_device(array) or hasattr(getattr(array, "data", None), "ptr")


def owner_on_device(array: Any) -> Any:
    """Return the array that stands for the memory of one of a device.

    ``array``: the array; arrays that share an allocation have the same owner.
    """
    memory = getattr(getattr(array, "data", None), "mem", None)
    base = getattr(array, "base", None)
    owner = array if base is None else base
    if memory is None:
        return owner
    return _owners.setdefault(id(memory), owner)


def is_of_others(owner: Any) -> bool:
    """Tell whether memory may be written through something else than arrays that it is known by.

    ``owner``: the array that owns it.
    """
    if is_on_device(owner):
        return type(getattr(getattr(owner, "data", None), "mem", None)).__name__.startswith(
            "Unowned"
        )
    return owner.base is not None and owner.flags.writeable


def address(array: Any) -> int:
    """Return the address of the first entry of an array."""
    if type(array) is not np.ndarray and is_on_device(array):
        return array.data.ptr
    return array.__array_interface__["data"][0]


def bounds(array: Any) -> tuple[int, int]:
    """Return the first address of an array, and the one behind its last."""
    first = last = address(array)
    for length, stride in zip(array.shape, array.strides, strict=True):
        if stride < 0:
            first += (length - 1) * stride
        else:
            last += (length - 1) * stride
    return first, last + array.dtype.itemsize


def overlap(one: Any, other: Any) -> bool:
    """Tell whether two arrays, or numbers, may share memory."""
    if not CLASSES:
        return np.may_share_memory(one, other)
    if not (is_on_device(one) or is_on_device(other)):
        return np.may_share_memory(one, other)
    if not (is_on_device(one) and is_on_device(other)):
        return False
    if not (has_memory(one) and has_memory(other)):
        return True
    if not one.size or not other.size:
        return False
    (first, last), (begin, end) = bounds(one), bounds(other)
    return first < end and begin < last


def flat_copy(owner: Any) -> Any:
    """Return a copy of what is in the memory of an array, without axes but one."""
    if not is_on_device(owner):
        return owner.ravel(order="K").copy()
    return type(owner)((owner.size,), owner.dtype, owner.data).copy()


def placed(memory: Any, array: Any, owner: Any) -> Any:
    """Return a view of memory that lies in it as an array lies in that of another.

    Args:
        memory: an array with one axis, as large as the memory of the owner.
        array: the array.
        owner: the array that owns its memory.

    Raises:
        ValueError: when the array reaches beyond that memory.
    """
    shift = address(array) - address(owner)
    if type(memory) is np.ndarray:
        if not array.size:
            return np.ndarray(array.shape, array.dtype, memory)  # its place is none
        return np.ndarray(array.shape, array.dtype, memory, shift, array.strides)
    first, last = bounds(array)
    if first < address(owner) or last - address(owner) > memory.nbytes:
        raise ValueError("an array reaches beyond the memory that is known")
    owner_on_device(memory)  # a view that is made of an address has no base
    return type(memory)(array.shape, array.dtype, memory.data + shift, array.strides)
