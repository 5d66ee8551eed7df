"""Functions that write into arrays they are given: the derivative is that of what they do."""

import copy

import numpy as np
import pytest

from srcgrad import check, grad, source, value_and_grad, vjp
from srcgrad.errors import ArgumentError, MutationError, ResultError
from tests import finite_differences as fd

pytestmark = pytest.mark.filterwarnings("error")

X = np.array([0.3, -0.4, 0.8, 1.1])
TABLE = np.array([1.0, 2.0, 3.0, 4.0])


def scaled(x):
    x *= 2.0
    return np.sum(x**2)


def sorted_in_place(x):
    x.sort()
    return np.sum(x * TABLE)


def number_in_an_array(x):
    y = x[0, ...] ** 2
    x *= 3.0
    return np.sum(y + x)


def shift(y, s):
    y *= s
    y[1] += s


def in_the_returned_expression(x):
    return total_of_doubled(x)


def total_of_doubled(x):
    x *= 2.0
    return np.sum(x)


RIGHT = [scaled, sorted_in_place, number_in_an_array, in_the_returned_expression]


@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_right_to_second_order(fn):
    """The gradient is with respect to the value that the argument had at the call."""

    def untouched(x):
        return fn(x.copy())

    def gradient(x):
        return grad(fn)(x.copy())

    value, slope = value_and_grad(fn)(X.copy())
    assert value == fn(X.copy())
    np.testing.assert_allclose(slope, fd.gradient(untouched, (X,), 0), rtol=1e-6, atol=1e-8)
    weights = np.array([0.7, -1.3, 0.4, 2.0])
    _, backward = vjp(grad(fn), X.copy())
    second = fd.gradient(lambda x: np.sum(gradient(x) * weights), (X,), 0)
    np.testing.assert_allclose(backward(weights), second, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_arguments_are_left_as_the_call_leaves_them(fn):
    """After a gradient the caller's arrays hold what they would after the call itself."""
    expected = X.copy()
    fn(expected)
    for derivative in (grad(fn), value_and_grad(fn), lambda x: vjp(fn, x), lambda x: vjp(fn, x)):
        x = X.copy()
        derivative(x)
        np.testing.assert_array_equal(x, expected)


def test_an_array_without_dimensions():
    """An array of one number is written as any other array is."""

    def f(x):
        y = x**2
        x *= 3
        return y + x

    x = np.array(2.0)
    np.testing.assert_allclose(grad(f)(x), 7.0)
    assert x == 6.0


def test_a_check_leaves_the_arguments_alone():
    """`check` gives each call a copy."""
    x = X.copy()
    check(scaled, x)
    np.testing.assert_array_equal(x, X)


def test_before_a_call():
    """The source can be shown before any argument is known."""
    assert "x *= 2.0" in source(grad(scaled))


def product(x, y):
    x *= y
    return np.sum(x**2)


@pytest.mark.parametrize(
    ("fn", "args", "names"),
    [(product, (X, X), "x .* with y"), (product, (X[:3], X[1:]), "x .* with y")],
)
def test_arguments_that_share_memory(fn, args, names):
    """What a write means when two arguments are one array is not guessed."""
    before = copy.deepcopy(args)
    with pytest.raises(ArgumentError, match=f"written in place and shares memory with|{names}"):
        grad(fn)(*args)
    for array, old in zip(args, before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_separate_parts_of_one_array():
    """Slices that do not overlap are separate."""
    buffer = np.arange(6.0)
    np.testing.assert_allclose(grad(product)(buffer[:3], buffer[3:]), [0.0, 32.0, 100.0])


def test_order_of_memory():
    """What lies in memory in another way is written through as it lies: that is recorded."""

    def f(a):
        b = a * 1.0
        b.reshape(-1)[0] = a[0, 1]
        return np.sum(b**2)

    with pytest.raises(MutationError, match="through a transpose or a reshape"):
        grad(f, recorded="refuse")(np.ones((2, 3)))
    x = np.arange(6.0).reshape(2, 3)
    slope = grad(f, recorded="allow")
    np.testing.assert_allclose(slope(np.asfortranarray(x)), 2 * x)
    np.testing.assert_allclose(slope(x), [[0, 4, 4], [6, 8, 10]])


def given_twice(x):
    y = x * 1.0
    return scaled_by(y, y)


def scaled_by(a, b):
    a *= 2.0
    return np.sum(a * b)


def in_a_tuple(x):
    y = x * 1.0
    return first_of((y, y))


def first_of(pair):
    pair[0][1] = 2.0
    return np.sum(pair[0] * pair[1])


REFUSED = [
    (given_twice, "scaled_by(y, y)", "given twice"),
    (in_a_tuple, "first_of((y, y))", "given twice"),
]


@pytest.mark.parametrize(
    ("fn", "line", "reason"), REFUSED, ids=lambda v: getattr(v, "__name__", "")
)
def test_refused_at_the_line(fn, line, reason):
    """What cannot be decided is an error that shows the line."""
    with pytest.raises(MutationError, match=reason) as caught:
        grad(fn)(X.copy())
    assert line in str(caught.value)


def test_nothing_to_differentiate():
    """A function that only writes has no gradient."""
    with pytest.raises(ResultError, match="does not return"):
        grad(shift)(X.copy(), 2.0)
