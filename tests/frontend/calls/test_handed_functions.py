"""Local functions that hand other local functions on."""

import pytest

from srcgrad import check


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
