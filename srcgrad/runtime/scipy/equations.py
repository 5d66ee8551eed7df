"""Equations that SciPy solves, in Python, which is differentiated as the user's is.

What a compiled solver found is a constant to start from. Each step of Newton's method from a
solution doubles the order up to which its derivatives are right (Griewank and Walther,
"Evaluating Derivatives", chapter 15): three steps give seven orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.interpolate import PPoly

from srcgrad.errors import MissingFormulaError

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


def null_space_start(a: Any, options: Any) -> Any:
    """Return ``scipy.linalg.null_space(a)`` as a constant."""
    return linalg.null_space(a, **options)


def null_space(
    A: Any,  # noqa: N803 - SciPy's name
    rcond: Any = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """Return what ``scipy.linalg.null_space`` gives, where that is one direction.

    The direction goes with the projector onto the null space, ``I - pinv(A) @ A`` (G. Golub and
    V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems",
    1973).

    Args:
        A: the matrix.
        rcond: what counts as 0.
        overwrite_a: whether ``A`` may be written.
        check_finite: whether nan and inf are an error.
        lapack_driver: how the directions are found.
    """
    options = {"rcond": rcond, "check_finite": check_finite, "lapack_driver": lapack_driver}
    v = null_space_start(A, options)
    if np.shape(v)[1] == 0:
        return v
    if np.shape(v)[1] > 1:
        raise MissingFormulaError(
            "no formula for null_space of more than one direction",
            why="Its basis may be turned, and how it turns is not told by the matrix.",
            fixes=["use the projector onto it, np.eye(n) - np.linalg.pinv(A) @ A"],
        )
    if np.iscomplexobj(A):
        raise MissingFormulaError(
            "no formula for null_space of complex matrices",
            fixes=["use the projector onto it, np.eye(n) - np.linalg.pinv(A) @ A"],
        )
    A = np.asarray(A)  # noqa: N806
    kept = v - np.linalg.pinv(A) @ (A @ v)
    return kept / np.linalg.norm(kept)


def roots_start(c: Any, x: Any, y: Any, discontinuity: Any, extrapolate: Any) -> Any:
    """Return where polynomials in pieces have a value, and whether each place is a root.

    Where they jump over the value at an end of a piece, the place is constant.
    """
    curve = PPoly(c, x)
    found = curve.solve(y, discontinuity, extrapolate)
    if np.any(np.isnan(found)):
        raise MissingFormulaError(
            "no formula for the roots of a piece that is constant", fixes=["leave it out"]
        )
    size = np.sum(np.abs(c), axis=0).max(initial=0.0) + abs(y)
    return found, np.abs(curve(found, extrapolate=True) - y) <= 1e-6 * size


def pieces_solve(
    self: Any, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None
) -> Any:
    """Return what ``PPoly.solve`` gives: where polynomials in pieces have a value.

    Args:
        self: the polynomials.
        y: the value.
        discontinuity: whether jumps over the value count.
        extrapolate: whether the first and the last piece go on beyond their ends.
    """
    if np.ndim(self.c) > 2:
        raise MissingFormulaError(
            "no formula for the roots of several splines at once", fixes=["solve one by one"]
        )
    beyond = self.extrapolate if extrapolate is None else extrapolate
    place, is_root = roots_start(self.c, self.x, y, discontinuity, beyond)
    for _ in range(_STEPS):
        step = (self(place, extrapolate=True) - y) / np.where(is_root, self(place, 1, True), 1.0)
        place = np.where(is_root, place - step, place)
    return place


def pieces_roots(self: Any, discontinuity: Any = True, extrapolate: Any = None) -> Any:
    """Return what ``PPoly.roots`` gives; see ``pieces_solve``."""
    return pieces_solve(self, 0.0, discontinuity, extrapolate)
