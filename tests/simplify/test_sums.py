"""Sums of products: factors are drawn out, and vectors are multiplied by ``np.dot``."""

import numpy as np
import pytest

from srcgrad import check, grad, source

X = np.array([0.3, -0.7, 1.1, 0.4])
M = np.outer(X, X[:3]) + 1.0


def text_of(f, *args):
    """The text of a gradient with respect to all arguments."""
    gradient = grad(f, wrt=tuple(range(len(args))))
    gradient(*args)
    return source(gradient)


def test_the_cotangent_of_a_scale_is_a_product():
    """``sum(bar * x)`` is ``np.dot(bar, x)`` where both are vectors of one length."""

    def f(a, x):
        return np.sum(np.tanh(a * x))

    check(f, 0.5, X, wrt=(0, 1))
    assert "a_bar = np.dot(" in text_of(f, 0.5, X)


def test_a_vector_that_is_repeated_is_not():
    """A vector of length 1 is repeated along the other one."""

    def f(a, x):
        return np.sum(np.tanh(a * x) ** 2)

    assert "np.dot(" not in text_of(f, np.array([0.5]), X)
    check(f, np.array([0.5]), X, wrt=(0, 1))
    check(f, np.full(4, 0.5), X, wrt=(0, 1))


def test_matrices_are_summed_over():
    """Of matrices the product is summed by their method."""

    def f(a, m):
        return np.sum(np.tanh(a * m))

    check(f, 0.5, M, wrt=(0, 1))
    assert ".sum()" in text_of(f, 0.5, M)


def test_what_is_the_same_along_an_axis_is_multiplied_behind_the_sum():
    """``(bar * scale).sum(axis=0)`` is ``bar.sum(axis=0) * scale``."""

    def f(shift, scale):
        return np.sum(np.tanh((M - shift) * scale))

    args = X[:3], X[1:]
    check(f, *args)
    gradient = grad(f)
    gradient(*args)
    assert ".sum(axis=0) * scale" in source(gradient)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_precision_stays(dtype):
    """Factors that are drawn out leave the element type as it is."""

    def f(x, y):
        return np.sum(np.tanh(0.5 * x * y))

    found = grad(f, wrt=(0, 1))(X.astype(dtype), X.astype(dtype)[::-1].copy())
    assert all(bar.dtype == dtype for bar in found)


def test_no_entries_give_zero():
    """The product of vectors without entries is zero."""

    def f(a, x):
        return np.sum(np.tanh(a * x))

    gradient = grad(f)
    assert gradient(0.5, X) != 0.0
    assert gradient(0.5, X[:0]) == 0.0


def test_numbers_with_a_common_factor_cancel():
    """``2 * (x / (2 * y))`` is ``x / y``."""

    def f(x):
        return np.exp(x[0]) / np.sqrt(np.sum(x**2))

    check(f, X)
    assert "2 * (" not in text_of(f, X)


def test_the_logarithm_of_a_determinant_asks_for_the_inverse():
    """``cofactors(a) / det(a)`` is ``inv(a).T``."""

    def f(a):
        return np.log(np.linalg.det(a))

    a = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.4], [0.1, 0.6, 1.2]])
    check(f, a)
    assert "np.linalg.inv(a).T" in text_of(f, a)


def test_numbers_behind_sums():
    """The numbers that an array is multiplied with and divided by, wherever they stand."""

    def f(p, d):
        return np.sum(M[:3, :3] @ (p[1] * np.exp(-0.5 * (d / p[0]) ** 2)))

    p, d = np.array([0.7, 1.3]), M[:3, :3]
    gradient = grad(f)
    check(f, p, d)
    gradient(p, d)
    assert ".sum() / p[0]" in source(gradient)


def test_numbers_that_do_not_read_well():
    """0.1 of what has the factor 0.05 already: the product of these has twenty digits."""

    def f(x):
        v = x[0]
        for _ in range(3):
            v = v - 0.05 * (np.sin(x[1]) * x[2] + 0.1 * v)
        return v

    gradient = grad(f)
    check(f, X[:3])
    gradient(X[:3])
    assert "0.1 *" in source(gradient)
    assert "0.00500" not in source(gradient)
