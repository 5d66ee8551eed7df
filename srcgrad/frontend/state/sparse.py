"""Sparse matrices: constants that products with arrays are taken of.

An operator means something else for a sparse matrix than for an array, so types tell
them apart, and only products with arrays are differentiated.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Value, is_active
from srcgrad.ir.types import SPARSE, Type
from srcgrad.library.attributes import plainly

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder

PRODUCTS = (operator.matmul, np.matmul, np.dot)
_DENSE = {  # methods that give arrays or numbers
    "argmax", "argmin", "count_nonzero", "diagonal", "dot", "getnnz", "item", "max",
    "mean", "min", "nonzero", "sum", "toarray", "todense", "trace",
}  # fmt: skip

_ALIKE = {  # methods that give a sparse matrix with as many dimensions
    "astype", "conj", "copy", "multiply", "power", "sorted_indices", "tobsr", "tocoo", "tocsc",
    "tocsr", "todia", "todok", "tolil", "transpose",
}  # fmt: skip
_MATRICES = {  # functions that give a sparse matrix with two dimensions
    "block_array", "block_diag", "bmat", "diags", "diags_array", "eye", "eye_array", "hstack",
    "identity", "kron", "kronsum", "spdiags", "tril", "triu", "vstack",
}  # fmt: skip
UNKNOWN = Type("numeric", None, "?")


def is_sparse(value: Value) -> bool:
    """Whether a value is known to be a sparse matrix."""
    return type_of(value).element is SPARSE


def as_sparse(type_: Type) -> Type:
    """The type of a sparse matrix with the shape of an array."""
    return replace(type_, element=SPARSE) if type_.is_number and not type_.is_scalar else type_


def gives_array(fn: Any, args: tuple[Value, ...]) -> bool:
    """Whether a call with sparse matrices gives an array: a product, or a solution, for arrays."""
    solves = (plainly(fn, "__module__") or "").startswith("scipy.sparse.linalg")
    return (solves or fn in PRODUCTS) and not all(map(is_sparse, args))


def type_of_method(name: str, receiver: Value) -> Type:
    """The type of what a method of a sparse matrix gives."""
    if name in _DENSE:
        return UNKNOWN
    rank = type_of(receiver).ndim if name in _ALIKE else None
    return as_sparse(UNKNOWN if rank is None else Type("array", (None,) * rank, "?"))


def type_of_made(fn: Any, type_: Type) -> Type:
    """The type of what a function gives that may make sparse matrices."""
    module, name = plainly(fn, "__module__") or "", plainly(fn, "__name__", "")
    if not module.startswith("scipy.sparse") or module.startswith("scipy.sparse.linalg"):
        return type_
    two = name in _MATRICES or name.endswith("_matrix")
    return as_sparse(Type("array", (None, None), "?") if two else UNKNOWN)


def require_product(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse what is done with a sparse matrix and active values, but for products."""
    if not any(map(is_sparse, args)) or not any(map(is_active, args)):
        return
    bound = b.style[0] == "method" and is_sparse(args[0])
    if fn not in PRODUCTS or (fn is np.dot and not bound):
        raise b.refuse(
            node,
            "a sparse matrix in this operation",
            "use @ for a product, or .toarray()",
            "Only products of sparse matrices and arrays are differentiated.",
        )
