"""The valley of H. Rosenbrock, by which SciPy's function is differentiated.

H. Rosenbrock, "An automatic method for finding the greatest or least value of a function", 1960.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def rosen(x: Any) -> Any:
    """Return the sum of 100 (x[i + 1] - x[i]**2)**2 + (1 - x[i])**2, over the first axis."""
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1.0 - x[:-1]) ** 2.0, axis=0)


def rosen_der(x: Any) -> Any:
    """Return the gradient of ``rosen``."""
    x = np.asarray(x)
    rise, none = x[1:] - x[:-1] ** 2, np.zeros_like(x[:1])
    below = -400.0 * rise * x[:-1] - 2.0 * (1.0 - x[:-1])
    return np.concatenate((below, none)) + np.concatenate((none, 200.0 * rise))


def rosen_hess(x: Any) -> Any:
    """Return the Hessian of ``rosen`` at a vector."""
    x = np.atleast_1d(x)
    one = np.ones_like(x[:1])
    beside = np.diag(-400.0 * x[:-1], 1)
    inner = np.concatenate((1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, 0.0 * one))
    outer = np.concatenate((0.0 * one, 200.0 + 0.0 * x[1:]))
    return np.diag(inner + outer) + beside + beside.T


def rosen_hess_prod(x: Any, p: Any) -> Any:
    """Return the product of the Hessian of ``rosen`` with a vector."""
    return rosen_hess(x) @ np.atleast_1d(p)
