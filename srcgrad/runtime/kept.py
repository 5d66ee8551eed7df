"""The values kept for a backward function: are they still what the forward part left?

The forward part of `vjp` hands its residuals to the backward part, and whatever the user's
code does meanwhile runs in between. An argument, the result or a global array that is kept
may be written there, and the cotangents would be those of another point.

What nobody else can reach needs no check, and most residuals are of that kind. CPython tells
which: an array that has no more references than those that the residuals hold is theirs alone.
Of the others a fingerprint is taken: the bytes themselves where they are few, a checksum
(CRC-32) where they are many.
"""

from __future__ import annotations

import itertools
import operator
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.program.namespaces import read_name

FEW = 1 << 16  # bytes; up to here, copying them costs less than a checksum of them
ATOMS = frozenset(
    {float, int, bool, complex, str, bytes, type(None), range, slice, type(...), np.float64}
)
_CONTAINERS = frozenset({tuple, list, dict})
_references = getattr(sys, "getrefcount", None)


def _is_array(thing: Any) -> bool:
    return isinstance(getattr(thing, "shape", None), tuple) and hasattr(thing, "dtype")


def _has_contents(thing: Any) -> bool:
    """Whether a value can change and stay the same object."""
    if isinstance(thing, np.generic):
        return False
    return type(thing) in _CONTAINERS or _is_array(thing)


def _count_apart(sentinel: Any) -> int:
    """The references to an object that looking at it adds, beside those of its holders."""
    assert _references is not None
    held = [sentinel]
    for thing in held:
        return _references(thing) - 2  # the caller's, and that of the list
    return 0


def _parts(thing: Any) -> Any:
    return thing.values() if type(thing) is dict else thing


def _lone(box: tuple[Any, ...]) -> int:
    """The references to what one container holds, and a list of its parts."""
    return max(map(_references, list(box))) if _references is not None else -1


_LONE = _lone((object(),))


class _Census:
    """The arrays and containers below a tuple that somebody else may reach.

    What obviously nobody else holds is left out at once; of the others, how often
    the residuals themselves hold them is counted.
    """

    def __init__(self, residuals: tuple[Any, ...]) -> None:
        self.things: dict[int, Any] = {}
        self.held: dict[int, int] = {}
        queue: list[Any] = [residuals]
        while queue:
            for part in self.suspects(queue.pop()):
                key = id(part)
                if key in self.held:
                    self.held[key] += 1
                    continue
                if type(part) in _CONTAINERS:
                    queue.append(part)
                elif not _has_contents(part):
                    continue
                self.held[key] = 1
                self.things[key] = part

    def suspects(self, container: Any) -> list[Any]:
        """The parts of a container without numbers and arrays that nobody else holds."""
        parts = list(_parts(container))
        kinds = set(map(type, parts))
        if _references is None:
            return [p for p in parts if type(p) not in ATOMS]
        if kinds == {tuple} and max(map(_references, parts)) <= _LONE:  # one for each iteration
            parts = list(itertools.chain.from_iterable(parts))
            kinds = set(map(type, parts))
        if kinds <= ATOMS:
            return []
        counts = list(map(_references, parts))
        return [
            p
            for p, count in zip(parts, counts, strict=True)
            if type(p) not in ATOMS
            and not (count <= _LONE and type(p) is np.ndarray and p.base is None)
        ]

    def reachable(self) -> list[Any]:
        """The arrays and containers that somebody else can reach."""
        if _references is None:  # no CPython
            return list(self.things.values())
        apart = _count_apart(object())
        views: dict[int, int] = {}
        owners: dict[int, Any] = {}
        for thing in self.things.values():
            base = getattr(thing, "base", None)
            if base is not None:
                views[id(base)] = views.get(id(base), 0) + 1
                owners[id(base)] = base
        thing = base = None
        foreign = set()
        for table in (self.things, owners):
            for thing in table.values():
                key = id(thing)
                mine = self.held.get(key, 0) + views.get(key, 0)
                # the tables that hold it are references too
                tables = (key in self.things) + (key in owners)
                if _references(thing) - apart - tables > mine:
                    foreign.add(key)
        found: dict[int, Any] = {}
        queue = []
        for key, thing in self.things.items():
            base = getattr(thing, "base", None)
            of_foreign = base is not None and (id(base) in foreign or not _is_array(base))
            if key in foreign or of_foreign:
                queue.append(thing)
        while queue:
            thing = queue.pop()
            if id(thing) not in found:
                found[id(thing)] = thing
                if type(thing) in _CONTAINERS:
                    queue += [p for p in _parts(thing) if id(p) in self.things]
        for key, thing in self.things.items():  # a view of what is found, and what it is a view of
            base = getattr(thing, "base", None)
            if base is not None and id(base) in found:
                found[key] = thing
        return list(found.values())


def fingerprint(thing: Any) -> Any:
    """What tells whether an array, or a container, is still the same.

    Args:
        thing: an array of any kind, or a tuple, list or dict.

    Returns:
        A value that compares equal as long as nothing was written. For an array of more
        than `FEW` bytes it is a checksum: of the writes that change more than four bytes
        in a row, one in four billion goes unseen.
    """
    if type(thing) in _CONTAINERS:
        return _Parts(tuple(thing), tuple(_parts(thing)))
    if hasattr(thing, "__dask_tokenize__"):
        return thing.__dask_tokenize__()  # its numbers are not there yet; a write renames it
    if not isinstance(thing, np.ndarray):
        return _Copy(thing) if _has_contents(thing) else None  # what nobody can write into
    if thing.dtype.hasobject or thing.nbytes <= FEW:
        return thing.shape, thing.tobytes()
    for layout in (thing, thing.T):
        if layout.flags.c_contiguous:
            return thing.shape, zlib.crc32(layout.view(np.ndarray).reshape(-1).view(np.uint8))  # pyright: ignore[reportArgumentType]
    checksum = 0
    for row in thing:
        checksum = zlib.crc32(np.ascontiguousarray(row).reshape(-1).view(np.uint8), checksum)  # pyright: ignore[reportArgumentType]
    return thing.shape, checksum


class _Parts:
    """The fingerprint of a container: the very objects in it."""

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.rows = rows

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Parts)
        pairs = zip(self.rows, other.rows, strict=True)
        return all(len(a) == len(b) and all(map(operator.is_, a, b)) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]


class _Copy:
    """The fingerprint of an array of another library: a copy, compared where it lives."""

    def __init__(self, thing: Any) -> None:
        self.copy = thing.copy()

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Copy)
        mine, its = self.copy, other.copy
        if mine.shape != its.shape:
            return False
        if hasattr(mine, "tocoo"):  # a sparse matrix
            pairs = zip(_entries(mine), _entries(its), strict=True)
            return all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
        same = (mine == its) | ((mine != mine) & (its != its))  # NaN is what differs from itself
        return bool(same.all())

    __hash__ = None  # type: ignore[assignment]


def _entries(matrix: Any) -> tuple[Any, ...]:
    """The entries of a sparse matrix, and where they stand."""
    coo = matrix.tocoo()
    return coo.data, coo.row, coo.col


class Kept:
    """What is to be watched between a forward part and its backward part.

    Args:
        residuals: what the forward part handed over.
        names: (namespace, name) of the globals and cells that the backward part reads.
    """

    def __init__(self, residuals: tuple[Any, ...], names: Sequence[tuple[Any, str]]) -> None:
        self.residuals = residuals
        self.watched = [(thing, fingerprint(thing)) for thing in _Census(residuals).reachable()]
        self.names = []
        for namespace, name in names:
            value = read_name(namespace, name)
            self.names.append((namespace, name, value, fingerprint(value)))

    def changed(self) -> Iterator[tuple[int, ...] | str]:
        """What was written meanwhile: its paths from the residuals, or its name outside."""
        for thing, known in self.watched:
            if fingerprint(thing) != known:
                yield from _paths(self.residuals, thing) or [()]
        for namespace, name, value, known in self.names:
            if known is None:
                if read_name(namespace, name) is not value:
                    yield name
            elif fingerprint(read_name(namespace, name)) != known:
                yield name

    def arrays(self) -> list[Any]:
        """The arrays among what is watched."""
        things = [row[0] for row in self.watched] + [row[2] for row in self.names]
        return [thing for thing in things if isinstance(thing, np.ndarray)]


def _paths(whole: Any, thing: Any) -> list[tuple[int, ...]]:
    """Where a thing is found in nested containers: it may be read in one place, and not in another.

    Of a list, which has something of each iteration, one element stands for all that hold it in
    the same way.
    """
    if whole is thing:
        return [()]
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    if type(whole) in _CONTAINERS:
        for k, part in enumerate(_parts(whole)):
            for rest in _paths(part, thing):
                found.setdefault(rest if type(whole) is list else (k, *rest), (k, *rest))
    return list(found.values())


_locked: dict[int, tuple[Any, int]] = {}


def lock(arrays: list[Any], others: list[Any]) -> list[Any]:
    """Make arrays read-only, and all those at hand that share memory with them.

    Args:
        arrays: what nobody is to write.
        others: arrays that may be views of the same memory.

    Returns:
        What to give to `unlock`.
    """
    mine = list(arrays)
    mine += [x for x in others if any(np.may_share_memory(x, a) for a in arrays)]
    chain: dict[int, Any] = {}
    for array in mine:
        while isinstance(array, np.ndarray):
            chain[id(array)] = array
            array = array.base
    made = []
    for key, array in chain.items():
        _, count = _locked.get(key, (array, 0))
        if count or array.flags.writeable:
            _locked[key] = (array, count + 1)
            array.flags.writeable = False
            made.append(array)
    return made


def unlock(arrays: list[Any]) -> None:
    """Undo `lock`, where nobody else has locked the same array."""
    for array in sorted(arrays, key=_depth):  # the owner of the memory first, then its views
        _, count = _locked.pop(id(array))
        if count > 1:
            _locked[id(array)] = (array, count - 1)
        else:
            array.flags.writeable = True


def _depth(array: Any) -> int:
    return 0 if not isinstance(array.base, np.ndarray) else 1 + _depth(array.base)
