"""NumPy's polynomials as lists of coefficients, written down so that they can be differentiated.

Each function gives what the one of NumPy with the same name gives, of numbers and arrays,
and drops leading zeros where that does: how many there are counts as constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import stop_gradient


def polyadd(a1: Any, a2: Any) -> Any:
    """Return ``np.polyadd(a1, a2)``."""
    a1 = np.atleast_1d(a1)
    a2 = np.atleast_1d(a2)
    missing = a2.shape[0] - a1.shape[0]
    if missing == 0:
        return a1 + a2
    if missing > 0:
        return np.pad(a1, (missing, 0)) + a2
    return a1 + np.pad(a2, (-missing, 0))


def polysub(a1: Any, a2: Any) -> Any:
    """Return ``np.polysub(a1, a2)``."""
    return polyadd(a1, -np.atleast_1d(a2))


def polymul(a1: Any, a2: Any) -> Any:
    """Return ``np.polymul(a1, a2)``."""
    return np.convolve(without_leading_zeros(a1), without_leading_zeros(a2))


def without_leading_zeros(p: Any) -> Any:
    """Return coefficients from the first on that is not 0; the last one where all are."""
    p = np.atleast_1d(p)
    first = 0
    while first < p.shape[0] - 1 and stop_gradient(p[first]) == 0:
        first += 1
    return p[first:]


def polyder(p: Any, m: int = 1) -> Any:
    """Return ``np.polyder(p, m)``."""
    if m < 0:
        raise ValueError("the order of a derivative is negative")
    p = np.atleast_1d(p)
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return ``np.polyint(p, m, k)``."""
    if m < 0:
        raise ValueError("the order of an integral is negative")
    p = np.atleast_1d(p)
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if constants.shape[0] == 1:
        constants = np.broadcast_to(constants, m)
    if constants.shape[0] < m:
        raise ValueError("there are fewer constants than integrals")
    for j in range(m):
        p = np.concatenate((p / np.arange(p.shape[0], 0, -1), constants[j : j + 1]))
    return p


def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: Any = None,
    full: bool = False,
    w: Any = None,
    cov: Any = False,
) -> Any:
    """Return ``np.polyfit(x, y, deg, rcond, full, w, cov)``."""
    x = np.asarray(x) + 0.0
    rows = np.asarray(y) + 0.0
    columns = np.vander(x, deg + 1)
    if w is not None:
        w = np.asarray(w) + 0.0
        if w.shape != x.shape:
            raise TypeError("there is not one weight for each place")
        columns = columns * w[:, None]
        rows = rows * w if np.ndim(y) == 1 else rows * w[:, None]
    scale = np.sqrt(np.sum(columns * columns, axis=0))
    if rcond is None:
        rcond = float(x.shape[0] * np.finfo(columns.dtype).eps)
    scaled = columns / scale
    found, residuals, rank, singular = np.linalg.lstsq(scaled, rows, rcond)
    p = found / scale if np.ndim(y) == 1 else found / scale[:, None]
    if full:
        return p, residuals, rank, singular, rcond
    if cov is not False:
        base = np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)
        factor = 1.0
        if cov != "unscaled":
            if x.shape[0] <= deg + 1:
                raise ValueError("there are too few places to tell the errors from")
            factor = residuals / (x.shape[0] - deg - 1)
        return p, base * factor if np.ndim(y) == 1 else base[:, :, None] * factor
    return p


def roots(p: Any) -> Any:
    """Return ``np.roots(p)``."""
    p = np.atleast_1d(p)
    if p.ndim > 1:
        raise ValueError("the coefficients are no vector")
    places = np.nonzero(stop_gradient(p))[0]
    if places.size == 0:
        return p[:0]
    inner = p[places[0] : places[-1] + 1]
    count = inner.shape[0] - 1
    if count == 0:
        return np.zeros_like(p[places[-1] + 1 :])
    companion = np.diag(np.ones_like(inner[2:]), -1)
    companion[0] = -inner[1:] / inner[0]
    return np.pad(np.linalg.eigvals(companion), (0, p.shape[0] - 1 - places[-1]))


def poly(seq_of_zeros: Any) -> Any:
    """Return ``np.poly(seq_of_zeros)``, of real zeros.

    Raises:
        NotImplementedError: of a matrix, or of complex zeros.
    """
    if np.ndim(seq_of_zeros) > 1 or np.iscomplexobj(seq_of_zeros):
        raise NotImplementedError("no derivative of np.poly of a matrix or of complex zeros")
    zeros = np.atleast_1d(seq_of_zeros)
    p = np.ones(1, dtype=zeros.dtype)
    for zero in zeros:
        p = np.pad(p, (0, 1)) - np.pad(p * zero, (1, 0))
    return p


def polynomial_slope(curve: Any, x: Any, *, nu: int = 1) -> Any:
    """Return a derivative of an object that is a polynomial, of one argument, at some places.

    Args:
        curve: a ``poly1d``, or an object of a class in ``numpy.polynomial``.
        x: the places.
        nu: the order of the derivative.
    """
    return curve.deriv(nu)(x)
