"""How an array looks into the memory of another one, as an expression."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.tape.straight.called import looking
from srcgrad.tape.straight.words import Words, name_of

_Way = Callable[[ast.expr], ast.expr]


def looking_into(array: Any, owner: Any, words: Words) -> _Way:
    """Return what makes the expression of a view from that of the array that owns the memory.

    Args:
        array: the view.
        owner: the array that owns the memory.
        words: the names of the text.
    """
    for made, way in _candidates(array, owner, words):
        if _same(made, array):
            return way
    shift = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    given = (array.shape, array.dtype, shift, array.strides)

    def general(memory: ast.expr) -> ast.expr:
        called = name_of(words.reference(looking))
        return ast.Call(called, [memory, *map(words.constant, given)], [])

    return general


def view_of(array: Any, owner: Any, words: Words) -> _Way | None:
    """Return what makes the expression of an array from that of another one, by an index.

    None where it is no such view of it.
    """
    if not np.may_share_memory(array, owner) or array.dtype != owner.dtype:
        return None
    found = (way for made, way in _candidates(array, owner, words) if _same(made, array))
    return next(found, None)


def _same(made: Any, array: Any) -> bool:
    own, other = made.__array_interface__["data"][0], array.__array_interface__["data"][0]
    steps = [k for k, n in enumerate(array.shape) if n > 1]
    return (
        (own == other or not array.size)
        and made.shape == array.shape
        and made.dtype == array.dtype
        and all(made.strides[k] == array.strides[k] for k in steps)
    )


def _candidates(array: Any, owner: Any, words: Words) -> Iterator[tuple[Any, _Way]]:
    """Arrays in the same memory, with what makes them."""
    yield owner, lambda memory: memory
    bases: list[tuple[Any, _Way]] = [(owner, lambda memory: memory)]
    if owner.dtype.names is not None:
        bases = [(owner[name], _index(ast.Constant(name))) for name in owner.dtype.names]
    elif owner.dtype.kind == "c" and array.dtype.kind == "f":
        bases = [(owner.real, _attribute("real")), (owner.imag, _attribute("imag"))]
    for base, way in bases:
        yield base, way
        for turned, turn in ((base, way), (base.T, _then(way, _attribute("T")))):
            key = _key(array, turned)
            if key is not None and len(key) == turned.ndim:
                made = turned[key]
                if isinstance(made, np.ndarray):
                    yield made, _then(turn, _index(words.key(_short(key, turned.shape))))
            if turned.size == array.size and turned.flags.c_contiguous:
                shape = words.constant(array.shape if array.ndim != 1 else -1)
                yield turned.reshape(array.shape), _then(turn, _method("reshape", shape))


def _key(array: Any, base: Any) -> tuple[Any, ...] | None:
    """Return the index that gives a view of an array, if each of its axes is one of that's."""
    shift = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    order = sorted(range(base.ndim), key=lambda k: -abs(base.strides[k]))
    start = [0] * base.ndim
    for k in order:
        if base.strides[k] <= 0:
            return None
        start[k], shift = divmod(shift, base.strides[k]) if base.shape[k] > 1 else (0, shift)
    if shift or any(not 0 <= s < n for s, n in zip(start, base.shape, strict=True)):
        return None
    axes = range(base.ndim)
    for chosen in itertools.combinations(axes, array.ndim) if array.ndim <= base.ndim else ():
        key: list[Any] = list(start)
        for k, length, stride in zip(chosen, array.shape, array.strides, strict=True):
            step, left = divmod(stride, base.strides[k]) if length > 1 else (1, 0)
            last = start[k] + step * (length - 1)
            if left or not step or not 0 <= last < base.shape[k]:
                break
            stop = last + (1 if step > 0 else -1)
            key[k] = slice(start[k], stop if stop >= 0 else None, step)
        else:
            return tuple(key)
    return None


def _short(key: tuple[Any, ...], shape: Any) -> Any:
    """Return an index with ends and steps left out that say nothing."""
    made: list[Any] = []
    for part, length in zip(key, shape, strict=True):
        if type(part) is slice and part.step > 0:
            start, stop = part.start or None, None if part.stop >= length else part.stop
            part = slice(start, stop, None if part.step == 1 else part.step)
        made.append(part)
    while len(made) > 1 and made[-1] == slice(None):
        made.pop()
    return made[0] if len(made) == 1 else tuple(made)


def _then(first: _Way, second: _Way) -> _Way:
    return lambda memory: second(first(memory))


def _attribute(name: str) -> _Way:
    return lambda memory: ast.Attribute(memory, name, ast.Load())


def _index(key: ast.expr) -> _Way:
    return lambda memory: ast.Subscript(memory, key, ast.Load())


def _method(name: str, *args: ast.expr) -> _Way:
    return lambda memory: ast.Call(ast.Attribute(memory, name, ast.Load()), list(args), [])


__all__ = ["looking_into", "view_of"]
