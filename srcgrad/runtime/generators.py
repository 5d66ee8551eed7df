"""Generators of random numbers, for what runs again and has to draw the same."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
from numpy.random.bit_generator import ISeedSequence

T = TypeVar("T")


class _NoSeeds(ISeedSequence):
    """Seeds for a generator whose state is set right behind that."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.ones(n_words, dtype)


def same_draws(generator: T) -> T:
    """Return a generator that draws what another one would draw next.

    The copy of a generator whose state is a few numbers, as of ``default_rng``, has no seeds: it
    draws, and ``spawn`` is refused.

    Args:
        generator: a generator of NumPy; nothing is drawn from it.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> bool(same_draws(rng).normal() == rng.normal())
        True
    """
    if type(generator) is np.random.Generator:
        old = generator.bit_generator
        small = np.random.PCG64, np.random.PCG64DXSM, np.random.SFC64, np.random.Philox
        if type(old) in small:  # a sixth of the time of a deep copy
            new = type(old)(_NoSeeds())  # pyright: ignore[reportArgumentType] - it asks for words
            new.state = old.state
            return np.random.Generator(new)  # type: ignore[return-value]
    return copy.deepcopy(generator)
