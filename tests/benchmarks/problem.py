"""What a problem of the benchmarks is."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Problem:
    """A function, its derivative by hand, and arguments of some sizes.

    Attributes:
        name: what it is.
        function: the function.
        by_hand: its derivative with respect to the arguments ``wrt``, of the same arguments; of a
            vector behind them, for a product with a Hessian.
        wrt: positions of arguments.
        arguments: makes arguments, of a generator of random numbers and what stands in ``sizes``.
        sizes: what ``arguments`` is called with, for each size.
        kind: which derivative: ``"grad"``, ``"hvp"`` or ``"jacobian"``.
        loops: whether it is a loop, a stencil or a solver, whose gradient is also compared with
            the function itself.
    """

    name: str
    function: Any
    by_hand: Any
    wrt: Any
    arguments: Any
    sizes: dict[str, tuple]
    kind: str = "grad"
    loops: bool = False

    def at(self, size):
        """Return arguments of a size, the same in each process."""
        return self.arguments(np.random.default_rng(0), *self.sizes[size])


def of(small, middle, large):
    """Return a dict from the names of the sizes."""
    return {"small": small, "middle": middle, "large": large}
