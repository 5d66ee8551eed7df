"""First and second derivatives along a direction by central differences of fourth order.

Each estimate is made with several steps; the one that agrees best with that of half its
step is taken, and the disagreement is its error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

FIRST = {1e-6: (2e-4, 1e-5, 2e-3), 1e-3: (3e-2, 8e-2, 1e-2)}
SECOND = (4e-3, 1e-3, 1.6e-2, 2e-4)


def first(phi: Callable[[float], np.ndarray], rtol: float) -> tuple[np.ndarray, float]:
    """Return the derivative at 0 of a function of one number, and how far it may be off."""
    steps = FIRST[1e-3] if rtol > 5e-4 else FIRST[1e-6]
    return _best(lambda h: _first(phi, h), steps)


def second(phi: Callable[[float], np.ndarray]) -> tuple[np.ndarray, float]:
    """Return the second derivative at 0 of a function of one number, and its error."""
    return _best(lambda h: _second(phi, h), SECOND)


def _first(phi: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    return (8 * (phi(h) - phi(-h)) - (phi(2 * h) - phi(-2 * h))) / (12 * h)


def _second(phi: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    near, far = phi(h) + phi(-h), phi(2 * h) + phi(-2 * h)
    return (16 * near - far - 30 * phi(0.0)) / (12 * h * h)


def _best(
    estimate: Callable[[float], np.ndarray], steps: tuple[float, ...]
) -> tuple[np.ndarray, float]:
    found = []
    for h in steps:
        fine, coarse = estimate(h / 2), estimate(h)
        found.append((float(np.max(np.abs(fine - coarse), initial=0.0)), fine))
        size = float(np.max(np.abs(fine), initial=0.0))
        if found[-1][0] <= 1e-8 * size:
            break
    error, value = min(found, key=lambda pair: pair[0])
    return value, error
