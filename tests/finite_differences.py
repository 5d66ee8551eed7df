"""Derivatives by central differences, the yardstick for every derivative in the tests.

A central difference (f(x + h) - f(x - h)) / 2h is wrong by h**2 f'''/6 from the
truncated Taylor series, and by about eps |f| / h from rounding. The step that
balances the two is about the cube root of eps, relative to the size of x; it
leaves some ten correct digits for a function that is computed to the last bit,
and fewer for one that loses digits itself (see `tolerance`).

All functions take the arguments of `f` as a tuple, and leave them as they are:
what is shifted is a copy. Results may be nested tuples or lists of arrays.

For a complex argument z = x + iy the gradient is df/dx - i df/dy, so that f changes
by the real part of its product with dz; see `inner`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

STEP = float(np.finfo(np.float64).eps ** (1 / 3))


def parts_of(tree: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """Return the parts of a tree, and what puts others together; None for a leaf."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(tree), lambda parts: type(tree)(*parts)
    if isinstance(tree, (tuple, list)):
        return list(tree), type(tree)
    if isinstance(tree, dict):
        return list(tree.values()), lambda parts: dict(zip(tree, parts, strict=True))
    if isinstance(tree, (type, FunctionType, np.ufunc)) or not hasattr(tree, "__dict__"):
        return None

    def put_together(parts: list[Any]) -> Any:
        made = copy.copy(tree)
        for name, part in zip(vars(tree), parts, strict=True):
            object.__setattr__(made, name, part)
        return made

    return list(vars(tree).values()), put_together


def leaves(tree: Any) -> Iterator[Any]:
    """Yield what is in nested tuples, lists, dicts and objects, in order."""
    known = parts_of(tree)
    if known is None:
        yield tree
    else:
        for branch in known[0]:
            yield from leaves(branch)


def is_number(leaf: Any) -> bool:
    """Whether something is a floating-point number or an array of them."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, (float, np.floating, complex, np.complexfloating))


def numbers(tree: Any) -> list[Any]:
    """Return the leaves of a tree that are floating-point numbers or arrays of them."""
    return [leaf for leaf in leaves(tree) if is_number(leaf)]


def with_numbers(tree: Any, new: Iterator[Any], rest: Any = None) -> Any:
    """Return a tree of other numbers; what is no number is None, or stays if told so."""
    known = parts_of(tree)
    if known is not None:
        return known[1]([with_numbers(branch, new, rest) for branch in known[0]])
    return next(new) if is_number(tree) else (tree if rest == "stay" else None)


def random_like(tree: Any, rng: np.random.Generator) -> Any:
    """Return standard normal numbers in the structure and the shapes of `tree`.

    A Python or NumPy scalar gives a Python float, an array gives an array, and
    what is no number gives None. What is complex gives complex numbers.
    """
    if parts_of(tree) is None:
        return _random(tree, rng)
    return with_numbers(tree, iter([_random(leaf, rng) for leaf in numbers(tree)]))


def _random(leaf: Any, rng: np.random.Generator) -> Any:
    shape = np.shape(leaf)
    made = rng.normal(size=shape)
    if np.iscomplexobj(leaf):
        made = made + 1j * rng.normal(size=shape)
    return np.asarray(made) if isinstance(leaf, np.ndarray) else np.asarray(made).item()


def inner(left: Any, right: Any) -> float:
    """Return the real part of the sum of the products of all corresponding elements."""
    pairs = zip(numbers(left), numbers(right), strict=True)
    return float(np.real(sum(np.sum(np.asarray(a) * np.asarray(b)) for a, b in pairs)))


def shifted(args: Sequence[Any], index: int, shift: Any) -> tuple[Any, ...]:
    """Return `args` with `shift` added to the argument at `index`.

    The argument keeps its type: a float stays a float, and an array without
    dimensions stays an array, which NumPy's own addition would not do.
    """
    x = args[index]
    if is_number(x):
        moved = _moved(x, shift[0] if isinstance(shift, list) else shift)
    else:
        rows = zip(numbers(x), numbers(shift), strict=True)
        moved = with_numbers(x, iter([_moved(leaf, step) for leaf, step in rows]), "stay")
    return (*args[:index], moved, *args[index + 1 :])


def _moved(x: Any, shift: Any) -> Any:
    return np.asarray(x + shift) if isinstance(x, np.ndarray) else type(x)(x + shift)


def gradient(f: Callable[..., Any], args: Sequence[Any], index: int, step: float = STEP) -> Any:
    """Return the gradient of a scalar function, one central difference per element.

    Args:
        f: a function with a real scalar result.
        args: its arguments; the one at `index` is a float or a float64 array.
        index: the position of the argument to differentiate with respect to.
        step: the step for elements up to 1 in size; relative to the element above.

    Returns:
        An array with the shape of the argument; for a tree, one for each number in it.
    """
    if not is_number(args[index]):
        return _gradient_of_tree(f, args, index, step)
    x = np.asarray(args[index])
    result = np.zeros_like(x)
    for position in np.ndindex(x.shape):
        h = step * max(1.0, abs(x[position]))
        for unit in (1, 1j) if np.iscomplexobj(x) else (1,):
            shift = np.zeros_like(x)
            shift[position] = h * unit
            above = f(*shifted(args, index, shift))
            below = f(*shifted(args, index, -shift))
            result[position] += (float(above) - float(below)) / (2 * h * unit)
    return result


def _gradient_of_tree(f: Any, args: Sequence[Any], index: int, step: float) -> list[Any]:
    tree, found = args[index], []
    flat = numbers(tree)

    for k, leaf in enumerate(flat):

        def along(x: Any, k: int = k) -> Any:
            moved = with_numbers(tree, iter([*flat[:k], x, *flat[k + 1 :]]), "stay")
            return f(*args[:index], moved, *args[index + 1 :])

        found.append(gradient(along, (leaf,), 0, step))
    return found


def directional(
    f: Callable[..., Any], args: Sequence[Any], directions: Mapping[int, Any], step: float = STEP
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
    sizes = [np.max(np.abs(u), initial=0.0) for tree in directions.values() for u in numbers(tree)]
    length = float(max(sizes))
    h = step / max(1.0, length)
    above = below = tuple(args)
    for index, u in directions.items():
        steps = [h * np.asarray(leaf) for leaf in numbers(u)]
        above = shifted(above, index, steps)
        below = shifted(below, index, [-step for step in steps])
    pairs = zip(numbers(f(*above)), numbers(f(*below)), strict=True)
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
