"""Functions of another library as NumPy functions with a formula, to any order that is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import cast_like, split_like

DEEPEST = 3  # derivatives of derivatives that are made when a function is wrapped


def registered(
    run: Any, evaluate: Callable[..., Any], pulled: Callable[[Any], Any], depth: int = DEEPEST
) -> Callable[..., Any]:
    """Return a function of a tuple of arrays, with a formula that calls the next one.

    Args:
        run: the function in the other library, of its own arrays.
        evaluate: from ``run`` and a tuple of arrays to its value, one array.
        pulled: from ``run`` to the function that takes its arguments and a cotangent of its value
            to the cotangents of the arguments, one after the other in one vector.
        depth: of how many derivatives formulas are made.
    """
    pull = registered(pulled(run), evaluate, pulled, depth - 1) if depth else None

    def call(arrays):
        return np.asarray(evaluate(run, arrays))

    if pull is None:
        return call

    @formula(call, sequences="arrays", views="", keeps="")
    def call_formula(arrays):
        """Z = what the other library makes of the arrays."""
        z = call(arrays)

        def backward(z_bar):
            flat = tuple(np.ravel(x) for x in arrays)
            parts = split_like(pull((*arrays, z_bar)), flat, axis=0)
            wide = tuple(np.reshape(parts[k], np.shape(x)) for k, x in enumerate(arrays))
            return tuple(cast_like(x_bar, x) for x_bar, x in zip(wide, arrays, strict=True))

        return z, backward

    return call
