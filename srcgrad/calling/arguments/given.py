"""The arguments of a call, of which it can be told later whether they are still the same."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from srcgrad.late import late
from srcgrad.runtime.kept import ATOMS, FEW, Kept, fingerprint


class Given:
    """The arguments of a call, of which it can be told whether they are still the same.

    ``arrays``: the arrays among that which nobody else looks after, with fingerprints.
    """

    def __init__(self, arguments: tuple[Any, ...], leaves: list[Any], arrays: list[Any]) -> None:
        self.arguments, self.leaves, self.arrays = arguments, leaves, arrays

    def is_the_same(self) -> bool:
        """Tell whether nothing was written into them since."""
        now = _leaves(self.arguments)
        if len(now) != len(self.leaves) or any(map(operator.is_not, now, self.leaves)):
            return False
        return all(fingerprint(array) == known for array, known in self.arrays)


def given_once(arguments: tuple[Any, ...], kept: Kept | None) -> Given | None:
    """Return the arguments of a call of ``vjp``, for a second run in its backward function.

    ``kept``: what the backward function watches; None where nothing else runs before it.

    Returns:
        None where it would cost much to tell whether they are still the same, or cannot be told.
    """
    leaves = _leaves(arguments)
    watched = {id(thing) for thing, _ in kept.watched} if kept is not None else set[int]()
    arrays = []
    for leaf in leaves:
        if isinstance(leaf, np.ndarray):
            if kept is None or id(leaf) in watched:
                continue
            if leaf.nbytes > FEW or leaf.dtype.hasobject:
                return None
            arrays.append((leaf, fingerprint(leaf)))
        elif type(leaf) not in ATOMS and not isinstance(leaf, np.generic | types.FunctionType):
            return None
    return Given(arguments, leaves, arrays)


def _leaves(arguments: tuple[Any, ...]) -> list[Any]:
    if all(type(part) in ATOMS or type(part) is np.ndarray for part in arguments):
        return list(arguments)
    return late("leaves_of")(arguments)
