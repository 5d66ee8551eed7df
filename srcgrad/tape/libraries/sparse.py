"""Sparse matrices of SciPy's on a tape: what is made of recorded values is recorded.

A recorded matrix is SciPy's own, with numbers, beside its entries as one recorded
array. What only moves entries (a constructor, a slice, blocks, another format) is done
by SciPy on a matrix that holds the number of each entry, and tells which went where.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call, recorded
from srcgrad.tape.formulas import has_box, missing
from srcgrad.tape.operators import FIRST, get_item
from srcgrad.tape.recording import flat, mapped, raw
from srcgrad.tape.session import Session
from srcgrad.tape.trees import STANDING

_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
_WRITTEN = ("dok", "lil")  # formats that are made to be written to
_MOVING = frozenset(
    {"block_array", "block_diag", "bmat", "diags", "diags_array", "hstack", "spdiags"}
    | {"tril", "triu", "vstack"}
)
_WAY_OUT = "use @, +, -, .multiply, .T, slices and spsolve, or .toarray() before it"


def is_sparse(fn: Any) -> bool:
    """Tell whether a function makes or takes sparse matrices of SciPy's."""
    module = getattr(fn, "__module__", None)
    return isinstance(module, str) and module.startswith("scipy.sparse")


def _library() -> Any:
    return import_module("scipy.sparse")


def run(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that makes or takes sparse matrices."""
    name = getattr(fn, "__name__", "")
    holds = _holds((args, options))
    if isinstance(fn, type) and name[:3] in _FORMATS and (holds or name[:3] in _WRITTEN):
        return _constructed(fn, args, options)
    if not holds:
        return fn(*args, **options)
    if name == "spsolve":
        return _solution(session, fn, args, options)
    recorded_matrix = any(type(part) is Matrix for part in flat((args, options)))
    if fn.__module__.startswith("scipy.sparse.linalg") and not recorded_matrix:
        return recorded(session, fn, args, options)
    if name in ("issparse", "isspmatrix") and recorded_matrix:
        return fn(args[0].plain)
    if name in _MOVING:
        first = next(iter(inspect.signature(fn).parameters))
        given = inspect.signature(fn).bind(*args, **options).arguments
        things = given.pop(first)
        options = given.pop("kwargs", {}) | given
        return _moved(lambda tree, **kind: fn(tree, **options, **kind), things)
    raise _refused(f"scipy.sparse's {name}") if recorded_matrix else missing(fn)


def _holds(tree: Any) -> bool:
    return has_box(tree) or any(type(part) is Matrix for part in flat(tree))


def _refused(what: str) -> MissingFormulaError:
    return MissingFormulaError(
        f"{what} of a sparse matrix that is differentiated",
        why="Its numbers depend on what is being differentiated.",
        fixes=[_WAY_OUT],
    )


# How matrices are made


def _constructed(fn: Any, args: Any, options: Any) -> Any:
    first, *rest = args or (options.pop("arg1"),)
    options |= dict(zip(("shape", "dtype", "copy"), rest, strict=False))
    kept = {name: value for name, value in options.items() if name != "dtype"}
    plain = fn(mapped(_without, first), **options)
    if isinstance(first, tuple) and len(first) == 2 and isinstance(first[1], tuple | list):
        values, (rows, cols) = first  # entries of one place are summed
        return Matrix(plain, np.array(rows), np.array(cols), call(np.array, values))
    if isinstance(first, tuple):
        if not _holds(first):
            coo = plain.tocoo()
            return Matrix(plain, coo.row, coo.col, coo.data)
        values, *places = first
        return _moved(lambda tree: fn((tree, *places), **kept), values, plain)
    return _moved(lambda tree: fn(tree, **kept), first, plain)


def _without(part: Any) -> Any:
    return part.plain if type(part) is Matrix else raw(part)


def _moved(move: Any, things: Any, plain: Any = None) -> Any:
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
        if type(part) is not Matrix and _library().issparse(part):
            part = _as_recorded(part)
        if type(part) is Matrix:
            part = part.summed()
            parts.append(part.entries)
            before, count = count, count + len(part.rows)
            places = part.rows, part.cols
            numbers = np.arange(before + 1.0, count + 1.0)
            return _library().coo_array((numbers, places), part.shape).asformat(part.format)
        size = int(np.size(raw(part)))
        parts.append(call(np.reshape, part, (-1,)))
        before, count = count, count + size
        numbers = np.arange(before + 1.0, count + 1.0)
        return numbers.reshape(np.shape(raw(part))) if np.ndim(raw(part)) else numbers[0]

    # a list of numbers is an array
    things = mapped(lambda part: part, things)
    found = move(mapped(numbered, things))
    plain = move(mapped(_without, things)) if plain is None else plain
    coo = found.tocoo()
    keep = coo.data != 0
    whole = np.round(coo.data[keep]).astype(int) - 1
    if len(whole) and not (whole.min() >= 0 and whole.max() < count):
        raise _refused("this operation")
    data = get_item(call(np.concatenate, parts), whole)
    return Matrix(plain, coo.row[keep], coo.col[keep], data)


def _as_recorded(plain: Any) -> Matrix:
    coo = plain.tocoo()
    return Matrix(plain, coo.row, coo.col, coo.data)


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
        self.plain, self.rows, self.cols, self.entries = plain, rows, cols, entries
        sparse = _library()
        own = sparse.coo_array((raw(entries), (rows, cols)), plain.shape).tocsr()
        off = abs(own - sparse.csr_array(plain))
        size = abs(own).max() if own.nnz else 0.0
        if off.nnz and not off.max() <= 1e-9 * size:
            if np.isfinite(raw(entries)).all():
                raise _refused("this operation")

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
        raise _refused(f".{name}")

    def summed(self) -> Matrix:
        """Return the matrix with one entry for each place."""
        flat_places = self.rows.astype(np.int64) * self.shape[1] + self.cols
        places, which = np.unique(flat_places, return_inverse=True)
        if len(places) == len(flat_places):
            return self
        data = _scattered(self.entries, which, (len(places),))
        return Matrix(self.plain, places // self.shape[1], places % self.shape[1], data)

    def _like(self, plain: Any, data: Any) -> Matrix:
        return Matrix(plain, self.rows, self.cols, data)

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        """Return the matrix as an array."""
        if out is not None:
            raise _refused(".toarray with out=")
        return _scattered(self.entries, (self.rows, self.cols), self.shape)

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
        return _scattered(get_item(self.entries, on), places, shape)

    def trace(self, offset: int = 0) -> Any:
        """Return the sum of a diagonal."""
        return call(np.sum, self.diagonal(offset))

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of the entries; along an axis for sparse arrays only."""
        if axis is None:
            return call(np.sum, self.entries)
        if isinstance(self.plain, _library().spmatrix):
            raise MissingFormulaError(
                "sum along an axis of a sparse matrix, which gives an np.matrix",
                fixes=["multiply with np.ones, or use a sparse array such as csr_array"],
            )
        return call(np.sum, self.toarray(), axis=axis)

    def multiply(self, other: Any) -> Matrix:
        """Multiply entry by entry."""
        plain = self.plain.multiply(_without(other))
        if type(other) is Matrix or _library().issparse(other):
            other = other.toarray()
        if not _library().issparse(plain) or plain.shape != self.shape:
            raise _refused(".multiply with this operand")
        factors = call(np.broadcast_to, other, self.shape)
        return self._like(plain, self.entries * get_item(factors, (self.rows, self.cols)))

    def dot(self, other: Any) -> Any:
        """Multiply with an array, a matrix or a number."""
        return self * other if np.ndim(_without(other)) == 0 else self @ other

    def __matmul__(self, other: Any) -> Any:
        if type(other) is Matrix or _library().issparse(other):
            return _product(self, other)
        columns = np.ndim(raw(other)) == 2
        data = call(np.reshape, self.entries, (-1, 1)) if columns else self.entries
        terms = data * get_item(other, self.cols)
        return _scattered(terms, self.rows, (self.shape[0], *np.shape(raw(other))[1:]))

    def __rmatmul__(self, other: Any) -> Any:
        if _library().issparse(other):
            return _product(_as_recorded(other), self)
        return call(np.transpose, self.T @ call(np.transpose, other))

    def __mul__(self, other: Any) -> Any:
        if np.ndim(_without(other)) == 0 and not _is_matrix(other):
            return self._like(self.plain * raw(other), self.entries * other)
        if isinstance(self.plain, _library().spmatrix):
            return self @ other
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if np.ndim(_without(other)) == 0 and not _is_matrix(other):
            return self * other
        if isinstance(self.plain, _library().spmatrix):
            return self.__rmatmul__(other)
        return self.multiply(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(_without(other)) or _is_matrix(other):
            raise _refused("division by an array")
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

    def __pow__(self, other: Any) -> Any:
        raise _refused("a power")

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
        if _library().issparse(plain):
            return _moved(lambda part: part.asformat(self.format)[key], self, plain)
        found = get_item(self.toarray(), key)
        if np.shape(raw(found)) != np.shape(plain):
            raise _refused("this index")
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if _is_matrix(value):
            raise _refused("setting a part to a sparse matrix")
        plain = self.plain.copy()
        plain[key] = raw(value)

        def write(parts: Any) -> Any:
            whole = parts[0].tolil()
            whole[key] = parts[1]
            return whole

        self._become(_moved(write, [self, value], plain))

    def _become(self, other: Matrix) -> Matrix:
        """Hold what another matrix holds."""
        self.plain, self.rows, self.cols = other.plain, other.rows, other.cols
        self.entries = other.entries
        return self


_STRUCTURE = frozenset(
    {"blocksize", "dtype", "getformat", "get_shape", "getnnz", "has_canonical_format"}
    | {"has_sorted_indices", "indices", "indptr", "ndim", "nnz", "nonzero", "offsets", "size"}
)


def _is_matrix(value: Any) -> bool:
    return type(value) is Matrix or bool(_library().issparse(value))


def _scattered(values: Any, places: Any, shape: Any) -> Any:
    """Return an array of zeros with values added in some places."""
    found = call(np.zeros, shape, np.result_type(raw(values)))
    call(np.add.at, found, places, values)
    return call(np.array, found)


def _sum_of(one: Matrix, other: Any) -> Any:
    if not _is_matrix(other):
        if np.ndim(raw(other)) == 0 and raw(other) == 0:
            return one
        if isinstance(one.plain, _library().spmatrix):
            raise _refused("the sum with an array, which is an np.matrix,")
        return one.toarray() + other
    other = other if type(other) is Matrix else _as_recorded(other)
    data = call(np.concatenate, [one.entries, other.entries])
    rows = np.concatenate([one.rows, other.rows])
    return Matrix(one.plain + other.plain, rows, np.concatenate([one.cols, other.cols]), data)


def _product(one: Matrix, other: Any) -> Matrix:
    """Return the product of two matrices: for each entry of one, those of a row of the other."""
    other = other if type(other) is Matrix else _as_recorded(other)
    order = np.argsort(other.rows, kind="stable")
    counts = np.bincount(other.rows, minlength=other.shape[0])
    begins = np.cumsum(counts) - counts
    each = counts[one.cols]
    left = np.repeat(np.arange(len(one.cols)), each)
    within = np.arange(len(left)) - np.repeat(np.cumsum(each) - each, each)
    right = order[np.repeat(begins[one.cols], each) + within]
    data = get_item(one.entries, left) * get_item(other.entries, right)
    return Matrix(one.plain @ other.plain, one.rows[left], other.cols[right], data)


def _solution(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Solve linear equations; each step of refinement gives derivatives of one more order."""
    matrix, b, *rest = args if len(args) > 1 else (args[0], options.pop("b"))
    if type(matrix) is not Matrix:
        if _is_matrix(b):
            raise _refused("a right-hand side")
        return recorded(session, fn, args, options)
    if _is_matrix(b):
        raise _refused("a right-hand side")
    flat_b = np.ndim(raw(b)) == 1 or np.shape(raw(b))[1] == 1
    b = call(np.reshape, b, (-1,)) if flat_b else b
    found = fn(matrix.plain, raw(b), *rest, **options)
    for _ in session.tapes:
        found = found + call(fn, matrix.plain, b - matrix @ found, *rest, **options)
    return found


def _plain(matrix: Matrix) -> Any:
    """Return what the program would hold in the place of a recorded matrix."""
    return matrix.plain


STANDING[Matrix] = _plain
FIRST.add(Matrix)
HANDLERS = {"is_sparse": is_sparse, "of_sparse": run}
