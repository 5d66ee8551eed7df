"""Linear equations with sparse matrices on a tape: factors, and iterations.

A solution x of A x = b is that of a step of refinement from itself: x + S(b - A x), where S
solves with the numbers of A. Each step gives derivatives of one more order.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.registry import formula
from srcgrad.tape.calls import call
from srcgrad.tape.libraries.solving import exact
from srcgrad.tape.libraries.sparse import Matrix, as_recorded, constructed, is_matrix, refused
from srcgrad.tape.libraries.sparse_operators import Operator, Plain
from srcgrad.tape.recording import Box, raw, unboxed
from srcgrad.tape.session import Session, state

ITERATIONS = frozenset(
    {"bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"}
)


def _library() -> Any:
    return import_module("scipy.sparse.linalg")


def _turned(trans: str) -> str:
    return "T" if trans == "N" else "N"


def solve_with(b: Any, *, factors: Any, trans: str) -> Any:
    """Solve linear equations whose matrix has been factored."""
    return factors.solve(b, trans)


@formula(solve_with)
def _solve_with(b, *, factors, trans):
    """X = the solution of A x = b, or of A.T x = b."""
    x = solve_with(b, factors=factors, trans=trans)
    return x, lambda x_bar: solve_with(x_bar, factors=factors, trans=_turned(trans))


def _solving(factors: Any, trans: str = "N") -> Any:
    return lambda b: call(solve_with, b, factors=factors, trans=trans)


def _refined(matrix: Any, b: Any, found: Any, solve: Any) -> Any:
    """Return a solution that was found as a function of the matrix and the right-hand side."""
    made = found
    session = state.session
    for _ in session.tapes if session is not None else ():
        made = made + solve(b - matrix @ made)
    return exact(made, found)


def solution(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Solve linear equations: ``spsolve`` and ``spsolve_triangular``."""
    matrix, b, *rest = args if len(args) > 1 else (args[0], options.pop("b"))
    if is_matrix(b):
        raise refused("a right-hand side")
    matrix = matrix if type(matrix) is Matrix else as_recorded(matrix)
    flat = np.ndim(raw(b)) == 1 or np.shape(raw(b))[1] == 1
    b = call(np.reshape, b, (-1,)) if flat and fn.__name__ == "spsolve" else b
    found = fn(matrix.plain, raw(b), *unboxed(rest), **unboxed(options))
    factors = _library().splu(matrix.plain.tocsc())
    return _refined(
        matrix, b, found, lambda rest: call(solve_with, rest, factors=factors, trans="N")
    )


class Factors:
    """What ``splu`` and ``factorized`` give of a matrix.

    Args:
        matrix: the matrix, recorded.
        plain: its factors.
    """

    def __init__(self, matrix: Matrix, plain: Any) -> None:
        self.matrix = matrix
        self.plain = plain
        self.shape = matrix.shape

    def __getattr__(self, name: str) -> Any:
        if name in ("nnz", "perm_c", "perm_r"):
            return getattr(self.plain, name)
        raise refused(f"splu(...).{name}")

    def solve(self, b: Any, trans: str = "N") -> Any:
        """Solve linear equations with the matrix, or with its transpose."""
        if trans not in ("N", "T"):
            raise refused(f"splu(...).solve(b, {trans!r})")
        found = self.plain.solve(np.asarray(raw(b)), trans)
        matrix = self.matrix if trans == "N" else self.matrix.T
        return _refined(
            matrix, b, found, lambda rest: call(solve_with, rest, factors=self.plain, trans=trans)
        )


def factors(fn: Any, matrix: Matrix, rest: Any, options: Any) -> Any:
    """Factor a matrix."""
    if fn.__name__ == "factorized":
        return Factors(matrix, _library().splu(matrix.plain.tocsc())).solve
    return Factors(matrix, fn(matrix.plain, *rest, **options))


def solve_with_constants(fn: Any, args: Any, options: Any) -> Any:
    """Solve with factors of a matrix that is constant: ``SuperLU.solve``."""
    b, trans = (*args, "N")[:2] if "trans" not in options else (args[0], options["trans"])
    if trans not in ("N", "T"):
        raise refused(f"splu(...).solve(b, {trans!r})")
    return call(solve_with, b, factors=fn.__self__, trans=trans)


def iteration(fn: Any, args: Any, options: Any) -> Any:
    """Solve linear equations by an iteration, such as ``cg`` and ``gmres``."""
    given = dict(zip(("A", "b"), args, strict=False)) | options
    matrix, b = given.pop("A"), given.pop("b")
    linalg, plain = _library(), Plain()
    if isinstance(matrix, linalg.LinearOperator) and type(matrix) is not Operator:
        raise MissingFormulaError(
            f"scipy.sparse's {fn.__name__} with an operator of a class of its own",
            why="What it is given depends on what is being differentiated.",
            fixes=["make it by LinearOperator(shape, matvec)", "pass the matrix itself"],
        )
    number = matrix.plain if type(matrix) is Matrix else plain(matrix)
    b = call(np.reshape, b, (-1,))  # SciPy takes a column as a vector
    found, info = fn(number, raw(b), *plain(args[2:]), **plain(given))
    if info != 0:
        raise MissingFormulaError(
            f"scipy.sparse's {fn.__name__} with an iteration that has not come to its end",
            why="What it is given depends on what is being differentiated.",
            fixes=["allow for more iterations, or use spsolve"],
        )
    matrix = as_recorded(matrix) if is_matrix(matrix) and type(matrix) is not Matrix else matrix
    if type(matrix) is Matrix:
        lu = linalg.splu(matrix.plain.tocsc())
        made = _refined(
            matrix, b, found, lambda rest: call(solve_with, rest, factors=lu, trans="N")
        )
    else:
        if type(matrix) is Operator:
            columns = [number.matvec(unit) for unit in np.eye(matrix.shape[1])]
            number = np.stack(columns, axis=1)
        made = _refined(matrix, b, found, lambda rest: call(np.linalg.solve, number, rest))
    return made, info


def function_of_matrix(fn: Any, matrix: Any, vectors: Any = None) -> Any:
    """Return ``expm``, ``inv`` or ``expm_multiply`` of a matrix, by those of dense ones."""
    if type(matrix) is not Matrix:
        raise refused(f"scipy.sparse's {fn.__name__}")
    dense = import_module("numpy.linalg" if fn.__name__ == "inv" else "scipy.linalg")
    made = call(dense.inv if fn.__name__ == "inv" else dense.expm, matrix.toarray())
    if vectors is not None:
        return call(np.matmul, made, vectors)
    return constructed(type(fn(matrix.plain)), (made,), {})


def spectrum(fn: Any, args: Any, options: Any) -> Any:
    """Return eigenvalues or singular values, and vectors: ``eigsh`` and ``svds``.

    They are those of the dense matrix that are next to what SciPy found.
    """
    matrix, *rest = args
    which = f"scipy.sparse's {fn.__name__}"
    sparse = type(matrix) is Matrix
    shape = () if type(matrix) not in (Matrix, Box) else matrix.shape
    if len(shape) != 2 or options.get("M") is not None or len(rest) > 1:
        raise refused(f"{which} with these options")
    number = matrix.plain if sparse else raw(matrix)
    dense_matrix = matrix.toarray() if sparse else matrix
    if fn.__name__ == "eigsh" and abs(number - number.conj().T).max() > 1e-12 * abs(number).max():
        raise refused(f"{which} of a matrix that is not symmetric")
    found = fn(number, *unboxed(rest), **unboxed(options))
    if fn.__name__ == "svds":
        if not isinstance(found, tuple):
            values, vectors = found, ()
        elif None in [part if part is None else 0 for part in found]:
            raise refused(f"{which} with vectors of one side")
        else:
            values, vectors = found[1], (found[0], found[2].T)
        left, dense, right = call(np.linalg.svd, dense_matrix, full_matrices=False)
        sides = (left, right.T)
    else:
        values, *vectors = found if isinstance(found, tuple) else (found,)
        dense, right = call(np.linalg.eigh, (dense_matrix + call(np.conj, dense_matrix).T) / 2)
        sides = (right,)
    apart = np.abs(np.subtract.outer(values, raw(dense)))
    places = [int(k) for k in np.argmin(apart, axis=1)]
    between = np.abs(np.subtract.outer(raw(dense)[places], raw(dense)))
    near = between <= 1e-9 * np.max(np.abs(raw(dense)), initial=0.0)
    if np.sum(near) > len(places):
        raise refused(f"{which} with values that are repeated")
    if not np.allclose(values, raw(dense)[places], rtol=1e-4, atol=1e-6 * np.max(np.abs(values))):
        raise refused(f"{which} with values that are none of it")
    made = exact(dense[places], values)
    if not vectors:
        return made
    columns = []
    for side, own in zip(sides, vectors, strict=True):
        signs = np.sign(np.sum(raw(side)[:, places] * own, axis=0))
        columns.append(exact(side[:, places] * signs, own))
    return (made, *columns) if fn.__name__ == "eigsh" else (columns[0], made, columns[1].T)
