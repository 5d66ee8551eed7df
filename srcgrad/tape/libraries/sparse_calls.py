"""Calls that make or take sparse matrices of SciPy's on a tape."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from srcgrad.tape.calls import call, recorded
from srcgrad.tape.formulas import missing
from srcgrad.tape.libraries import sparse, sparse_equations, sparse_operators
from srcgrad.tape.libraries.sparse import Matrix, refused
from srcgrad.tape.libraries.sparse_operators import Operator
from srcgrad.tape.recording import flat, mapped, unboxed
from srcgrad.tape.session import Session

_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
_WRITTEN = ("dok", "lil")  # formats that are made to be written to
_MOVING = frozenset(
    {"block_array", "block_diag", "bmat", "diags", "diags_array", "hstack", "spdiags"}
    | {"tril", "triu", "vstack"}
)


def is_sparse(fn: Any) -> bool:
    """Tell whether a function makes or takes sparse matrices of SciPy's."""
    if type(getattr(fn, "__self__", None)).__name__ == "SuperLU":
        return True
    module = getattr(fn, "__module__", None)
    return isinstance(module, str) and module.startswith("scipy.sparse")


def run(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that makes or takes sparse matrices."""
    name = getattr(fn, "__name__", "")
    if session.active:
        args, options = mapped(sparse.sparse_seen, args), mapped(sparse.sparse_seen, options)
    holder = getattr(fn, "__self__", None)
    if holder is not None:
        return _method(session, fn, holder, name, args, options)
    holds = sparse.holds((args, options))
    if isinstance(fn, type) and name[:3] in _FORMATS and (holds or name[:3] in _WRITTEN):
        return sparse.constructed(fn, args, options)
    if name == "aslinearoperator":
        return sparse_operators.of_matrix(args[0])
    if name == "LinearOperator" and isinstance(fn, type):
        return Operator(*args, **options)
    if any(type(part) is Operator for part in flat((args, options))):
        if name in sparse_equations.ITERATIONS:
            return sparse_equations.iteration(fn, args, options)
        return sparse_operators.run_plainly(fn, args, options, holds)
    if not holds:
        return fn(*args, **options)
    matrices = [part for part in flat((args, options)) if type(part) is Matrix]
    if name in sparse_equations.ITERATIONS:
        return sparse_equations.iteration(fn, args, options)
    if name in ("spsolve", "spsolve_triangular") and matrices:
        return sparse_equations.solution(session, fn, args, options)
    if name in ("splu", "factorized") and matrices:
        return sparse_equations.factors(fn, args[0], unboxed(args[1:]), unboxed(options))
    if name in ("eigsh", "svds"):
        return sparse_equations.spectrum(fn, args, options)
    if fn.__module__.startswith("scipy.sparse.linalg") and not matrices:
        return recorded(session, fn, args, options)
    if name in ("expm", "inv", "expm_multiply") and matrices and len(args) <= 2 and not options:
        return sparse_equations.function_of_matrix(fn, *args)
    if name in ("issparse", "isspmatrix") and matrices:
        return fn(args[0].plain)
    if name == "kron":
        return sparse.kron(*args, **options)
    if name == "kronsum":
        return _sum_of_products(*args, **options)
    if name == "norm" and matrices and len(args) == 1 and not options:
        entries = args[0].summed().entries
        return call(np.sqrt, call(np.sum, abs(entries) ** 2))
    if name in _MOVING:
        first = next(iter(inspect.signature(fn).parameters))
        given = inspect.signature(fn).bind(*args, **options).arguments
        things = given.pop(first)
        options = given.pop("kwargs", {}) | given
        return sparse.moved(lambda tree, **kind: fn(tree, **options, **kind), things)
    raise refused(f"scipy.sparse's {name}") if matrices else missing(fn)


def _sum_of_products(one: Any, other: Any, format: Any = None) -> Any:  # noqa: A002
    """Return the Kronecker sum of two square matrices."""
    eye = sparse.library().eye
    first = sparse.kron(eye(other.shape[0]), one, format)
    return (first + sparse.kron(other, eye(one.shape[0]), format)).asformat(format)


def _method(session: Session, fn: Any, holder: Any, name: str, args: Any, options: Any) -> Any:
    """Call a method of a matrix of SciPy's, or of what was made of one."""
    holder = sparse.sparse_seen(holder)
    holds = sparse.holds((args, options))
    if type(holder) is Matrix or (holds and sparse.is_matrix(holder)):
        matrix = holder if type(holder) is Matrix else sparse.as_recorded(holder)
        return getattr(matrix, name)(*args, **options)
    if not holds:
        return fn(*args, **options)
    if type(holder).__name__ == "SuperLU" and name == "solve":
        return sparse_equations.solve_with_constants(fn, args, options)
    if isinstance(fn, functools.partial):
        return call(fn.func, *fn.args, *args, **{**fn.keywords, **options})
    raise missing(fn)


HANDLERS = {"is_sparse": is_sparse, "of_sparse": run}
