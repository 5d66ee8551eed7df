"""What a program keeps under numbers that are differentiated, and the frames it runs in."""

import sys

import numpy as np
import pytest

from srcgrad import grad, jvp, tape
from srcgrad.errors import ArgumentError


def _by_item(memo, v):
    key = float(v)
    if key not in memo:
        memo[key] = np.sin(v)
    return memo[key]


def _by_get(memo, v):
    found = memo.get((v, 1))
    if found is None:
        found = memo[v, 1] = np.sin(v)
    return found


def _by_text(memo, v):
    key = f"{v}"
    if key not in memo:
        memo[key] = np.sin(v)
    return memo[key]


def _by_default(memo, v):
    return memo.setdefault(v, np.sin(v))


@pytest.mark.parametrize("look_up", [_by_item, _by_get, _by_text, _by_default])
def test_numbers_from_an_earlier_call(look_up):
    """Within a call they have their derivatives; later nobody knows these, and it is refused."""
    memo = {}

    def f(x):
        return sum(look_up(memo, v) for v in x) + look_up(memo, x[0])

    x = np.array([0.3, 0.5])
    expected = np.cos(x) * [2.0, 1.0]
    assert np.allclose(grad(f, recorded="allow")(x), expected)
    with pytest.raises(ArgumentError, match="empty the dict"):
        grad(f, recorded="allow")(x)
    memo.clear()
    assert np.isclose(jvp(f, (x,), (x,), recorded="allow")[1], expected @ x)
    assert np.allclose(tape.grad(f)(x + 1.0), np.cos(x + 1.0) * [2.0, 1.0])


def test_entries_that_are_no_numbers():
    """A differentiated number may choose among names."""
    names = {0.5: "half"}
    assert tape.grad(lambda x: x * len(names[x]))(0.5) == 4.0


def _outer():
    return sys._getframe(1).f_locals["x"] * 2.0


def test_frames_are_those_of_the_program():
    """What stands between a function and its caller on a tape does not count."""

    def f(x):
        own = {sys._getframe().f_code.co_name: x}
        return np.sum(own["f"] * _outer())

    assert np.allclose(tape.grad(f)(np.ones(2)), 4.0)


KEPT = {}


def _with_functions(x):
    """Keep functions that see what is differentiated, in several ways."""
    total = 0.0

    def add(value):
        nonlocal total
        total = total + value

    def default(value=x * 2.0, *, other=(x, 1.0)):
        return value + other[0]

    parts = [x * 3.0]

    def outer():
        return inner() + parts[0]

    def inner():
        return x + total

    add(x)
    KEPT["functions"] = [lambda: total, default]
    KEPT["outer"] = outer
    return total * x


def test_functions_that_are_kept():
    """They see plain numbers afterwards."""
    assert tape.grad(_with_functions)(3.0) == 6.0
    seen, default = KEPT["functions"]
    found = [seen(), default(), KEPT["outer"]()]
    assert found == [3.0, 9.0, 15.0]
    assert all(type(each) in (float, np.float64) for each in found)
