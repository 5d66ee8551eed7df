"""What is divided by one number is divided once, and products are written in place."""

import numpy as np
import pytest

from srcgrad import check, grad, source

X, Y = np.array([0.3, -0.7, 1.1]), np.array([0.5, 0.2, -0.4])


def backward_of(f, *args):
    """The backward part of the gradient with respect to all arguments."""
    gradient = grad(f, wrt=tuple(range(len(args))))
    gradient(*args)
    return source(gradient).partition("    # ")[2]


def test_a_mean_of_a_sum_divides_once():
    """Both terms are over the size."""

    def f(x, y):
        return np.mean(np.log1p(np.exp(-x)) + y * x)

    check(f, X, Y)
    check(f, X[:1], Y[:1])
    assert "(y - exp / (1 + exp)) / size_" in backward_of(f, X, Y)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_number_that_is_differentiated_divides_once(sign):
    """Also where it is no size."""

    def f(x, y, s):
        return np.sum(np.sin(x) / s + sign * (x * y) / s)

    check(f, X, Y, 0.7, wrt=(0, 1, 2))


def test_empty_arrays_have_empty_gradients():
    """A size of zero is no error."""

    def f(x, y):
        return np.sum(x) + 0.0 * np.sum(np.exp(-x) / x.size + y * x / x.size)

    assert grad(f)(np.zeros(0), np.zeros(0)).shape == (0,)


def test_a_cotangent_is_multiplied_in_place():
    """Its own memory is nobody else's."""

    def f(x, y):
        p = np.zeros_like(x)
        for k in range(3):
            p = p * x + y[k]
        return np.sum(p)

    check(f, X, Y)
    assert "p_bar *= x" in backward_of(f, X, Y)


def test_a_cotangent_that_grows_is_not():
    """One value becomes three."""

    def f(x, y):
        p = np.array([0.5])
        for k in range(2):
            p = p * x + y[k]
        return np.sum(p)

    check(f, X, Y)


def test_a_cotangent_of_less_precision_is_not():
    """The product has the precision of both."""

    def f(x, y):
        for _ in range(2):
            x = x * y
        return np.sum(x)

    single = X.astype(np.float32)
    found = grad(f, wrt=(0, 1))(single, Y)
    np.testing.assert_allclose(found[0], Y**2, rtol=1e-6)
    np.testing.assert_allclose(found[1], 2 * X * Y, rtol=1e-6)
    assert [g.dtype for g in found] == [np.float32, np.float64]


def test_halves_of_squares():
    """``2 * (x / 2)`` is ``x``; a gradient is an array of its own, of real numbers."""

    def f(x, y):
        return np.sum(x**2 / 2) + np.sum(y**4 / 2) + np.sum(x**3 / 6)

    check(f, X, Y, wrt=(0, 1), order=2)
    assert "2 * y ** 3" in backward_of(f, X, Y)

    def half(x):
        return np.sum(x**2 / 2)

    gradient = grad(half)(X)
    assert not np.shares_memory(gradient, X)
    np.testing.assert_array_equal(gradient, X)

    def of_whole(x, n):
        return np.sum(x * (2 * (n / 2)))

    made = grad(of_whole)(X, np.array([1, 2, 3]))
    assert made.dtype == float
    np.testing.assert_array_equal(made, [1.0, 2.0, 3.0])


def test_divisors_are_not_multiplied():
    """``x / p * y / q`` stays as it is: the product of p and q may be 0 where neither is."""

    def f(x, y, p, q):
        return np.sum(np.sin(x / p) / q) + np.sum(p * np.sqrt(y * y) + x)

    check(f, X, Y, 0.7, 1.3, wrt=(0, 1, 2, 3), order=2)
    check(f, X[:1], Y, 0.7, 1.3, wrt=(0, 1, 2, 3))

    def g(x, p, q):
        return np.sum(-np.cos(x / p) / q)

    check(g, X, 0.7, 1.3, wrt=(0, 1, 2), order=2)
    assert "/ q / p" in backward_of(g, X, 0.7, 1.3)
    zero = np.zeros(3)
    with np.errstate(all="ignore"):
        assert not np.all(np.isfinite(grad(g)(zero, np.float64(0.0), 1.0)))


@pytest.mark.parametrize("small", [1e-170, 1e170])
def test_no_product_of_extreme_numbers(small):
    """Numbers whose product is 0 or infinite are multiplied in the order of the text."""

    def scalars(w, x):
        a, b = np.sum(w * small), np.sum(w) * small
        return np.sum(x * small / a * (x * small) / b)

    def literals(w, x):
        a, b = np.sum(w * 1e-170), np.sum(w) * 1e-170
        return np.sum(x * 1e-170 / a * (x * 1e-170) / b)

    for f in (scalars, literals):
        for optimize in ("readable", "speed"):
            w_bar, x_bar = grad(f, wrt=(0, 1), optimize=optimize)(X * 0.5, X)
            total = np.sum(X * 0.5)
            np.testing.assert_allclose(x_bar, 2 * X / total**2, rtol=1e-13)
            np.testing.assert_allclose(w_bar, np.full_like(X, -2 * np.sum(X**2) / total**3))


def test_what_is_divided_and_multiplied_by_one_value():
    """A length scale, and a variance under a logarithm."""

    def kernel(x, y, scale):
        return np.sum(np.exp(-0.5 * (x - y) ** 2 / scale**2))

    def likelihood(x, y, variance):
        return -0.5 * np.sum(np.log(2 * np.pi * variance) + (x - y) ** 2 / variance)

    def cauchy(x, y, width):
        return np.sum(np.log(2 / (np.pi * width * (1 + ((x - y) / width) ** 2))))

    for f in (kernel, likelihood, cauchy):
        check(f, X, Y, 0.7, wrt=(0, 1, 2), order=2)
        check(f, X, Y, np.array([0.7, 1.2, 0.4]), wrt=(0, 1, 2), order=2)
    assert "np.pi" not in backward_of(likelihood, X, Y, 0.7).partition("\n")[2]
