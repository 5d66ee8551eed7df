"""Callable objects whose own code would run if the tape looked them up or asked them anything."""

import functools

import numpy as np
import pytest

from srcgrad import grad, tape


class Counting:
    """An object that counts what it is asked; a call depends on how often that was."""

    def __init__(self):
        self.asked = 0

    def __hash__(self):
        self.asked += 1
        return 1

    def __eq__(self, other):
        self.asked += 10
        return self is other

    def __bool__(self):
        self.asked += 100
        return True

    def __len__(self):
        self.asked += 1000
        return 3

    def __repr__(self):
        self.asked += 7
        return "counting"

    def __getattr__(self, name):
        self.__dict__["asked"] += 10_000
        raise AttributeError(name)

    def __call__(self, x):
        return x * (1 + self.asked)


def called(x, h):
    """Call it once."""
    return np.sum(h(x) ** 2) + h.asked


def mapped(x, h):
    """Let Python call it for each entry."""
    return sum(map(h, x)) ** 2


def as_a_key(x, h):
    """Let Python order entries by it."""
    return sorted(x, key=h)[0] ** 2


def reduced(x, h):
    """Call it in a function that Python calls."""
    return functools.reduce(lambda a, b: a + h(b), x, 1.0) ** 2


def through_a_partial(x, h):
    """Call it with an argument that is kept."""
    return np.sum(functools.partial(h, x)() ** 2)


def in_a_list(x, h):
    """Call it beside a function of NumPy's."""
    return sum(np.sum(g(x)) for g in [h, np.sin])


@pytest.mark.parametrize(
    "f", [called, mapped, as_a_key, reduced, through_a_partial, in_a_list], ids=lambda f: f.__name__
)
def test_nothing_is_asked(f):
    """The object has been asked as often as without a derivative: never."""
    x, step = np.array([0.7, 1.3]), 1e-6 * np.eye(2)
    expected = [(f(x + e, Counting()) - f(x - e, Counting())) / 2e-6 for e in step]
    np.testing.assert_allclose(tape.grad(f)(x, Counting()), expected, rtol=1e-6)
    np.testing.assert_allclose(grad(f, recorded="allow")(x, Counting()), expected, rtol=1e-6)


def test_objects_made_inside():
    """The same of an object that the function makes itself."""
    x = np.array([0.7, 1.3])

    def f(x):
        return called(x, Counting())

    np.testing.assert_allclose(tape.grad(f)(x), 2 * x)
    np.testing.assert_allclose(grad(f, recorded="allow")(x), 2 * x)
