"""Local functions that hand other local functions on."""

import numpy as np
import pytest

from srcgrad import check, jvp
from srcgrad.errors import UnsupportedSyntaxError


def applied(t, function):
    return function(t) * t


def under_another_name(x):
    def scaled(t):
        return t * x

    same = scaled

    def doubled(t):
        return applied(2 * t, same) * x

    return doubled(2.0)


def only_called(x):
    def scaled(t):
        return t * x

    def doubled(t):
        return scaled(2 * t) * x

    return doubled(2.0)


HANDED = [under_another_name]


@pytest.mark.parametrize("f", HANDED, ids=lambda f: f.__name__)
def test_a_function_that_is_handed_on_is_recorded(f):
    """The text of the function that hands it on could not name it."""
    check(f, 3.0, order=2, recorded="allow")


def test_a_function_that_is_only_called_is_text():
    """What is called has code of its own."""
    check(only_called, 3.0, order=2, recorded="refuse")


def test_a_local_function_that_hands_itself_on():
    """Its text stands where it has no name, so what is kept of it as text is refused."""

    def f(x):
        def total(t):
            return sum(map(total, t)) if isinstance(t, list | tuple) else t

        return total([x[0], (x[1], [x[0] * x[1]]), []])

    x = np.array([0.7, 1.3])
    with pytest.raises(UnsupportedSyntaxError):
        jvp(f, (x,), (x,), recorded="refuse")
    assert np.isclose(jvp(f, (x,), (x,), recorded="allow")[1], x[0] + x[1] + 2 * x[0] * x[1])
