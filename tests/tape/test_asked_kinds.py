"""What a program learns when it asks of what kind a number is: the same as without a tape."""

import inspect
import numbers
from collections.abc import Collection, Container, Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any, SupportsAbs, SupportsComplex, SupportsFloat, SupportsInt, SupportsRound

import numpy as np
import pytest

from srcgrad import tape

KINDS = (
    Iterable, Sized, Sequence, Container, Collection, Hashable, Mapping, SupportsFloat,
    SupportsInt, SupportsAbs, SupportsRound, SupportsComplex, numbers.Number, numbers.Real, float,
    complex, int, list, np.ndarray, np.generic, np.floating,
)  # fmt: skip
NAMES = (
    "__len__", "__iter__", "__getitem__", "__setitem__", "__contains__", "__float__", "__int__",
    "__call__", "__next__", "__array__", "__matmul__", "__add__", "__enter__", "shape", "dtype",
    "ndim", "real", "is_integer", "tolist", "append", "keys",
)  # fmt: skip
VALUES = (0.3, np.float64(0.3), np.float32(0.3), np.array(0.3), np.array([0.3, 0.5]), 1 + 2j)


def answers(x):
    """Ask in all the ways that programs do."""
    found: list[Any] = [isinstance(x, kind) for kind in KINDS]
    found += [hasattr(x, name) for name in NAMES]
    found += [getattr(x, name, None) is None for name in NAMES]
    found += [callable(x), np.isscalar(x), np.iterable(x), np.ndim(x), type(x), x.__class__]
    found += [issubclass(type(x), Iterable)]
    for ask in (len, iter, list, hash, lambda v: v[0], lambda v: v.append(1)):
        try:
            ask(x)
            found.append("answered")
        except Exception as error:  # noqa: BLE001 -- which one it is, is the question
            found.append(type(error))
    try:
        match x:
            case float():
                found.append("a number")
            case [_, *_]:
                found.append("a sequence")
    except TypeError:  # an array without dimensions, which has no length
        found.append("no length")
    return found


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{type(v).__name__}{np.shape(v)}")
def test_answers(value):
    """A number on the tape is what it would be without one, whatever is asked of it."""
    seen = []

    def asked(x):
        seen.append(answers(x))
        return x * x

    tape.vjp(asked, value)
    assert seen == [answers(value)]


def first(x):
    """Take the first one of several, or what is there."""
    total = 0.0
    for part in x if isinstance(x, Iterable) else (x,):
        total = total + part * part
    return total if hasattr(x, "__len__") else 3 * total


def test_branches():
    """A branch that depends on the kind is the one that is taken without a tape."""
    assert tape.grad(first)(0.5) == 3.0
    np.testing.assert_allclose(tape.grad(first)(np.array([0.5, 1.0])), [1.0, 2.0])


def by_form(x):
    """Match sequences before anything else, also beside other patterns and under names."""
    match x:
        case [a, b] if a > 1:
            return a * b
        case [a, *rest]:
            return a + len(rest)
        case (int() | [] | str()) as kept:
            return 3.0 if kept is x else 0.0
        case float() | [_]:
            return x**2
        case other:
            return other**3


def _without_text(function):
    """The same function, whose text nobody finds."""
    space = {}
    exec(inspect.getsource(function), space)
    return space[function.__name__]


@pytest.mark.parametrize(
    "value", [0.3, np.float32(0.3), np.array([1.5, 2.0]), np.array([0.5, 2, 3])]
)
@pytest.mark.parametrize("text", [True, False], ids=["text", "no text"])
def test_patterns_of_sequences(value, text):
    """Whether they hold for an array is what Python says; for a number they do not."""
    seen = []
    matched = by_form if text else _without_text(by_form)

    def f(x):
        seen.append(matched(x))
        return np.sum(seen[-1])

    step = 1e-6 if np.size(value) > 1 or type(value) is float else 1e-2
    slopes = [
        (np.sum(by_form(value + step * u)) - np.sum(by_form(value - step * u))) / (2 * step)
        for u in (np.eye(np.size(value)) if np.size(value) > 1 else [1.0])
    ]
    found = tape.grad(f)(value)
    np.testing.assert_allclose(np.ravel(found), slopes, rtol=1e-3)
    np.testing.assert_allclose(np.asarray(seen[0], float), by_form(value))
