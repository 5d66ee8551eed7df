"""Derivatives by central differences, the yardstick for every derivative in the tests.

A central difference (f(x + h) - f(x - h)) / 2h is wrong by h**2 f'''/6 from the
truncated Taylor series, and by about eps |f| / h from rounding. The step that
balances the two is about the cube root of eps, relative to the size of x; it
leaves some ten correct digits for a function that is computed to the last bit,
and fewer for one that loses digits itself (see `tolerance`).

All functions take the arguments of `f` as a tuple, and leave them as they are:
what is shifted is a copy. Results may be nested tuples or lists of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

STEP = float(np.finfo(np.float64).eps ** (1 / 3))


def leaves(tree: Any) -> Iterator[Any]:
    """Yield the arrays and numbers in nested tuples and lists, from left to right."""
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from leaves(branch)
    else:
        yield tree


def random_like(tree: Any, rng: np.random.Generator) -> Any:
    """Return standard normal numbers in the structure and the shapes of `tree`.

    A Python or NumPy scalar gives a Python float, an array gives an array.
    """
    if isinstance(tree, (tuple, list)):
        return type(tree)(random_like(branch, rng) for branch in tree)
    if isinstance(tree, np.ndarray):
        return np.asarray(rng.normal(size=tree.shape))
    return float(rng.normal())


def inner(left: Any, right: Any) -> float:
    """Return the sum of the products of all corresponding elements of two trees."""
    pairs = zip(leaves(left), leaves(right), strict=True)
    return float(sum(np.sum(np.asarray(a) * np.asarray(b)) for a, b in pairs))


def shifted(args: Sequence[Any], index: int, shift: Any) -> tuple[Any, ...]:
    """Return `args` with `shift` added to the argument at `index`.

    The argument keeps its type: a float stays a float, and an array without
    dimensions stays an array, which NumPy's own addition would not do.
    """
    x = args[index]
    moved = np.asarray(x + shift) if isinstance(x, np.ndarray) else type(x)(x + shift)
    return (*args[:index], moved, *args[index + 1 :])


def gradient(f: Callable[..., Any], args: Sequence[Any], index: int, step: float = STEP) -> Any:
    """Return the gradient of a scalar function, one central difference per element.

    Args:
        f: a function with a real scalar result.
        args: its arguments; the one at `index` is a float or a float64 array.
        index: the position of the argument to differentiate with respect to.
        step: the step for elements up to 1 in size; relative to the element above.

    Returns:
        An array with the shape of the argument.
    """
    x = np.asarray(args[index])
    result = np.zeros(x.shape)
    for position in np.ndindex(x.shape):
        h = step * max(1.0, abs(float(x[position])))
        shift = np.zeros(x.shape)
        shift[position] = h
        above = f(*shifted(args, index, shift))
        below = f(*shifted(args, index, -shift))
        result[position] = (float(above) - float(below)) / (2 * h)
    return result


def directional(
    f: Callable[..., Any],
    args: Sequence[Any],
    directions: Mapping[int, Any],
    step: float = STEP,
) -> list[Any]:
    """Return the derivative of a function along one direction.

    Args:
        f: a function whose result is an array, a number, or nested tuples of them.
        args: its arguments; those that move are floats or float64 arrays.
        directions: where they move to: for each position of an argument that
            does, an array in its shape.
        step: the step, for directions of size 1.

    Returns:
        The derivative of f(x + t * u) with respect to t at 0, where u is the
        direction: an array for each leaf of the result.
    """
    length = max(float(np.max(np.abs(u), initial=0.0)) for u in directions.values())
    h = step / max(1.0, length)
    above = below = tuple(args)
    for index, u in directions.items():
        above = shifted(above, index, h * np.asarray(u))
        below = shifted(below, index, -h * np.asarray(u))
    pairs = zip(leaves(f(*above)), leaves(f(*below)), strict=True)
    return [(np.asarray(a) - np.asarray(b)) / (2 * h) for a, b in pairs]


def tolerance(size: float, digits_lost: float = 1.5, step: float = STEP) -> float:
    """Return how far a central difference may be off because of rounding.

    Args:
        size: the size of the values that were subtracted from each other.
        digits_lost: how many decimal digits the function itself loses.
        step: the step of the difference.

    Returns:
        An absolute error.
    """
    eps = float(np.finfo(np.float64).eps)
    return 10**digits_lost * eps * max(1.0, size) / step
