"""Where a Jacobian or a Hessian may have entries that are not zero, and its colourings."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.errors import ArgumentError
from srcgrad.sparse.colouring import column_colours, star_colours


@dataclass(frozen=True, eq=False)
class Sparsity:
    """The pattern of a Jacobian or a Hessian. Whoever reuses it colours once.

    Attributes:
        matrix: a sparse matrix of truth values, with a row for each entry of the result and a
            column for each of the argument, both flattened; its entries are those of the
            derivative that need not be zero. ``scipy.optimize.least_squares`` and
            ``scipy.integrate.solve_ivp`` take it as ``jac_sparsity``.
        unknown: the names of the functions of which no structure is known: each entry of
            their results counts as depending on all that they were given.
        checked: whether a derivative that is computed with it is compared with one more
            product, along a vector of random numbers.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacobian
        >>> pattern = jacobian(lambda x: np.diff(x) ** 2, sparse=True).pattern(np.ones(4))
        >>> pattern.matrix.toarray().astype(int).tolist()
        [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
        >>> pattern.columns.tolist()
        [0, 1, 0, 1]
    """

    matrix: Any  # a csr_array: SciPy says of none that its shape is known
    unknown: tuple[str, ...] = ()
    checked: bool = True

    @functools.cached_property
    def columns(self) -> np.ndarray:
        """A colour for each column: columns of one colour share one ``jvp``."""
        return column_colours(self.matrix.tocsc())

    @functools.cached_property
    def rows(self) -> np.ndarray:
        """A colour for each row: rows of one colour share one ``vjp``."""
        return column_colours(self.matrix.T.tocsc())

    @functools.cached_property
    def star(self) -> np.ndarray:
        """A colour for each row of a Hessian: those of one colour share one product."""
        return star_colours(self.matrix)

    def unchecked(self) -> Sparsity:
        """Return the same pattern, for derivatives that are not compared with a product.

        Where it lacks an entry at a later call, these are wrong, and nothing says so.
        """
        return replace(self, checked=False)

    def symmetric(self) -> Sparsity:
        """Return the pattern with the entries across the diagonal."""
        return replace(self, matrix=_tidy(self.matrix + self.matrix.T))

    def has(self, other: Sparsity) -> bool:
        """Tell whether it has all entries of another pattern."""
        return (self.matrix + other.matrix).nnz == self.matrix.nnz

    def __repr__(self) -> str:
        rows, columns = self.matrix.shape
        dense = f", dense in {', '.join(self.unknown)}" if self.unknown else ""
        return f"<Sparsity of {rows} x {columns} with {self.matrix.nnz} entries{dense}>"


def given(pattern: Any) -> Sparsity:
    """Return a pattern that a user gave: one that was found, or a matrix of SciPy's."""
    if isinstance(pattern, Sparsity):
        return pattern
    if not sparse.issparse(pattern) or pattern.ndim != 2:
        raise ArgumentError(
            f"sparse= is a {type(pattern).__name__}, and no pattern",
            fixes=["give True, what .pattern(...) returned, or a matrix of scipy.sparse"],
        )
    return Sparsity(_tidy(pattern))


def _tidy(matrix: Any) -> sparse.csr_array:
    coo = sparse.coo_array(matrix)
    there = np.ones(coo.nnz, bool)
    return sparse.csr_array(sparse.coo_array((there, coo.coords), coo.shape).tocsr())
