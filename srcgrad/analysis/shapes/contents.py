"""What the elements are of values that are kept as text: of iterators, and of lists of data."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.forms import Attributes, NamedTuple
from srcgrad.ir.nodes import Const, Items, Slice, Struct, Value, Var
from srcgrad.ir.structures import form_of
from srcgrad.ir.types import (
    BOOLEAN,
    ELEMENT,
    INTEGER,
    OPAQUE,
    REAL,
    UNKNOWN,
    Contents,
    Parts,
    Type,
    join,
)
from srcgrad.program.namespaces import held_by

_CHOOSING = (
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
)


def type_of_iterator(fn: Any, args: tuple[Value, ...], options: dict[str, Value]) -> Type | None:
    """Return the type of an iterator over tuples of numbers, or of a list of what data holds.

    Returns:
        The type; None for anything else.
    """
    if args and fn is itertools.product and options.keys() <= {"repeat"}:
        parts = tuple(map(_element, args))
        times: Any = options.get("repeat", Const(1))
        known = None not in parts and isinstance(times, Const) and type(times.value) is int
        return _iterator(parts * times.value) if known else None
    if args and fn is sorted:
        found = _element(args[0])
        return None if found is None else Type("opaque", element=Contents(found, is_list=True))
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
    if fn is reversed:
        return _iterator(found)
    if fn is itertools.pairwise:
        return _iterator((found, found))
    count = args[1].value if len(args) == 2 and isinstance(args[1], Const) else None
    if any(fn is known for known in _CHOOSING) and type(count) is int and count > 0:
        return _iterator((found,) * count)
    return None


def _iterator(element: Any) -> Type:
    return Type("opaque", element=Contents(element))


_NUMBERS = {float: REAL, np.float64: REAL, int: INTEGER, np.int64: INTEGER, bool: BOOLEAN}
_PLAIN = frozenset(_NUMBERS.values())
_DEPTH = 5  # how deep lists in lists are looked into
_MOST = 8  # rows of no more elements have the kind of each by its place


def data_contents(data: Any) -> Contents | None:
    """Return what a list or tuple of a program's data holds.

    It is asked at each call, so that it goes through long data column by column.

    Returns:
        The kind of its elements: numbers, arrays of one rank, rows of these; None for what is
        empty, no list or tuple, or holds nothing that is known.
    """
    if type(data) not in (list, tuple) or not data:
        return None
    element = _common_type(data, _DEPTH)
    return None if element == UNKNOWN else Contents(element, is_list=type(data) is list)


def contents_of_keys(table: Any) -> Contents | None:
    """Return what the keys of a dict are."""
    return data_contents(list(table)) if type(table) is dict else None


def contents_of_values(table: Any) -> Contents | None:
    """Return what the values of a dict are."""
    return data_contents(list(table.values())) if type(table) is dict else None


def contents_of_items(table: Any) -> Contents | None:
    """Return what the pairs of a key and its value in a dict are."""
    return data_contents(list(table.items())) if type(table) is dict else None


def contents_of_records(data: Any) -> Parts | None:
    """Return what each of several objects in a list holds.

    It is asked at each call, so that it goes through the list attribute by attribute.

    Returns:
        The types of the numbers, arrays and texts in them; None where they are of several
        classes or forms, or hold anything else.
    """
    if type(data) is not list or len({type(record) for record in data}) != 1:
        return None
    form = form_of(data[0])
    if not isinstance(form, Attributes) or isinstance(form, NamedTuple):
        return None
    rows = list(map(held_by, data))
    if any([*row] != [*form.names] for row in rows):
        return None
    columns = [[row[name] for row in rows] for name in form.names]
    found = [_common_type(column, 0) for column in columns]
    if UNKNOWN in found:
        return None
    kinds = map(_with_lengths, found, columns)
    return Parts.of(form, kinds)


_SHORT = 4  # the lengths of arrays in objects that are part of what is known of them


def _with_lengths(found: Type, column: Sequence[Any]) -> Type:
    """Return the type of arrays with their lengths, where these are few and the same in each."""
    if found.kind != "array":
        return found
    first, *others = {np.shape(array) for array in column}
    if others or max(first, default=0) > _SHORT:
        return found
    return replace(found, shape=first)


_rank_and_dtype = operator.attrgetter("ndim", "dtype")


def _common_type(several: Sequence[Any], depth: int) -> Type:
    """What is known of each of several elements."""
    kinds = set(map(type, several))
    if len(kinds) > 1:
        apart = ([part for part in several if type(part) is cls] for cls in kinds)
        return functools.reduce(_join, sorted((_common_type(p, depth) for p in apart), key=repr))
    (cls,) = kinds
    if cls in _NUMBERS:
        return _NUMBERS[cls]
    if cls is np.ndarray:
        found = {_type_of_array(*each) for each in set(map(_rank_and_dtype, several))}
        return functools.reduce(_join, sorted(found, key=repr))
    if cls in (tuple, list, dict) and depth:
        return _common_rows(cls, several, depth - 1)
    return OPAQUE if issubclass(cls, str) else UNKNOWN


def _type_of_array(rank: int, dtype: np.dtype) -> Type:
    if dtype.kind not in "iub" and dtype != np.float64:
        return UNKNOWN
    return Type("array", (None,) * rank, "i" if dtype.kind == "u" else dtype.kind)


def _common_rows(cls: type, rows: Sequence[Any], depth: int) -> Type:
    """What is known of each of several tuples, lists or dicts."""
    keys: Any = None
    if cls is dict:
        keys, rows = set(map(tuple, rows)), [tuple(row.values()) for row in rows]
        if not all(isinstance(key, str) for each in keys for key in each):
            return UNKNOWN
        keys = keys.pop() if len(keys) == 1 else ()
    counts = set(map(len, rows))
    if 0 in counts or (cls is dict and max(counts) > _MOST):
        return UNKNOWN
    parts = None
    if len(counts) == 1 and max(counts) <= _MOST and keys != ():
        parts = tuple(_common_type(column, depth) for column in zip(*rows, strict=True))
        element = functools.reduce(_join, parts)
    else:
        element = _common_type([*itertools.chain.from_iterable(rows)], depth)
    if parts is not None and cls is list and {*parts} == {element} and element in _PLAIN:
        parts = None  # of which the next one may have more
    if element == UNKNOWN and (parts is None or {*parts} == {UNKNOWN}):
        return UNKNOWN
    alike = () if parts is None else _alike_axes([*zip(*rows, strict=True)])
    return Type("opaque", element=Contents(element, parts, keys, cls is list, alike))


def _alike_axes(columns: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """Which axes of the arrays in rows are as long in each row."""
    lengths: list[Any] = []
    for column in columns:
        arrays = [part for part in column if type(part) is np.ndarray]
        shapes = [array.shape for array in arrays]
        if arrays and (len(arrays) < len(column) or len(set(map(len, shapes))) > 1):
            return ()
        lengths += zip(*shapes, strict=True)
    return _alike(lengths)


def _alike(lengths: Sequence[Any]) -> tuple[int, ...]:
    """For each of some lengths, the place of the first one that is equal."""
    return tuple(map(lengths.index, lengths))


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
        element, is_list = _join(held.element, other.element), held.is_list and other.is_list
        made = Contents(element, parts, keys, is_list, alike)
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
