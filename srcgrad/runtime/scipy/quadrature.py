"""Integrals of SciPy that are differentiated as they are written down here."""

from __future__ import annotations

from typing import Any

import numpy as np


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """Return ``scipy.integrate.cumulative_trapezoid(y, x, dx, axis, initial)``.

    Args:
        y: values, at least one along the axis.
        x: where they stand: a vector, or an array that broadcasts with the values.
        dx: how far they are apart where ``x`` is None.
        axis: the axis along which they are integrated.
        initial: None, or 0, which then stands before the integrals.

    Raises:
        ValueError: where SciPy raises it, too.

    Example:
        >>> cumulative_trapezoid(np.array([1.0, 3.0, 5.0]), dx=0.5)
        array([1., 3.])
    """
    if initial is not None and initial != 0:
        raise ValueError("the integrals start from 0")
    rows = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        steps = dx
    elif np.ndim(x) == 1:
        steps = np.diff(x)
    else:
        steps = np.diff(np.moveaxis(x, axis, -1))
    fits = x is None or (np.ndim(x) in (1, rows.ndim) and steps.shape[-1] == rows.shape[-1] - 1)
    if not fits:
        raise ValueError("there is not one place for each value along the axis")
    z = np.cumsum(steps * (rows[..., 1:] + rows[..., :-1]) / 2, axis=-1)
    if initial is not None:
        z = np.concatenate((np.zeros_like(z[..., :1]), z), axis=-1)
    return np.moveaxis(z, -1, axis)
