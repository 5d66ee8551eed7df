"""QR by reflections, as LAPACK computes it: all columns of q, and the reflections themselves.

G. Golub, C. Van Loan, "Matrix Computations", 2013, 5.2. What ``np.linalg.qr`` gives with
``mode="complete"`` and ``mode="raw"`` is differentiated through these. LAPACK leaves a column
out that has no entries below the diagonal: there, and only there, its result jumps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Factors = type(np.linalg.qr(np.eye(1)))  # a named tuple


def qr(x: Any, mode: str = "complete") -> tuple[Any, Any]:
    """Return ``np.linalg.qr(x, mode)``, with all columns of q or with the reflections.

    Args:
        x: matrices of m rows and n columns, in the last two axes.
        mode: "complete" or "raw".

    Returns:
        With "complete", the unitary q, shape (..., m, m), and the upper triangular r, shape
        (..., m, n). With "raw", the transpose of r with the vectors of the reflections below
        its diagonal, shape (..., n, m), and the factors of the reflections, shape
        (..., min(m, n)).

    Example:
        >>> q, r = qr(np.array([[3.0], [4.0]]))
        >>> np.round(q, 12).tolist(), np.round(r, 12).tolist()
        ([[-0.6, -0.8], [-0.8, 0.6]], [[-5.0], [0.0]])
    """
    h = np.asarray(x) + np.zeros_like(x)
    tau = np.zeros_like(np.diagonal(h, axis1=-2, axis2=-1))
    for j in range(tau.shape[-1]):
        vector, factor, entry = reflection(h[..., j:, j])
        h[..., j:, j + 1 :] = reflected(h[..., j:, j + 1 :], vector, np.conj(factor))
        h[..., j, j] = entry
        h[..., j + 1 :, j] = vector[..., 1:]
        tau[..., j] = factor
    if mode == "raw":
        return np.swapaxes(h, -1, -2), tau
    square = h[..., :1] * np.swapaxes(h[..., :1], -1, -2)
    q = np.zeros_like(square) + np.identity(h.shape[-2], dtype=h.dtype, like=h)
    for j in reversed(range(tau.shape[-1])):
        vector = np.concatenate((np.ones_like(h[..., :1, j]), h[..., j + 1 :, j]), axis=-1)
        q[..., j:, j:] = reflected(q[..., j:, j:], vector, tau[..., j])
    return Factors(q, np.triu(h))


def reflection(column: Any) -> tuple[Any, Any, Any]:
    """Return the reflection that leaves only the first entry of a column.

    Args:
        column: vectors, in the last axis.

    Returns:
        Vectors v whose first entry is 1, factors tau, and what the first entries become, which
        are real: those of (I - tau v v^H)^H times the column.
    """
    first = column[..., 0]
    below = np.sum(np.real(column[..., 1:] * np.conj(column[..., 1:])), axis=-1)
    still = (below == 0) & (np.imag(first) == 0)
    whole = below + np.real(first * np.conj(first))
    norm = np.sqrt(np.where(still, 1.0, whole))
    entry = np.where(still, np.real(first), -np.copysign(norm, np.real(first)))
    safe = np.where(still, 1.0, entry)
    factor = np.where(still, 0.0, (safe - first) / safe)
    away = np.where(still, 1.0, first - safe)
    vector = np.where(still[..., None], 0.0, column[..., 1:] / away[..., None])
    return np.concatenate((np.ones_like(column[..., :1]), vector), axis=-1), factor, entry


def reflected(rows: Any, vector: Any, factor: Any) -> Any:
    """Return (I - tau v v^H) times matrices.

    Args:
        rows: the matrices, in the last two axes.
        vector: v, in the last axis.
        factor: tau.
    """
    seen = np.conj(vector)[..., None, :] @ rows
    return rows - factor[..., None, None] * vector[..., :, None] * seen


__all__ = ["qr", "reflected", "reflection"]
