"""What the elements are of values that are kept as text: of iterators, and of lists of data."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.forms import NamedTuple
from srcgrad.ir.nodes import Const, Items, Slice, Struct, Value, Var
from srcgrad.ir.types import BOOLEAN, ELEMENT, INTEGER, OPAQUE, REAL, UNKNOWN, Contents, Type, join

_CHOOSING = (
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
)


def type_of_iterator(fn: Any, args: tuple[Value, ...], options: dict[str, Value]) -> Type | None:
    """Return the type of an iterator over tuples of numbers, or of a list of what data holds.

    Args:
        fn: the function that makes it.
        args: its positional arguments.
        options: its keyword arguments.

    Returns:
        The type; None for anything else.
    """
    if args and fn is itertools.product and options.keys() <= {"repeat"}:
        parts = tuple(map(_element, args))
        times: Any = options.get("repeat", Const(1))
        known = None not in parts and isinstance(times, Const) and type(times.value) is int
        return _iterator(parts * times.value) if known else None
    if options or not args:
        return None
    if fn is list or fn is tuple:
        taken = type_of(args[0]).element
        known = isinstance(taken, Contents) and taken.keys is None
        return Type("opaque", element=replace(taken, is_list=fn is list)) if known else None
    if fn is np.ndindex:
        whole = all(type_of(a) == INTEGER for a in args)
        return _iterator((INTEGER,) * len(args)) if whole else None
    found = _element(args[0])
    if found is None:
        return None
    if fn is itertools.pairwise:
        return _iterator((found, found))
    count = args[1].value if len(args) == 2 and isinstance(args[1], Const) else None
    if any(fn is known for known in _CHOOSING) and type(count) is int and count > 0:
        return _iterator((found,) * count)
    return None


def _iterator(element: Any) -> Type:
    return Type("opaque", element=Contents(element))


_NUMBERS = {float: REAL, np.float64: REAL, int: INTEGER, np.int64: INTEGER, bool: BOOLEAN}
_PLAIN = frozenset(_NUMBERS)
_DEPTH = 5  # how deep lists in lists are looked into
_MOST = 8  # rows of no more elements have the kind of each by its place


def data_contents(data: Any, depth: int = _DEPTH) -> Contents | None:
    """Return what a list or tuple of a program's data holds.

    Args:
        data: the list or tuple.
        depth: how deep lists in it are looked into.

    Returns:
        The kind of its elements: numbers, arrays of one rank, rows of these; None for what is
        empty, no list or tuple, or holds nothing that is known.
    """
    if type(data) not in (list, tuple) or not data:
        return None
    kinds = set(map(type, data))
    long = len(data) > _MOST or depth == _DEPTH
    if len(kinds) == 1 and (found := _NUMBERS.get(next(iter(kinds)))) is not None:
        row = type(data) is tuple and not long  # as long as the others are
        return Contents(found, (found,) * len(data) if row else None)
    rows = dict(zip(map(_kind_of_row, data), data, strict=True)).values() if long else data
    types = [_type_of_element(part, depth) for part in rows]
    element = functools.reduce(_join, dict.fromkeys(types))
    if long:  # a list of rows, and not a row itself
        return None if element == UNKNOWN else Contents(element)
    if {*types} == {UNKNOWN}:
        return None
    return Contents(element, tuple(types), alike=_alike_in(data))


def _alike_in(parts: Iterable[Any]) -> tuple[int, ...]:
    """Which axes of the arrays in a row are as long."""
    return _alike([n for part in parts if type(part) is np.ndarray for n in part.shape])


def _alike(lengths: Sequence[Any]) -> tuple[int, ...]:
    """For each of some lengths, the place of the first one that is equal."""
    return tuple(map(lengths.index, lengths))


def _kind_of_row(part: Any) -> Any:
    """What rows of plain numbers have in common that need not be looked into one by one."""
    cls = type(part)
    if cls in (tuple, list):
        kinds = tuple(map(type, part))
        return (cls, kinds) if _PLAIN.issuperset(kinds) else id(part)
    return cls if cls in _PLAIN else id(part)


def contents_of_keys(table: Any) -> Contents | None:
    """Return what the keys of a dict are."""
    return data_contents(list(table)) if type(table) is dict else None


def contents_of_values(table: Any) -> Contents | None:
    """Return what the values of a dict are."""
    return data_contents(list(table.values())) if type(table) is dict else None


def contents_of_items(table: Any) -> Contents | None:
    """Return what the pairs of a key and its value in a dict are."""
    return data_contents(list(table.items())) if type(table) is dict else None


def _of_dict(table: dict[Any, Any], depth: int) -> Contents | None:
    """What a dict in a list holds under its keys."""
    if not table or len(table) > _MOST or not all(isinstance(key, str) for key in table):
        return None
    types = [_type_of_element(part, depth - 1) for part in table.values()]
    element = functools.reduce(_join, dict.fromkeys(types))
    return Contents(element, tuple(types), tuple(table), alike=_alike_in(table.values()))


def _type_of_element(part: Any, depth: int) -> Type:
    known = _NUMBERS.get(type(part))
    if known is not None:
        return known
    if type(part) is np.ndarray and (part.dtype.kind in "iub" or part.dtype == np.float64):
        kind = "i" if part.dtype.kind == "u" else part.dtype.kind
        return Type("array", (None,) * part.ndim, kind)
    held = None
    if depth:
        held = _of_dict(part, depth) if type(part) is dict else data_contents(part, depth - 1)
    if held is not None:
        return Type("opaque", element=held)
    return OPAQUE if issubclass(type(part), str) else UNKNOWN


def _join(a: Type, b: Type) -> Type:
    """What is known of an element that is one of two; of numbers and rows alone."""
    if isinstance(a.element, Contents) and isinstance(b.element, Contents):
        held, other = a.element, b.element
        if (held.keys is None) != (other.keys is None):
            return UNKNOWN
        parts = None
        if held.parts is not None and other.parts is not None and held.keys == other.keys:
            if len(held.parts) == len(other.parts):
                parts = tuple(map(_join, held.parts, other.parts))
        keys = held.keys if parts is not None or held.keys is None else ()
        same = parts is not None and len(held.alike) == len(other.alike)
        alike = _alike([*zip(held.alike, other.alike, strict=True)]) if same else ()
        made = Contents(_join(held.element, other.element), parts, keys, alike=alike)
        return Type("opaque", element=made)
    return a if a == b else join(a, b) if a.is_number and b.is_number else UNKNOWN


def element_type(held: Any, index: Value) -> Type:
    """Return the type of an element of a list, given what it holds, where its place is known."""
    found = _element_type(held, index)
    return ELEMENT if found == UNKNOWN else found


def _element_type(held: Any, index: Value) -> Type:
    if not isinstance(held, Contents):
        return UNKNOWN
    if held.keys is not None:
        key = index.value if isinstance(index, Const) else None
        if held.parts is not None and key in held.keys:
            return held.parts[held.keys.index(key)]
        return held.element
    if isinstance(index, Slice) and isinstance(held.element, Type) and held.element != UNKNOWN:
        return Type("opaque", element=replace(held, parts=None))
    place = index.value if isinstance(index, Const) else None
    if held.parts is not None and type(place) is int:
        return held.parts[place] if -len(held.parts) <= place < len(held.parts) else UNKNOWN
    whole = isinstance(index, Var) and index.type.kind == "scalar"
    return (
        held.element
        if (whole or type(place) is int) and isinstance(held.element, Type)
        else UNKNOWN
    )


def type_of_method(held: Any, name: str, args: tuple[Value, ...]) -> Type | None:
    """Return the type of what a method of a list, tuple or dict of data gives, if it is known."""
    if not isinstance(held, Contents):
        return None
    if held.keys is None:
        return INTEGER if name in ("count", "index") and args else None
    if args or not isinstance(held.element, Type):
        return None
    parts = {"values": held.element, "keys": OPAQUE, "items": (OPAQUE, held.element)}
    return _iterator(parts[name]) if name in parts else None


def _element(value: Value) -> Any:
    """The type of the elements of a range, a shape or an iterator; None for anything else."""
    form = value.form if isinstance(value, Struct) else None
    if isinstance(value, Items) or isinstance(form, NamedTuple):
        types = list(map(type_of, value.items))  # type: ignore[union-attr]
        number = types and all(t.is_number for t in types)
        return functools.reduce(join, types) if number else None
    if not isinstance(value, Var):
        return None
    if value.type.kind == "shape":
        return INTEGER
    held = value.type.element
    return held.element if isinstance(held, Contents) else None
