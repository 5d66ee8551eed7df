"""Generators of random numbers, for what runs again and has to draw the same."""

from __future__ import annotations

import copy
from typing import TypeVar

T = TypeVar("T")


def same_draws(generator: T) -> T:
    """Return a generator that draws what another one would draw next.

    Args:
        generator: a generator of NumPy; nothing is drawn from it.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> bool(same_draws(rng).normal() == rng.normal())
        True
    """
    return copy.deepcopy(generator)
