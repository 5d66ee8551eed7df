"""Linear operators of SciPy's on a tape: matrices that are known by what they do to vectors.

``LinearOperator`` hands what its functions give to NumPy, where a derivative would be lost.
On a tape an operator of the same shape stands in its place; SciPy's own searches are given one
of numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call
from srcgrad.tape.operators import BINARY, FIRST, get_item
from srcgrad.tape.recording import Box, mapped, raw
from srcgrad.tape.trees import STANDING

_times = BINARY["matmul"]


class Operator:
    """A linear operator, whose functions are recorded.

    Args:
        shape: the numbers of rows and columns.
        matvec: multiplies it with a vector.
        rmatvec: multiplies its adjoint with a vector.
        matmat: multiplies it with a matrix.
        dtype: of its numbers.
        rmatmat: multiplies its adjoint with a matrix.
    """

    __array_ufunc__ = None  # so that arrays leave their operators to it
    __class__ = property(lambda self: linear_operator())  # type: ignore[assignment]
    __hash__ = object.__hash__
    ndim = 2

    def __init__(
        self,
        shape: Any,
        matvec: Any,
        rmatvec: Any = None,
        matmat: Any = None,
        dtype: Any = None,
        rmatmat: Any = None,
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(float if dtype is None else dtype)
        self._own = matvec, matmat
        self._adjoint = rmatvec, rmatmat

    @property
    def has_adjoint(self) -> bool:
        """Whether its adjoint is known."""
        return self._adjoint[0] is not None

    def matvec(self, x: Any) -> Any:
        """Multiply with a vector."""
        found = call(self._own[0], x)
        rows = self.shape[0]
        return call(np.reshape, found, (rows, 1) if np.ndim(raw(x)) == 2 else (rows,))

    def rmatvec(self, x: Any) -> Any:
        """Multiply the adjoint with a vector."""
        return self.H.matvec(x)

    def matmat(self, x: Any) -> Any:
        """Multiply with a matrix, column by column unless it is known how."""
        if self._own[1] is not None:
            return call(self._own[1], x)
        columns = [self.matvec(get_item(x, (slice(None), j))) for j in range(np.shape(raw(x))[1])]
        return call(np.stack, columns, axis=1)

    def rmatmat(self, x: Any) -> Any:
        """Multiply the adjoint with a matrix."""
        return self.H.matmat(x)

    def dot(self, other: Any) -> Any:
        """Multiply with an operator, a number, a vector or a matrix."""
        if type(other) is Operator:
            return _product(self, other)
        if np.ndim(raw(other)) == 0:
            return _scaled(self, other)
        return self.matvec(other) if np.ndim(raw(other)) == 1 else self.matmat(other)

    __call__ = __mul__ = dot

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def __rmul__(self, other: Any) -> Any:
        return _scaled(self, other)

    def __neg__(self) -> Operator:
        return _scaled(self, -1)

    def __add__(self, other: Any) -> Any:
        return _sum(self, other) if type(other) is Operator else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return _sum(self, -other) if type(other) is Operator else NotImplemented

    def __pow__(self, power: int) -> Operator:
        made = identity(self.shape[0])
        for _ in range(power):
            made = _product(self, made)
        return made

    @property
    def H(self) -> Operator:
        """The adjoint."""
        if not self.has_adjoint:
            raise NotImplementedError("rmatvec is not defined")
        shape = self.shape[::-1]
        return Operator(shape, self._adjoint[0], *self._own, self.dtype, self._adjoint[1])

    adjoint = H.fget

    @property
    def T(self) -> Operator:
        """The transpose."""
        adjoint = self.H

        def turned(one: Operator) -> Callable[[Any], Any]:
            return lambda x: call(np.conj, one.matvec(call(np.conj, x)))

        return Operator(adjoint.shape, turned(adjoint), turned(self), dtype=self.dtype)

    transpose = T.fget


def linear_operator() -> Any:
    """Return SciPy's class."""
    return import_module("scipy.sparse.linalg").LinearOperator


def identity(count: int) -> Operator:
    """Return the operator that changes nothing."""
    return Operator((count, count), lambda x: x, lambda x: x)


def _product(one: Operator, other: Operator) -> Operator:
    return Operator(
        (one.shape[0], other.shape[1]),
        lambda x: one.matvec(other.matvec(x)),
        lambda x: other.rmatvec(one.rmatvec(x)),
        dtype=np.result_type(one.dtype, other.dtype),
    )


def _scaled(one: Operator, factor: Any) -> Operator:
    return Operator(
        one.shape,
        lambda x: call(np.multiply, factor, one.matvec(x)),
        lambda x: call(np.multiply, call(np.conj, factor), one.rmatvec(x)),
        dtype=one.dtype,
    )


def _sum(one: Operator, other: Operator) -> Operator:
    return Operator(
        one.shape,
        lambda x: call(np.add, one.matvec(x), other.matvec(x)),
        lambda x: call(np.add, one.rmatvec(x), other.rmatvec(x)),
        dtype=np.result_type(one.dtype, other.dtype),
    )


def of_matrix(matrix: Any) -> Operator:
    """Return the operator of a matrix: ``aslinearoperator``."""
    if isinstance(matrix, linear_operator()):
        return matrix
    shape, dtype = matrix.shape, getattr(raw(matrix), "dtype", None)

    def adjoint(x: Any) -> Any:
        return call(np.conj, _times(matrix.T, call(np.conj, x)))

    return Operator(shape, lambda x: _times(matrix, x), adjoint, dtype=dtype)


class Plain:
    """Makes operators of numbers, for SciPy's own searches.

    Attributes:
        moves: whether what one of them has given is differentiated.
    """

    def __init__(self) -> None:
        self.moves = False

    def __call__(self, tree: Any) -> Any:
        """Return arguments without boxes, and with SciPy's operators."""
        return mapped(lambda p: self.of(p) if type(p) is Operator else raw(p), tree)

    def of(self, one: Operator) -> Any:
        """Return SciPy's operator of one."""

        def number(run: Any) -> Callable[[Any], Any]:
            def numbers(x: Any) -> Any:
                found = run(x)
                self.moves = self.moves or type(found) is Box
                return raw(found)

            return numbers

        adjoint = number(one.rmatvec) if one.has_adjoint else None
        return linear_operator()(one.shape, number(one.matvec), adjoint, dtype=one.dtype)


def run_plainly(fn: Any, args: Any, options: Any, holds: bool) -> Any:
    """Call a function that takes operators, where nothing that it gives is differentiated.

    Raises:
        MissingFormulaError: where something is.
    """
    plain = Plain()
    found = fn(*plain(args), **plain(options))
    if holds or plain.moves:
        raise MissingFormulaError(
            f"scipy.sparse's {fn.__name__} with a LinearOperator",
            why="What it is given depends on what is being differentiated.",
            fixes=["use cg, gmres or another iteration, or a function of matrices"],
        )
    return found


FIRST.add(Operator)
STANDING[Operator] = lambda one: Plain().of(one)
