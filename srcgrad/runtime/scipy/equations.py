"""Equations that SciPy solves, in Python, which is differentiated as the user's is.

What a compiled solver found is a constant to start from. Each step of Newton's method from a
solution doubles the order up to which its derivatives are right (Griewank and Walther,
"Evaluating Derivatives", chapter 15): three steps give seven orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

_STEPS = 3


def least_squares(
    a: Any,
    b: Any,
    cond: Any = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: Any = None,
) -> Any:
    """Return what ``scipy.linalg.lstsq`` gives.

    Args:
        a: the matrix.
        b: the right-hand side, a vector or columns.
        cond: singular values below this times the largest one count as 0.
        overwrite_a: whether ``a`` may be written to, which it is not.
        overwrite_b: whether ``b`` may be.
        check_finite: whether nan and inf are an error.
        lapack_driver: which algorithm finds the solution.
    """
    return np.linalg.lstsq(a, b, rcond=cond)


def toeplitz_solution(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """Return what ``scipy.linalg.solve_toeplitz`` gives.

    Args:
        c_or_cr: the first column, or the first column and the first row.
        b: the right-hand side, a vector or columns.
        check_finite: whether nan and inf are an error.
    """
    column, row = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, np.conj(c_or_cr))
    return np.linalg.solve(linalg.toeplitz(column, row), b)


def continuous_riccati_start(a: Any, b: Any, q: Any, r: Any) -> Any:
    """Return ``scipy.linalg.solve_continuous_are(a, b, q, r)`` as a constant."""
    return linalg.solve_continuous_are(a, b, q, r)


def continuous_riccati(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """Return what ``scipy.linalg.solve_continuous_are`` gives.

    Newton's method solves a Lyapunov equation of the closed loop in each step (D. Kleinman,
    "On an iterative technique for Riccati equation computations", 1968).

    Args:
        a: how the state changes.
        b: what the inputs do.
        q: the cost of the state.
        r: that of the inputs.
        e: None.
        s: None.
        balanced: how the first solution is found.

    Raises:
        NotImplementedError: for ``e`` or ``s``.
    """
    if e is not None or s is not None:
        raise NotImplementedError("no formula for solve_continuous_are with e= or s=")
    x = continuous_riccati_start(a, b, q, r)
    for _ in range(_STEPS):
        gain = np.linalg.solve(r, b.T @ x)
        x = linalg.solve_continuous_lyapunov((a - b @ gain).T, -(q + gain.T @ r @ gain))
    return x


def discrete_riccati_start(a: Any, b: Any, q: Any, r: Any) -> Any:
    """Return ``scipy.linalg.solve_discrete_are(a, b, q, r)`` as a constant."""
    return linalg.solve_discrete_are(a, b, q, r)


def discrete_riccati(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """Return what ``scipy.linalg.solve_discrete_are`` gives.

    As for ``continuous_riccati`` (G. Hewer, "An iterative technique for the computation of the
    steady state gains for the discrete optimal regulator", 1971).

    Args:
        a: how the state changes.
        b: what the inputs do.
        q: the cost of the state.
        r: that of the inputs.
        e: None.
        s: None.
        balanced: how the first solution is found.

    Raises:
        NotImplementedError: for ``e`` or ``s``.
    """
    if e is not None or s is not None:
        raise NotImplementedError("no formula for solve_discrete_are with e= or s=")
    x = discrete_riccati_start(a, b, q, r)
    for _ in range(_STEPS):
        gain = np.linalg.solve(r + b.T @ x @ b, b.T @ x @ a)
        x = discrete_lyapunov((a - b @ gain).T, q + gain.T @ r @ gain)
    return x


def discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """Return what ``scipy.linalg.solve_discrete_lyapunov`` gives.

    Args:
        a: the matrix on both sides.
        q: what is added.
        method: how SciPy finds it.
    """
    n = np.shape(a)[0]
    found = np.linalg.solve(np.eye(n * n) - np.kron(a, np.conj(a)), np.reshape(q, (-1,)))
    return np.reshape(found, (n, n))
