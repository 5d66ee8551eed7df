"""`functools.partial` and iterators: what is given to a derivative, and what is refused."""

import functools
import linecache

import numpy as np
import pytest

from srcgrad import differentiate, grad, jvp, source, value_and_grad, vjp
from srcgrad.errors import UnsupportedSyntaxError

X = np.array([0.5, -1.2, 0.8])


def scaled(factor, value, power=2):
    """Return a sum of powers."""
    return np.sum(factor * value**power)


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [
        (functools.partial(scaled, 2.0), (X,), 4 * X),
        (functools.partial(scaled, 2.0, power=3), (X,), 6 * X**2),
        (functools.partial(functools.partial(scaled, 2.0), power=3), (X,), 6 * X**2),
        (functools.partial(scaled, value=X), (2.0,), np.sum(X**2)),
    ],
)
def test_derivatives_of_a_partial(f, args, expected):
    """What is bound is a constant; all modes take it."""
    np.testing.assert_allclose(grad(f)(*args), expected)
    np.testing.assert_allclose(value_and_grad(f)(*args)[1], expected)
    np.testing.assert_allclose(vjp(f, *args)[1](1.0), expected)
    np.testing.assert_allclose(differentiate(f).grad(*args), expected)
    dot = np.ones_like(args[0])
    np.testing.assert_allclose(jvp(f, args, (dot,))[1], np.sum(expected))


def test_the_text_is_the_same_each_time():
    """No address of an object stands in it."""
    texts = {source(grad(functools.partial(scaled, 2.0))) for _ in range(2)}
    assert len(texts) == 1
    assert "<scaled_partial>:1" in texts.pop()


def named_iterator(x):
    """Return a sum over an iterator that can be gone through once only."""
    terms = map(np.sin, x)
    return sum(terms) + sum(terms)


def test_an_iterator_with_a_name_is_refused():
    """It is empty after its first use."""
    message = "the iterator map over active values here is not supported"
    with pytest.raises(UnsupportedSyntaxError, match=message):
        grad(named_iterator)(X)


def test_partial_of_a_function_of_a_library():
    """Options that were not bound are left alone, from outside and inside."""
    rows = functools.partial(np.sum, axis=0)
    half = functools.partial(np.multiply, 0.5)
    m = np.array([[1.0, 2.0], [3.0, 5.0]])

    def inside(x):
        return np.sum(rows(half(x)) ** 2)

    expected = np.broadcast_to(0.5 * np.sum(m, axis=0), m.shape)
    np.testing.assert_allclose(grad(inside)(m), expected)
    np.testing.assert_allclose(vjp(rows, m)[1](np.array([1.0, 2.0])), [[1.0, 2.0], [1.0, 2.0]])
    np.testing.assert_allclose(vjp(half, m)[1](m), 0.5 * m)


def test_a_cache_of_lines_that_is_emptied():
    """What stands for functions of libraries is found all the same."""

    def sloped(f, x):
        return grad(f)(x) * x

    def loss(x):
        return sloped(np.sin, x)

    expected = grad(loss)(0.5)
    linecache.clearcache()
    assert grad(loss)(0.5) == expected
