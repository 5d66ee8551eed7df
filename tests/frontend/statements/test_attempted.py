"""Code that may stop half way: `try` and context managers that swallow exceptions."""

import contextlib
import math

import numpy as np
import pytest

from srcgrad import grad, jvp
from srcgrad.errors import UnsupportedSyntaxError
from tests import finite_differences as fd


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


def counted_up(x):
    y = x * np.ones(2)
    try:
        y += x
        fails_above_one(x)
    except ValueError:
        pass
    return np.sum(y)


def appended_twice(x):
    rows = []
    try:
        rows.append(x * 2.0)
        rows.append(fails_above_one(x))
    except ValueError:
        pass
    return sum(rows)


def by_an_argument(x):
    try:
        y = fails_above_one(x)
    except ValueError as error:
        y = error.args[0]
    return y


def fails_above_one(x):
    if x > 1.0:
        raise ValueError(x)
    return x * x


def that_writes(x):
    table = np.zeros(2)
    try:
        table[0] = 1.0
        table[5] = 1.0
    except IndexError:
        pass
    return x * table[0]


def hushed(x):
    y = x * 1.0
    with hush():
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
        (counted_up, "a try statement whose body writes into what was there before"),
        (appended_twice, "a try statement whose body writes into what was there before"),
        (by_an_argument, "the attribute .args of an active value"),
        (that_writes, "a try statement that writes into arrays"),
        (hushed, "a context manager that may swallow exceptions"),
        (quiet_object, "a context manager that may swallow exceptions"),
    ],
)
def test_what_may_stop_half_way(f, message):
    """The backward part could not know how far the body came."""
    with pytest.raises(UnsupportedSyntaxError, match=message):
        grad(f)(1.0)


@pytest.mark.parametrize(
    "f",
    [
        counted_up,
        appended_twice,
        by_an_argument,
    ],
)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_what_is_recorded_instead(f, x):
    """On both ways, the tape gives what differences give."""
    made = grad(f, recorded="allow")(x)
    assert np.isclose(made, fd.gradient(f, (x,), 0), rtol=1e-6)


def trying_again(x):
    total = 0.0
    for v in x:
        for _ in range(5):
            try:
                total += fails_above_one(v) * v
                break
            except ValueError:
                v = v * 0.7
    return total


def with_a_loop_in_it(x):
    try:
        total = 0.0
        for v in x:
            total += fails_above_one(v * x[0]) * v
    except ValueError:
        total = np.sum(x)
    return total * x[1]


@pytest.mark.parametrize("f", [trying_again, with_a_loop_in_it])
def test_calls_in_a_body(f):
    """The gradient is text; tangents of a call that may raise themselves are recorded."""
    x, step = np.array([0.3, 0.8, 1.2, 1.7]), np.array([1.0, -0.5, 2.0, 0.3])
    expected = fd.gradient(f, (x,), 0)
    assert np.allclose(grad(f, recorded="refuse")(x), expected, rtol=1e-6)
    value, tangent = jvp(f, (x,), (step,), recorded="allow")
    assert np.isclose(value, f(x))
    assert np.isclose(tangent, expected @ step, rtol=1e-6)


def root_of_nothing(x):
    try:
        y = np.sqrt(x) + math.sqrt(x)
    except ZeroDivisionError:
        y = 5.0 + x
    return y


def test_a_tangent_that_raises():
    """What a tangent raises is not taken for what the body raises."""
    with pytest.raises(ZeroDivisionError), np.errstate(divide="ignore", invalid="ignore"):
        jvp(root_of_nothing, (0.0,), (1.0,), recorded="refuse")


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
    assert grad(by_pattern, recorded="allow")(1.0, shape) == slope
