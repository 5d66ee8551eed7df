"""What Python and NumPy take an object for: the number it stands for, the array of a sequence.

Each operand and argument that is no number, array, list or tuple itself is asked for it here.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from decimal import Decimal
from numbers import Rational
from typing import Any

import numpy as np

import srcgrad.tape.rewriting as rewriting
from srcgrad.program.device_arrays import is_array, is_number_or_array
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import as_objects, seen
from srcgrad.tape.recording import Box
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import state

_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), np.ndarray, np.float64, Box, slice, range}
    | {np.ufunc, types.BuiltinFunctionType, dict}
)
_NUMERIC = (int, float, complex, np.generic)
_ASKED = {float: ("__float__", "__index__"), complex: ("__complex__", "__float__", "__index__")}


def is_of_user(value: Any) -> bool:
    """Tell whether a value is an object of a class of the user's."""
    return type(value) not in _PLAIN and not rewriting.is_library(type(value))


def as_number(kind: type, value: Any) -> Any:
    """Return the number that an object stands for, a fraction or one of the user's.

    Args:
        kind: ``float`` or ``complex``, whichever is asked for.
        value: any value; what is no such object is returned as it is.
    """
    if type(value) in _PLAIN or isinstance(value, np.generic):
        return value
    if not is_of_user(value):
        return kind(value) if isinstance(value, Rational | Decimal) else value
    for name in _ASKED[kind]:
        own = getattr(type(value), name, None)
        if isinstance(own, types.FunctionType):
            rewriting.prepare_class(state.session, type(value))  # type: ignore[arg-type]
            return own(value)
    return value


def as_array(value: Any, kind: str = "") -> Any:
    """Return what NumPy makes an array of for a value, where something in that is recorded.

    Args:
        value: any value. What is no sequence, and stands for none, is returned as it is, as are
            sequences of constants; of those in lists and tuples the same holds.
        kind: that of the array's dtype, where one is given: for one of numbers, objects are asked
            for the numbers they stand for.
    """
    sort = type(value)
    if sort in _PLAIN:
        return value
    if sort is list or issubclass(sort, tuple):
        parts = [as_array(part, kind) for part in value]
        if sort is list or sort is tuple:
            return sort(parts)
        return tuple(parts) if has_box(parts) else value
    return _taken_apart(value, kind)


def _taken_apart(value: Any, kind: str) -> Any:
    sort = type(value)
    if sort in _PLAIN or isinstance(value, str | bytes | dict) or is_array(value):
        return value
    of_user = is_of_user(value)
    if (of_user or rewriting.is_seen_through(sort)) and hasattr(sort, "__array__"):
        rewriting.prepare_class(state.session, sort)  # type: ignore[arg-type]
        made = value.__array__()  # which may have an effect, so NumPy does not call it again
        return made if type(made) is Box or isinstance(made, np.ndarray) else value
    if isinstance(value, np.flatiter):
        made = value.copy()
        return made if type(made) is Box else value
    if isinstance(value, Sequence) or of_user:
        if hasattr(sort, "__getitem__") and hasattr(sort, "__len__"):
            rewriting.prepare_class(state.session, sort)  # type: ignore[arg-type]
            made = [as_array(seen(part), kind) for part in value]
            return made if of_user or has_box(made) else value
    if kind and kind in "fc":
        return as_number(complex if kind == "c" else float, value)
    return value


def has_priority(value: Any) -> bool:
    """Tell whether an array of NumPy's leaves operators to the class of a value."""
    found = getattr(value, "__array_priority__", 0)
    return isinstance(found, int | float) and found > 0


def as_operands(box: Box, value: Any) -> Any:
    """Return a box and what its operators take another operand for.

    Returns:
        The box, and a number, an array or a sequence; or an array of its entries, of which each
        is asked, and the value that is one entry itself. NotImplemented where the class of the
        value is asked what the operation is.
    """
    kind = type(value)
    if kind is Box or isinstance(value, _NUMERIC) or is_array(value):
        return box, value
    by_numpy = is_number_or_array(box.array)
    if isinstance(value, Rational) and not is_of_user(value):
        exact = by_numpy and np.result_type(box.array) != np.float64
        return box, np.float64(value) if exact else float(value)
    own = hasattr(kind, "__array_ufunc__") and not isinstance(value, np.flatiter)
    if not by_numpy or own or has_priority(value):
        return NotImplemented
    made = as_array(value)
    if made is value and type(value) not in (list, tuple):
        made = np.asarray(value)
        if made.dtype.kind == "O" and np.ndim(box.array):
            return as_objects(box), value
        if made.dtype.kind not in "fciub":
            return NotImplemented
    return box, made


HELPERS["as_array"] = as_array

__all__ = ["as_array", "as_number", "as_operands", "has_priority", "is_of_user"]
