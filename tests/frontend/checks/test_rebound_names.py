"""Calls that give numbers and arrays from outside of the function other values meanwhile."""

import calendar
import functools
import json

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from srcgrad.errors import UnsupportedSyntaxError

FACTOR = 2.0
CALLS = 0


def raise_factor():
    global FACTOR
    FACTOR = 7.0


LATER = functools.partial(raise_factor)


def count():
    global CALLS
    CALLS += 1


def before_it_is_read(x):
    raise_factor()
    return np.sum(x**FACTOR)


def by_a_partial(x):
    y = x**FACTOR
    LATER()
    return np.sum(y)


def power(x):
    return x**FACTOR


def around(factor):
    def change():
        nonlocal factor
        factor = 7.0

    def inner(x):
        y = x**factor
        change()
        return np.sum(y)

    return inner


CHANGING = [before_it_is_read, by_a_partial, around(2.0)]


@pytest.mark.parametrize("f", CHANGING, ids=lambda f: f.__name__)
def test_refused(f):
    """The derivative would read the new value; it is refused where the call stands."""
    with pytest.raises(UnsupportedSyntaxError, match="another value"):
        grad(f)(np.array([3.0, 5.0]))


def test_others_are_left_alone():
    """A function that counts its calls may be called."""

    def f(x):
        count()
        return np.sum(FACTOR * x * x)

    x = np.array([3.0, 5.0])
    before = CALLS
    np.testing.assert_allclose(grad(f)(x), 4 * x)
    np.testing.assert_allclose(vjp(f, x)[1](1.0), 4 * x)
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], 4 * x @ x)
    assert CALLS == before + 3


def test_calls_of_libraries():
    """They know nothing of the numbers of those who call them, whatever they keep to themselves."""

    def f(x):
        json.dumps({"power": FACTOR}, indent=1)
        calendar.setfirstweekday(calendar.firstweekday())
        return np.sum(FACTOR * x * x)

    x = np.array([3.0, 5.0])
    np.testing.assert_allclose(grad(f)(x), 2 * FACTOR * x)
