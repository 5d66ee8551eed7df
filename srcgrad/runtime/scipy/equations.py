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
    _require_plain(e, s)
    x = continuous_riccati_start(a, b, q, r)
    for _ in range(_STEPS):
        gain = np.linalg.solve(r, np.conj(b).T @ x)
        cost = q + np.conj(gain).T @ r @ gain
        x = linalg.solve_continuous_lyapunov(np.conj(a - b @ gain).T, -cost)
    return x


def discrete_riccati_start(a: Any, b: Any, q: Any, r: Any) -> Any:
    """Return ``scipy.linalg.solve_discrete_are(a, b, q, r)`` as a constant."""
    return linalg.solve_discrete_are(a, b, q, r)


def discrete_riccati(
    a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True
) -> Any:
    """Return what ``scipy.linalg.solve_discrete_are`` gives.

    In each step a discrete Lyapunov equation is solved (G. Hewer, "An iterative technique for
    the computation of the steady state gains for the discrete optimal regulator", 1971).

    Args:
        a: see ``continuous_riccati``, as all others.
        b: what the inputs do.
        q: the cost of the state.
        r: that of the inputs.
        e: None.
        s: None.
        balanced: how the first solution is found.
    """
    _require_plain(e, s)
    x = discrete_riccati_start(a, b, q, r)
    for _ in range(_STEPS):
        back = np.conj(b).T @ x
        gain = np.linalg.solve(r + back @ b, back @ a)
        cost = q + np.conj(gain).T @ r @ gain
        x = discrete_lyapunov(np.conj(a - b @ gain).T, cost)
    return x


def _require_plain(e: Any, s: Any) -> None:
    if e is not None or s is not None:
        raise NotImplementedError("no formula for Riccati equations with e= or s=")


def discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """Return what ``scipy.linalg.solve_discrete_lyapunov`` gives.

    Small ones are one linear equation; larger ones become continuous ones by the bilinear
    transformation (Z. Gajic and M. Qureshi, "Lyapunov Matrix Equation in System Stability and
    Control", 1995).

    Args:
        a: the matrix on both sides.
        q: what is added.
        method: ``direct`` or ``bilinear``; None for what suits the size.
    """
    a, q = np.asarray(a), np.asarray(q)
    n, unit = np.shape(a)[0], np.eye(np.shape(a)[0])
    if method == "direct" or (method is None and n < 10):
        found = np.linalg.solve(np.eye(n * n) - np.kron(a, np.conj(a)), np.reshape(q, (-1,)))
        return np.reshape(found, (n, n))
    turned = np.conj(a).T
    inverse = np.linalg.inv(turned + unit)
    cost = 2 * np.linalg.inv(a + unit) @ q @ inverse
    return linalg.solve_continuous_lyapunov(np.conj((turned - unit) @ inverse).T, -cost)
