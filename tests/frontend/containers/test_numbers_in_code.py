"""Whole numbers that go into the code: which function, how many elements, which keys."""

import types
from functools import partial

import numpy as np
import pytest

from srcgrad import grad, jvp
from tests import finite_differences as fd

FUNCTIONS = [np.sin, np.cos, np.tanh, np.exp]
X = np.array([0.3, -0.7, 1.1])


def by_place(x, k):
    """Take a function at a place."""
    return np.sum(FUNCTIONS[k](x))


def by_difference(x, k):
    """Take a function at a place that may be counted from the end."""
    return np.sum(FUNCTIONS[k - 2](x) * FUNCTIONS[1 - k](x))


def as_often(x, k):
    """Repeat an element of a list."""
    total = 0.0
    for w in [x] + [2 * x] * (k - 1) + [x**2]:
        total = total + np.sum(np.sin(w)) * (1 + total)
    return total


def by_names(x, k):
    """Name so many elements."""
    p = {f"p{i}": x[i] for i in range(k)}
    return sum(v**2 for v in p.values()) + x[2]


def of_objects(x, k):
    """Make so many objects."""
    made = [types.SimpleNamespace] * 0 + [partial(np.multiply, 2.0)] * k
    total = x
    for f in made:
        total = f(total)
    return np.sum(total)


def padded(x, k):
    """Put so many elements before an array, in a function that is told how many."""
    return np.sum(np.concatenate((np.full(2 * k, 0.5), x)) * np.arange(2 * k + 3.0))


USES = [by_place, by_difference, as_often, by_names, of_objects, padded]


class Holder:
    """An object that holds a number.

    Args:
        k: the number.
    """

    def __init__(self, k):
        self.k = k


def given(use):
    """The number is an argument."""
    return (lambda x, k: use(x, k)), lambda k: k


def in_object(use):
    """The number is an attribute."""
    return (lambda x, h: use(x, h.k)), Holder


def in_dict(use):
    """The number stands in a dict."""
    return (lambda x, p: use(x, p["k"])), lambda k: {"k": k}


def in_tuple(use):
    """The number stands beside another one."""
    return (lambda x, p: use(x, p[1])), lambda k: (7, k)


def computed(use):
    """The number is the sum of one and a constant."""
    return (lambda x, k: use(x, k + 1)), lambda k: k - 1


def two_calls(use):
    """A function is called with the number, and with another one."""
    return (lambda x, k: use(x, k) + 2 * use(x, 2)), lambda k: k


WAYS = [given, in_object, in_dict, in_tuple, computed, two_calls]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.one_of(3)
def test_the_code_is_that_of_the_number(way, use):
    """One derivative, called with one number after the other, is right for each."""
    f, wrapped = way(use)
    slope = grad(f, recorded="allow")
    for k in (1, 3, 2, 1, 0):
        if k == 0 and use is by_names:
            continue
        args = X, wrapped(k)
        expected = fd.gradient(f, args, 0)
        np.testing.assert_allclose(slope(*args), expected, rtol=1e-5, atol=1e-7)
        _, dot = jvp(f, args, (np.ones(3), None), recorded="allow")
        np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("use", [by_place, as_often, by_names, padded])
def test_the_code_is_text(use):
    """Nothing of it is recorded."""
    for way in (given, in_object, in_dict, computed, two_calls):
        f, wrapped = way(use)
        grad(f, recorded="refuse")(X, wrapped(3))


def test_a_number_that_is_counted():
    """An object that counts its calls, and takes another function each time."""

    class Turn:
        def __init__(self):
            self.k = 0

        def __call__(self, x):
            self.k += 1
            return np.sum(FUNCTIONS[self.k % 3](x) + FUNCTIONS[self.k - 1](x))

    turn, slope = Turn(), None
    slope = grad(turn, recorded="allow")
    slopes = [np.cos, lambda x: -np.sin(x), lambda x: 1 - np.tanh(x) ** 2, np.exp]
    for k in range(1, 4):
        expected = slopes[k % 3](X) + slopes[k - 1](X)
        np.testing.assert_allclose(slope(X), expected)
        assert turn.k == k
