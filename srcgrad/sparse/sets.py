"""Sets of inputs, and arrays that hold a set for each of their entries.

A set is a number, and an array of sets is an array of numbers: what only moves entries about
is done to it as to any array. New sets are made by unions alone. They are kept as the rows of
a sparse matrix are, one after the other; one input by itself needs no room.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from srcgrad.errors import ArgumentError

EMPTY = 0
ALL = 1
_FIRST = 2  # the set of the first input alone
_SMALL = 1000  # with fewer inputs, a set is never widened
_ROOM = 2**30  # how many members all sets may have


class Sets:
    """The sets of inputs that were met.

    A set with more than half of many inputs is widened to that of all, for the unions with
    it would be as large again.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._members = np.empty(0, np.int32 if count < 2**31 else np.int64)
        self._ends = np.zeros(1, np.int64)  # where the members of each made set end
        self._made = 0
        self._used = 0
        self._widest = count // 2 if count > _SMALL else count - 1

    def singles(self, shape: tuple[int, ...], start: int) -> np.ndarray:
        """Return an array with a set of one input in each entry."""
        ids = np.arange(start, start + int(np.prod(shape)), dtype=np.int64) + _FIRST
        return np.where(self.count == 1, ALL, ids).reshape(shape)

    def union(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return the unions of the sets in two arrays, which broadcast."""
        if a is b:
            return a
        a, b = np.broadcast_arrays(a, b)
        low, high = np.minimum(a, b), np.maximum(a, b)
        found = np.where(low == EMPTY, high, np.where(low == ALL, ALL, low))
        apart = (low > ALL) & (low != high)
        if not apart.any():
            return found
        pairs = np.stack((low[apart], high[apart]), axis=-1)
        if len(pairs) > 1:
            keys, place = np.unique(pairs[:, 0] * self._limit() + pairs[:, 1], return_inverse=True)
            pairs = np.stack(np.divmod(keys, self._limit()), axis=-1)
        else:
            place = np.zeros(1, np.int64)
        groups = np.repeat(np.arange(len(pairs)), 2)
        found[apart] = self._united(groups, pairs.ravel(), len(pairs))[place]
        return found

    def unions(self, groups: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
        """Return the union of the sets of each group."""
        there = ids != EMPTY
        keys = np.unique(groups[there].astype(np.int64) * self._limit() + ids[there])
        groups, ids = np.divmod(keys, self._limit())
        found = np.zeros(count, np.int64)
        found[groups] = ids  # the only one of its group, or the last
        whole = np.zeros(count, bool)
        whole[groups[ids == ALL]] = True
        found[whole] = ALL
        several = (np.bincount(groups, minlength=count) > 1) & ~whole
        if several.any():
            chosen = several[groups]
            number = np.cumsum(several) - 1
            made = self._united(number[groups[chosen]], ids[chosen], int(several.sum()))
            found[several] = made
        return found

    def sizes(self, ids: np.ndarray) -> np.ndarray:
        """Return how many inputs are in each set."""
        made = ids - (_FIRST + self.count)
        place = np.clip(made, 0, max(self._made - 1, 0))
        if self._made:
            counts = self._ends[place + 1] - self._ends[place]
        else:
            counts = np.zeros_like(ids)
        small = np.where(ids == EMPTY, 0, np.where(ids == ALL, self.count, 1))
        return np.where(made >= 0, counts, small)

    def matrix(self, ids: np.ndarray) -> sparse.csr_array:
        """Return a matrix of truth values: a row for each set, a column for each input."""
        counts = self.sizes(ids)
        starts = np.concatenate(([0], np.cumsum(counts)))
        _require_room(int(starts[-1]))
        shape = (len(ids), self.count)
        return sparse.csr_array((np.ones(starts[-1], bool), self._gathered(ids), starts), shape)

    def _limit(self) -> int:
        return _FIRST + self.count + self._made

    def _gathered(self, ids: np.ndarray) -> np.ndarray:
        """Return the members of sets, one set after the other."""
        counts = self.sizes(ids)
        total = int(counts.sum())
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        made = np.repeat(ids - (_FIRST + self.count), counts)
        members = np.where(np.repeat(ids, counts) == ALL, within, made + self.count)
        if self._made:
            place = np.clip(made, 0, None)
            stored = self._members[np.minimum(self._ends[place] + within, max(self._used - 1, 0))]
            members = np.where(made >= 0, stored, members)
        return members.astype(self._members.dtype)

    def _united(self, groups: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
        """Return new sets, the unions of two or more different sets for each group."""
        counts = self.sizes(ids)
        _require_room(int(counts.sum()))
        rows, columns = np.repeat(groups, counts), self._gathered(ids)
        table = sparse.coo_array((np.ones(len(rows), bool), (rows, columns)), (count, self.count))
        table = table.tocsr()
        sizes = np.diff(table.indptr)
        wide = sizes > self._widest
        found = np.cumsum(~wide) - 1 + self._limit()
        kept = table[~wide] if wide.any() else table
        self._store(kept.indices, kept.indptr[1:])
        return np.where(wide, ALL, found)

    def _store(self, members: np.ndarray, ends: np.ndarray) -> None:
        used, made = self._used + len(members), self._made + len(ends)
        _require_room(used)
        self._members = _grown(self._members, used)
        self._ends = _grown(self._ends, made + 1)
        self._members[self._used : used] = members
        self._ends[self._made + 1 : made + 1] = self._used + ends
        self._used, self._made = used, made


def _grown(array: np.ndarray, size: int) -> np.ndarray:
    """Return an array with room for so many entries."""
    if len(array) >= size:
        return array
    grown = np.zeros(max(size, len(array) + len(array) // 2), array.dtype)
    grown[: len(array)] = array
    return grown


def _require_room(entries: int) -> None:
    if entries > _ROOM:
        raise ArgumentError(
            f"the pattern of the derivative has more than {_ROOM} entries on the way: "
            "it is not sparse",
            fixes=["use jacobian or hvp without sparse=", "take what couples all entries apart"],
        )
