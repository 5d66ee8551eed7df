"""Sparse matrices of SciPy's on a tape: what is made of recorded values is recorded.

A recorded matrix is SciPy's own, with numbers, beside its entries as one recorded
array. What only moves entries (a constructor, a slice, blocks, another format) is done
by SciPy on a matrix that holds the number of each entry, and tells which went where.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import LOCKED, known_memory, seen
from srcgrad.tape.operators import FIRST, get_item
from srcgrad.tape.recording import Box, flat, mapped, raw
from srcgrad.tape.rewriting import HELPERS
from srcgrad.tape.session import state
from srcgrad.tape.trees import STANDING

_WAY_OUT = "read .data, use @, +, -, .multiply, .T, slices and spsolve, or .toarray() before it"


def library() -> Any:
    """Return ``scipy.sparse``."""
    return import_module("scipy.sparse")


def holds(tree: Any) -> bool:
    """Tell whether there is a box or a recorded matrix in nested tuples, lists and dicts."""
    return has_box(tree) or any(type(part) is Matrix for part in flat(tree))


def refused(what: str) -> MissingFormulaError:
    """Return the error for what is not done with recorded matrices."""
    return MissingFormulaError(
        f"{what} of a sparse matrix that is differentiated",
        why="Its numbers depend on what is being differentiated.",
        fixes=[_WAY_OUT],
    )


# How matrices are made


def constructed(fn: Any, args: Any, options: Any) -> Any:
    """Make a matrix in one of SciPy's formats."""
    first, *rest = args or (options.pop("arg1"),)
    options |= dict(zip(("shape", "dtype", "copy"), rest, strict=False))
    kept = {name: value for name, value in options.items() if name != "dtype"}
    plain = fn(mapped(without, first), **options)
    if isinstance(first, tuple) and plain.format == "dia" and holds(first):
        values, offsets = first
        return moved(lambda tree: fn((tree, offsets), **kept), values, plain)
    if isinstance(first, tuple) and len(first) == 2 and isinstance(first[1], tuple | list):
        values, (rows, cols) = first  # entries of one place are summed
        return Matrix(plain, np.array(rows), np.array(cols), call(np.array, values))
    if isinstance(first, tuple):
        if not holds(first):
            coo = plain.tocoo()
            return Matrix(plain, coo.row, coo.col, coo.data)
        values, *places = first
        return moved(lambda tree: fn((tree, *places), **kept), values, plain)
    return moved(lambda tree: fn(tree, **kept), first, plain)


def without(part: Any) -> Any:
    """Return a matrix or a number without what is recorded."""
    return part.plain if type(part) is Matrix else raw(part)


def moved(move: Any, things: Any, plain: Any = None) -> Any:
    """Return a matrix whose entries are those of others, in other places.

    Args:
        move: makes a sparse matrix of things like those given.
        things: numbers, arrays and matrices, in lists and tuples.
        plain: the matrix with its numbers, where that is known.

    Raises:
        MissingFormulaError: when its entries are not those of the things given.
    """
    parts: list[Any] = []
    count = 0

    def numbered(part: Any) -> Any:
        nonlocal count
        if part is None:
            return None
        if type(part) is not Matrix and library().issparse(part):
            part = as_recorded(part)
        if type(part) is Matrix:
            part = part.summed()
            parts.append(part.entries)
            before, count = count, count + len(part.rows)
            places = part.rows, part.cols
            numbers = np.arange(before + 1.0, count + 1.0)
            old = isinstance(part.plain, library().spmatrix)
            kind = library().coo_matrix if old else library().coo_array
            return kind((numbers, places), part.shape).asformat(part.format)
        size = int(np.size(raw(part)))
        parts.append(call(np.reshape, part, (-1,)))
        before, count = count, count + size
        numbers = np.arange(before + 1.0, count + 1.0)
        return numbers.reshape(np.shape(raw(part))) if np.ndim(raw(part)) else numbers[0]

    # a list of numbers is an array
    things = mapped(lambda part: part, things)
    found = move(mapped(numbered, things))
    plain = move(mapped(without, things)) if plain is None else plain
    coo = found.tocoo()
    keep = coo.data != 0
    whole = np.round(coo.data[keep]).astype(int) - 1
    if len(whole) and not (whole.min() >= 0 and whole.max() < count):
        raise refused("this operation")
    data = get_item(call(np.concatenate, parts), whole)
    return Matrix(plain, coo.row[keep], coo.col[keep], data)


def as_recorded(plain: Any) -> Matrix:
    """Return a matrix of SciPy's as a recorded one; its entries may be differentiated."""
    if plain.ndim != 2:
        raise refused("one axis")
    coo = plain.tocoo(copy=False)
    data = seen(plain.data) if isinstance(plain.data, np.ndarray) else plain.data
    if type(data) is not Box:
        return Matrix(plain, coo.row, coo.col, coo.data)
    if coo.data.shape != data.array.shape or not np.may_share_memory(coo.data, data.array):
        raise refused("writing to .data")
    return Matrix(plain, coo.row, coo.col, call(np.array, data))


def sparse_seen(value: Any) -> Any:
    """Return a matrix of SciPy's as a recorded one where its entries are differentiated."""
    if not library().issparse(value) or type(value) is Matrix:
        return value
    data = value.data if hasattr(value, "data") else None
    return as_recorded(value) if type(seen(data)) is Box else value


# Matrices


class Matrix:
    """A sparse matrix whose entries are recorded.

    Args:
        plain: the matrix of SciPy's, with numbers.
        rows: for each entry its row.
        cols: for each entry its column.
        entries: the entries; those of one place are summed.

    Raises:
        MissingFormulaError: when the entries are not those of SciPy's matrix.
    """

    __array_ufunc__ = None  # so that arrays leave their operators to it
    __class__ = property(lambda self: type(self.plain))  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __init__(self, plain: Any, rows: Any, cols: Any, entries: Any) -> None:
        self.plain, self.rows, self.cols = plain, rows, cols
        self._entries, self._stored = entries, _stored_by(plain)
        sparse = library()
        own = sparse.coo_array((raw(entries), (rows, cols)), plain.shape).tocsr()
        off = abs(own - sparse.csr_array(plain))
        size = abs(own).max() if own.nnz else 0.0
        if off.nnz and not off.max() <= 1e-9 * size:
            if np.isfinite(raw(entries)).all():
                raise refused("this operation")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("plain", "rows", "cols", "_entries", "_stored"):
            raise refused(f"setting .{name}")
        object.__setattr__(self, name, value)

    @property
    def entries(self) -> Any:
        """The entries, which nobody has written to since the matrix was made."""
        if self._stored != _stored_by(self.plain):
            raise refused("writing to the numbers")
        return self._entries

    @property
    def data(self) -> Any:
        """The numbers that SciPy stores, in its order, to be read."""
        stored = self.plain.tocoo(copy=False)
        if self.plain.format not in ("csr", "csc", "coo"):
            raise refused(f".data in the format {self.plain.format}")
        wanted = stored.row.astype(np.int64) * self.shape[1] + stored.col
        own = self.summed()
        places = own.rows.astype(np.int64) * self.shape[1] + own.cols
        order = np.argsort(places)
        found = np.searchsorted(places[order], wanted)
        index = order[np.minimum(found, len(order) - 1)] if len(order) else found
        if len(np.unique(wanted)) < len(wanted):  # single terms of what is summed
            own, index = self, np.arange(len(wanted))
        if len(index) and (index.max() >= len(own.rows) or np.any(_apart(own, stored, index))):
            raise refused(".data")
        made = get_item(own.entries, index)
        if type(made) is Box:
            made.memory = LOCKED  # who writes into it means the matrix
        else:
            made.flags.writeable = False
        return made

    @property
    def shape(self) -> Any:
        """The numbers of rows and columns."""
        return self.plain.shape

    @property
    def format(self) -> Any:
        """How SciPy stores it."""
        return self.plain.format

    def __getattr__(self, name: str) -> Any:
        if name in _STRUCTURE:
            return getattr(self.plain, name)
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _ENTRY_BY_ENTRY:
            return lambda: self._each(name)
        if name in _TIDYING:
            return lambda: self._tidied(name)
        raise refused(f".{name}")

    def _tidied(self, name: str) -> None:
        assert self.entries is self._entries
        getattr(self.plain, name)()
        self._stored = _stored_by(self.plain)

    def _each(self, name: str) -> Matrix:
        """Return the matrix with a function of each entry, 0 for 0."""
        own = self.summed()
        return Matrix(
            getattr(self.plain, name)(), own.rows, own.cols, call(getattr(np, name), own.entries)
        )

    def summed(self) -> Matrix:
        """Return the matrix with one entry for each place."""
        flat_places = self.rows.astype(np.int64) * self.shape[1] + self.cols
        places, which = np.unique(flat_places, return_inverse=True)
        if len(places) == len(flat_places):
            return self
        data = scattered(self.entries, which, (len(places),))
        return Matrix(self.plain, places // self.shape[1], places % self.shape[1], data)

    def _like(self, plain: Any, data: Any) -> Matrix:
        return Matrix(plain, self.rows, self.cols, data)

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """Return the matrix as an array."""
        if out is not None:
            raise refused(".toarray with out=")
        return scattered(self.entries, (self.rows, self.cols), self.shape)

    @property
    def T(self) -> Matrix:
        """The matrix with rows and columns exchanged."""
        return self.transpose()

    def transpose(self, axes: Any = None, copy: bool = False) -> Matrix:
        """Exchange rows and columns."""
        return Matrix(self.plain.T, self.cols, self.rows, self.entries)

    def asformat(self, format: Any, copy: bool = False) -> Matrix:  # noqa: A002
        """Return the matrix, stored in another way."""
        return self._like(self.plain.asformat(format, copy=copy), self.entries)

    def tocsr(self, copy: bool = False) -> Matrix:
        """Return the matrix, stored by rows."""
        return self.asformat("csr", copy)

    def tocsc(self, copy: bool = False) -> Matrix:
        """Return the matrix, stored by columns."""
        return self.asformat("csc", copy)

    def tocoo(self, copy: bool = True) -> Matrix:
        """Return the matrix, stored as entries with their places."""
        return self.asformat("coo", copy)

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Matrix:
        """Return the matrix, stored in blocks."""
        return self._like(self.plain.tobsr(blocksize, copy), self.entries)

    def tolil(self, copy: bool = False) -> Matrix:
        """Return the matrix, stored so that entries can be set."""
        return self.asformat("lil", copy)

    def copy(self) -> Matrix:
        """Return another matrix with the same entries."""
        return self._like(self.plain.copy(), self.entries)

    def diagonal(self, k: int = 0) -> Any:
        """Return the entries of a diagonal."""
        on = self.cols - self.rows == k
        places = self.rows[on] + min(k, 0)
        shape = self.plain.diagonal(k).shape
        return scattered(get_item(self.entries, on), places, shape)

    def trace(self, offset: int = 0) -> Any:
        """Return the sum of a diagonal."""
        return call(np.sum, self.diagonal(offset))

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of the entries; along an axis for sparse arrays only."""
        if axis is None:
            return call(np.sum, self.entries)
        if isinstance(self.plain, library().spmatrix):
            raise MissingFormulaError(
                "sum along an axis of a sparse matrix, which gives an np.matrix",
                fixes=["multiply with np.ones, or use a sparse array such as csr_array"],
            )
        return call(np.sum, self.toarray(), axis=axis)

    def multiply(self, other: Any) -> Matrix:
        """Multiply entry by entry."""
        plain = self.plain.multiply(without(other))
        if type(other) is Matrix or library().issparse(other):
            other = other.toarray()
        if not library().issparse(plain) or plain.shape != self.shape:
            raise refused(".multiply with this operand")
        factors = call(np.broadcast_to, other, self.shape)
        return self._like(plain, self.entries * get_item(factors, (self.rows, self.cols)))

    def dot(self, other: Any) -> Any:
        """Multiply with an array, a matrix or a number."""
        return self * other if np.ndim(without(other)) == 0 else self @ other

    def __matmul__(self, other: Any) -> Any:
        if type(other) is Matrix or library().issparse(other):
            return _product(self, other)
        columns = np.ndim(raw(other)) == 2
        data = call(np.reshape, self.entries, (-1, 1)) if columns else self.entries
        terms = data * get_item(other, self.cols)
        return scattered(terms, self.rows, (self.shape[0], *np.shape(raw(other))[1:]))

    def __rmatmul__(self, other: Any) -> Any:
        if library().issparse(other):
            return _product(as_recorded(other), self)
        return call(np.transpose, self.T @ call(np.transpose, other))

    def __mul__(self, other: Any) -> Any:
        if np.ndim(without(other)) == 0 and not is_matrix(other):
            return self._like(self.plain * raw(other), self.entries * other)
        if isinstance(self.plain, library().spmatrix):
            return self @ other
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(without(other)) == 0 and not is_matrix(other):
            return self * other
        if isinstance(self.plain, library().spmatrix):
            return self.__rmatmul__(other)
        return self.multiply(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(without(other)) or is_matrix(other):
            raise refused("division by an array")
        return self._like(self.plain / raw(other), self.entries / other)

    def __neg__(self) -> Matrix:
        return self._like(-self.plain, -self.entries)

    def __add__(self, other: Any) -> Any:
        return _sum_of(self, other)

    def __radd__(self, other: Any) -> Any:
        return _sum_of(self, other)

    def __sub__(self, other: Any) -> Any:
        return _sum_of(self, -other)

    def __rsub__(self, other: Any) -> Any:
        return _sum_of(-self, other)

    def power(self, n: Any, dtype: Any = None) -> Matrix:
        """Return the matrix with powers of each entry."""
        own = self.summed()
        return Matrix(self.plain.power(n), own.rows, own.cols, own.entries**n)

    def __pow__(self, other: Any) -> Any:
        if not isinstance(self.plain, library().spmatrix):
            return self.power(other)
        if type(other) is not int or other < 1:
            raise refused("this power")
        made = self
        for _ in range(other - 1):
            made = made @ self
        return made

    def __abs__(self) -> Matrix:
        own = self.summed()
        return Matrix(abs(self.plain), own.rows, own.cols, abs(own.entries))

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Write a diagonal."""
        plain = self.plain.copy()
        plain.setdiag(raw(values), k)

        def write(parts: Any) -> Any:
            whole = parts[0].tolil()
            whole.setdiag(parts[1], k)
            return whole

        self._become(moved(write, [self, values], plain))

    def reshape(self, *shape: Any, **options: Any) -> Matrix:
        """Return the matrix with the same entries in another shape."""
        return moved(lambda part: part.reshape(*shape, **options), self)

    def getrow(self, i: int) -> Matrix:
        """Return a row."""
        return self[i : i + 1, :]

    def getcol(self, j: int) -> Matrix:
        """Return a column."""
        return self[:, j : j + 1]

    def conj(self, copy: bool = True) -> Matrix:
        """Return the conjugate entries."""
        return self._like(self.plain.conj(), call(np.conjugate, self.entries))

    conjugate = conj

    def mean(self, axis: Any = None) -> Any:
        """Return the mean of the entries, those that are 0 among them."""
        count = np.prod(self.shape) if axis is None else self.shape[axis]
        return self.sum(axis) / count

    def __imul__(self, other: Any) -> Any:
        return self._become(self * other)

    def __itruediv__(self, other: Any) -> Any:
        return self._become(self / other)

    def __len__(self) -> int:
        return len(self.plain)

    def __bool__(self) -> bool:
        return bool(self.plain)

    def __getitem__(self, key: Any) -> Any:
        key = mapped(raw, key)
        plain = self.plain[key]
        if library().issparse(plain):
            return moved(lambda part: part.asformat(self.format)[key], self, plain)
        found = get_item(self.toarray(), key)
        if np.shape(raw(found)) != np.shape(plain):
            raise refused("this index")
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_matrix(value):
            raise refused("setting a part to a sparse matrix")
        plain = self.plain.copy()
        plain[key] = raw(value)

        def write(parts: Any) -> Any:
            whole = parts[0].tolil()
            whole[key] = parts[1]
            return whole

        self._become(moved(write, [self, value], plain))

    def _become(self, other: Matrix) -> Matrix:
        """Hold what another matrix holds."""
        self.plain, self.rows, self.cols = other.plain, other.rows, other.cols
        self._entries, self._stored = other._entries, other._stored
        return self


_ENTRY_BY_ENTRY = frozenset(
    {"arcsin", "arcsinh", "arctan", "arctanh", "deg2rad", "expm1", "log1p", "rad2deg", "sin"}
    | {"sinh", "sqrt", "tan", "tanh"}
)
_TIDYING = frozenset({"eliminate_zeros", "sort_indices", "sum_duplicates"})
_STRUCTURE = frozenset(
    {"blocksize", "dtype", "getformat", "get_shape", "getnnz", "has_canonical_format"}
    | {"has_sorted_indices", "indices", "indptr", "ndim", "nnz", "nonzero", "offsets", "size"}
)


def _stored_by(plain: Any) -> Any:
    """The numbers that SciPy stores, and how often a recorded step has written to them."""
    data = getattr(plain, "data", None)
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "fc":
        return None
    memory = known_memory(state.session, data) if state.session is not None else None
    return data.tobytes(), 0 if memory is None else memory.version


def _apart(own: Matrix, stored: Any, index: Any) -> Any:
    """Where entries stand in another place than those that SciPy stores."""
    return (own.rows[index] != stored.row) | (own.cols[index] != stored.col)


def is_matrix(value: Any) -> bool:
    """Tell whether a value is a sparse matrix, recorded or not."""
    return type(value) is Matrix or bool(library().issparse(value))


def scattered(values: Any, places: Any, shape: Any) -> Any:
    """Return an array of zeros with values added in some places."""
    found = call(np.zeros, shape, np.result_type(raw(values)))
    call(np.add.at, found, places, values)
    return call(np.array, found)


def _sum_of(one: Matrix, other: Any) -> Any:
    if not is_matrix(other):
        if np.ndim(raw(other)) == 0 and raw(other) == 0:
            return one
        if isinstance(one.plain, library().spmatrix):
            raise refused("the sum with an array, which is an np.matrix,")
        return one.toarray() + other
    other = other if type(other) is Matrix else as_recorded(other)
    data = call(np.concatenate, [one.entries, other.entries])
    rows = np.concatenate([one.rows, other.rows])
    return Matrix(one.plain + other.plain, rows, np.concatenate([one.cols, other.cols]), data)


def _product(one: Matrix, other: Any) -> Matrix:
    """Return the product of two matrices: for each entry of one, those of a row of the other."""
    other = other if type(other) is Matrix else as_recorded(other)
    order = np.argsort(other.rows, kind="stable")
    counts = np.bincount(other.rows, minlength=other.shape[0])
    begins = np.cumsum(counts) - counts
    each = counts[one.cols]
    left = np.repeat(np.arange(len(one.cols)), each)
    within = np.arange(len(left)) - np.repeat(np.cumsum(each) - each, each)
    right = order[np.repeat(begins[one.cols], each) + within]
    data = get_item(one.entries, left) * get_item(other.entries, right)
    return Matrix(one.plain @ other.plain, one.rows[left], other.cols[right], data)


def kron(one: Any, other: Any, format: Any = None) -> Matrix:  # noqa: A002
    """Return the product of each entry of one matrix with each of another, in blocks."""
    plain = library().kron(without(one), without(other), format=format)
    one, other = map(_sparse, (one, other))
    height, width = other.shape
    rows = (one.rows[:, None] * height + other.rows).reshape(-1)
    cols = (one.cols[:, None] * width + other.cols).reshape(-1)
    entries = call(np.ravel, call(np.multiply.outer, one.entries, other.entries))
    return Matrix(plain, rows, cols, entries)


def _sparse(part: Any) -> Matrix:
    if type(part) is Matrix:
        return part
    if library().issparse(part):
        return as_recorded(part)
    kind = library().coo_array
    return constructed(kind, (part,), {}) if has_box(part) else as_recorded(kind(part))


def _plain(matrix: Matrix) -> Any:
    """Return what the program would hold in the place of a recorded matrix."""
    return matrix.plain


STANDING[Matrix] = _plain
FIRST.add(Matrix)
HELPERS |= {"is_sparse_matrix": is_matrix, "as_sparse": as_recorded, "sparse_seen": sparse_seen}
