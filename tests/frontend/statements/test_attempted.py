"""Code that may stop half way: `try` and context managers that swallow exceptions."""

import contextlib

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import UnsupportedSyntaxError


class Quiet:
    """Swallows everything."""

    def __enter__(self):
        """Return itself."""
        return self

    def __exit__(self, *error):
        """Let nothing out."""
        return True


@contextlib.contextmanager
def hush():
    """Swallow divisions by zero."""
    try:
        yield
    except ZeroDivisionError:
        pass


QUIET = Quiet()


def over_active_values(x):
    try:
        y = np.log(x)
        y = y * 2
    except ValueError:
        y = x
    return y


def noted(values, v):
    values.append(v)
    return v * v


def with_side_effects(x):
    values = []
    try:
        y = noted(values, x)
    except ValueError:
        y = x
    return y


def raised_again(x):
    try:
        y = np.log(x)
    except ValueError:
        raise
    return y


def that_returns(x, text):
    try:
        return x * float(text)
    except ValueError:
        return x


def that_writes(x):
    table = np.zeros(2)
    try:
        table[0] = 1.0
        table[5] = 1.0
    except IndexError:
        pass
    return x * table[0]


def suppressed(x):
    y = x * 1.0
    with contextlib.suppress(ZeroDivisionError):
        y = y * 2 / 0
        y = y * 3
    return y


def hushed(x):
    y = x * 1.0
    with hush():
        y = y * 2
    return y


def quiet(x):
    y = x * 1.0
    with Quiet():
        y = y * 2
    return y


def quiet_object(x):
    y = x * 1.0
    with QUIET:
        y = y * 2
    return y


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (over_active_values, "a try statement over values that are differentiated"),
        (with_side_effects, "a try statement over values that are differentiated"),
        (raised_again, "a try statement over values that are differentiated"),
        (that_writes, "a try statement that writes into arrays"),
        (suppressed, "a context manager that may swallow exceptions"),
        (hushed, "a context manager that may swallow exceptions"),
        (quiet, "a context manager that may swallow exceptions"),
        (quiet_object, "a context manager that may swallow exceptions"),
    ],
)
def test_what_may_stop_half_way(f, message):
    """The backward part could not know how far the body came."""
    with pytest.raises(UnsupportedSyntaxError, match=message):
        grad(f)(1.0)


def test_returning_from_a_try():
    """What follows would have to know which of its parts returned."""
    with pytest.raises(UnsupportedSyntaxError, match="leaving a try statement is not supported"):
        grad(that_returns)(1.0, "2")


def by_pattern(x, shape):
    match shape:
        case [1, _]:
            return x
        case {"a": 1}:
            return x * 2
        case int():
            return x * 3
    return x


@pytest.mark.parametrize(
    ("shape", "slope"), [([1, 2], 1.0), ({"a": 1, "b": 2}, 2.0), (3, 3.0), ("3", 1.0)]
)
def test_patterns(shape, slope):
    """What an argument that is not differentiated looks like decides the arm."""
    assert grad(by_pattern)(1.0, shape) == slope
