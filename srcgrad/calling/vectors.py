"""Trees as vectors, for optimisers and solvers that know nothing else."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.ir.forms import Skeleton
from srcgrad.ir.structures import skeleton_of
from srcgrad.program.texts import made_of_text

_numbers = itertools.count(1)


def ravel(tree: Any) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """Return the numbers of a tree as one vector, and the function that leads back.

    Args:
        tree: an array, a number, or tuples, lists, dicts, named tuples and dataclasses of
            them. What is no floating-point number in it (whole numbers, text, None) is not
            in the vector, and stands in every tree that is made of one.

    Returns:
        ``(vector, unravel)``. ``unravel(vector)`` is a tree of the same structure, shapes
        and dtypes, which shares no memory with the vector. It is plain code, which can be
        read with ``inspect.getsource``, and differentiated.

    Raises:
        ArgumentError: where some of the numbers are complex and others are real.

    Example:
        >>> import numpy as np
        >>> from srcgrad import ravel
        >>> vector, unravel = ravel({"w": np.ones((2, 2)), "b": 3.0})
        >>> vector.tolist()
        [1.0, 1.0, 1.0, 1.0, 3.0]
        >>> unravel(2 * vector)["w"].tolist()
        [[2.0, 2.0], [2.0, 2.0]]
    """
    whole = skeleton_of(tree)
    rows = list(zip(whole.flat(tree), whole.live_leaves(), strict=True))
    leaves = [leaf for leaf, live in rows if live]
    if len({np.iscomplexobj(leaf) for leaf in leaves}) > 1:
        raise ArgumentError(
            "some numbers of the tree are complex, and others are real",
            fixes=["give the real and the imaginary part as leaves of their own"],
        )
    vector = np.concatenate([np.ravel(leaf) for leaf in leaves]) if leaves else np.zeros(0)
    space: dict[str, Any] = {"__builtins__": builtins, "np": np, "__name__": __name__}
    texts, start = [], 0
    for leaf, live in rows:
        if live:
            texts.append(_part(leaf, start, vector.dtype))
            start += np.size(leaf)
        else:
            texts.append(f"constant_{len(space)}")
            space[texts[-1]] = leaf

    def name(thing: Any) -> str:
        space[thing.__name__] = thing
        return thing.__name__

    made = _all_live(whole).text(iter(texts), name)
    return vector, _function(made, vector.size, space)


def _part(leaf: Any, start: int, dtype: np.dtype) -> str:
    """The expression for a leaf."""
    size, own = np.size(leaf), np.asarray(leaf).dtype
    if not np.ndim(leaf):
        return f"vector[{start}]" if own == dtype else f"vector[{start}].astype('{own}')"
    copied = ".copy()" if own == dtype else f".astype('{own}')"
    shape = f".reshape({np.shape(leaf)})" if np.ndim(leaf) > 1 else ""
    return f"vector[{start}:{start + size}]{copied}{shape}"


def _all_live(whole: Skeleton) -> Skeleton:
    """The same structure, with something at each place."""
    return Skeleton(whole.form, [_all_live(part) for part in whole.parts])


def _function(made: str, size: int, space: dict[str, Any]) -> Callable[[Any], Any]:
    """Return the function that makes a tree, with its text for whoever reads it."""
    text = (
        "def unravel(vector):\n"
        '    """Return the tree of which these are the numbers."""\n'
        f"    if vector.shape != ({size},):\n"
        f'        raise ValueError(f"the vector has the shape {{vector.shape}}, not ({size},)")\n'
        f"    return {made}\n"
    )
    return made_of_text(f"<srcgrad unravel {next(_numbers)}>", text, "unravel", space)
