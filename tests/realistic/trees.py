"""Arguments and results as trees: the numbers in them, and how others are put in their places."""

from __future__ import annotations

import copy
import enum
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

_NO_OBJECTS = (type, enum.Enum, tuple, list, dict, deque)


def is_number(leaf: Any) -> bool:
    """Whether something is a number of floating point, or an array of them."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, (float, complex, np.inexact))


def attributes(thing: Any) -> list[str] | None:
    """Return the names of the attributes of an object of a program; None for anything else."""
    cls = type(thing)
    if not cls.__module__.startswith("tests.") or isinstance(thing, _NO_OBJECTS):
        return None
    slots = [s for c in reversed(cls.__mro__) for s in _slots(c) if hasattr(thing, s)]
    return [*slots, *getattr(thing, "__dict__", {})]


def _slots(cls: type) -> list[str]:
    found = vars(cls).get("__slots__", ())
    named = [found] if isinstance(found, str) else list(found)
    return [s for s in named if s not in ("__dict__", "__weakref__")]


def parts(tree: Any) -> list[tuple[Any, Any]] | None:
    """Return the parts of a tree under their keys; None for a leaf."""
    if isinstance(tree, dict):
        return list(tree.items())
    if isinstance(tree, (list, tuple, deque)):
        return list(enumerate(tree))
    names = attributes(tree)
    return None if names is None else [(name, getattr(tree, name)) for name in names]


def numbers(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the numbers in a tree, each with the keys that lead to it."""
    found = parts(tree)
    if found is not None:
        for key, part in found:
            yield from numbers(part, (*path, key))
    elif is_number(tree):
        yield path, tree


def part_at(tree: Any, path: tuple[Any, ...]) -> Any:
    """Return what stands at the end of some keys."""
    for key in path:
        tree = getattr(tree, key) if attributes(tree) is not None else tree[key]
        if tree is None:
            return None
    return tree


def mapped(tree: Any, leaf: Any, path: tuple[Any, ...] = ()) -> Any:
    """Return a tree with other leaves.

    Args:
        tree: the tree.
        leaf: gives the new leaf, called with the keys and the old one.
        path: the keys that lead to the tree.
    """
    found = parts(tree)
    if found is None:
        return leaf(path, tree)
    new = {key: mapped(part, leaf, (*path, key)) for key, part in found}
    if attributes(tree) is not None:
        made = copy.copy(tree)
        for name, value in new.items():
            object.__setattr__(made, name, value)
        return made
    if isinstance(tree, dict):
        made = copy.copy(tree)
        made.update(new)
        return made
    if hasattr(tree, "_fields"):
        return type(tree)(*new.values())
    return type(tree)(new.values())


def moved(tree: Any, steps: dict[tuple[Any, ...], Any], t: float) -> Any:
    """Return a tree whose numbers went ``t`` times their steps; each keeps its type."""

    def shifted(path: tuple[Any, ...], x: Any) -> Any:
        if path not in steps:
            return copy.deepcopy(x) if isinstance(x, np.ndarray) else x
        if isinstance(x, np.ndarray):
            made = np.empty_like(x)  # in the order of memory that it has
            made[...] = x + t * steps[path]
            return made
        return type(x)(x + t * steps[path])

    return mapped(tree, shifted)


def directions(tree: Any, rng: np.random.Generator) -> dict[tuple[Any, ...], Any]:
    """Return a random step for each number in a tree, about as large as the number is."""
    made = {}
    for path, x in numbers(tree):
        size = np.abs(np.nan_to_num(np.asarray(x)))
        largest = float(np.max(size, initial=0.0)) or 1.0
        size = np.where(size < 1e-3 * largest, 0.1 * largest, size)
        step = rng.uniform(0.3, 1.0, np.shape(x)) * rng.choice([-1.0, 1.0], np.shape(x)) * size
        if np.iscomplexobj(x):
            step = step + 1j * rng.uniform(-1.0, 1.0, np.shape(x)) * size
        made[path] = step if isinstance(x, np.ndarray) else np.asarray(step).item()
    return made


def as_tangent(tree: Any, steps: dict[tuple[Any, ...], Any]) -> Any:
    """Return steps as a tree like the argument; what does not move is None."""
    return mapped(tree, lambda path, x: _like(x, steps[path]) if path in steps else None)


def _like(x: Any, step: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.asarray(step, dtype=x.dtype)
    return type(x)(step)


def inner(bars: dict[tuple[Any, ...], Any], steps: dict[tuple[Any, ...], Any]) -> float:
    """Return the real part of the sum of the products of all numbers."""
    return float(sum(np.real(np.sum(np.asarray(bars[p]) * np.asarray(steps[p]))) for p in steps))
