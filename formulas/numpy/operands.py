"""Functions that take arrays and no lists of arrays: of a list of numbers, they make an array."""

from __future__ import annotations

import operator

import numpy as np

from srcgrad.registry import mark_of_arrays

mark_of_arrays(*(f for f in vars(np).values() if isinstance(f, np.ufunc)))
mark_of_arrays(
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    np.append, np.clip, np.convolve, np.correlate, np.cross, np.dot, np.inner, np.interp, np.kron,
    np.linalg.norm, np.linalg.solve, np.outer, np.polyval, np.tensordot, np.vdot,
    getattr(np, "trapezoid", np.dot),
)  # fmt: skip
