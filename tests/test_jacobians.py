"""Jacobians and Hessians against closed forms, in their values and in their shapes."""

import numpy as np
import pytest

from srcgrad import differentiate, hessian, hvp, jacfwd, jacobian, jacrev
from srcgrad.errors import ArgumentError, ResultError

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 4))
X = RNG.normal(size=4)
MODES = pytest.mark.parametrize("mode", [jacfwd, jacrev, jacobian])


@MODES
def test_a_linear_map_is_its_own_jacobian(mode):
    """Rows belong to the result, columns to the argument."""
    np.testing.assert_allclose(mode(lambda x: A @ x)(X), A, rtol=1e-14)
    np.testing.assert_allclose(mode(lambda x: x @ A)(np.ones(3)), A.T, rtol=1e-14)


@MODES
def test_shapes(mode):
    """The shape of the result comes first, then that of the argument."""
    assert mode(lambda x: np.outer(x, x))(X).shape == (4, 4, 4)
    assert mode(lambda x: x @ x.T)(A).shape == (3, 3, 3, 4)
    assert mode(lambda x: np.sum(x))(A).shape == (3, 4)
    assert mode(lambda x: x * X)(2.0).shape == (4,)
    assert np.shape(mode(lambda x: x * x)(2.0)) == ()
    assert mode(lambda x: x * 2)(np.ones((0, 2))).shape == (0, 2, 0, 2)


@MODES
def test_an_outer_product(mode):
    """The derivative of x_i x_j by x_k is in place (i, j, k)."""
    unit = np.eye(4)
    expected = np.einsum("ik,j->ijk", unit, X) + np.einsum("i,jk->ijk", X, unit)
    np.testing.assert_allclose(mode(lambda x: np.outer(x, x))(X), expected, rtol=1e-14)


@MODES
def test_several_arguments_and_results(mode):
    """The structure of the result stands outside, that of `wrt` inside."""

    def both(m, x):
        return m @ x, (np.sum(x**2), x.shape[0])

    (by_m, by_x), ((norm_m, norm_x), count) = mode(both, wrt=(0, "x"))(A, X)
    np.testing.assert_allclose(by_m, np.einsum("ij,k->ijk", np.eye(3), X), rtol=1e-14)
    np.testing.assert_allclose(by_x, A, rtol=1e-14)
    np.testing.assert_allclose(norm_x, 2 * X, rtol=1e-14)
    assert norm_m.shape == A.shape
    assert not norm_m.any()
    assert count is None
    (only,) = mode(both, wrt=("m",))(A, X)[0]
    np.testing.assert_allclose(only, by_m)


@MODES
def test_a_decorated_function_says_what_to_differentiate(mode):
    """Its own `wrt` is the default."""

    @differentiate(wrt="b")
    def f(a, b):
        return a * b**2

    assert mode(f)(5.0, 3.0) == 30.0


def rosenbrock(x):
    """A chain of curved valleys."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_hessian():
    """The closed form of a banded Hessian."""
    x = np.array([1.2, 0.7, -0.3])
    expected = np.diag([0.0, 200.0, 200.0])
    for k in range(2):
        expected[k, k] += 1200 * x[k] ** 2 - 400 * x[k + 1] + 2
        expected[k, k + 1] = expected[k + 1, k] = -400 * x[k]
    np.testing.assert_allclose(hessian(rosenbrock)(x), expected, rtol=1e-12)
    for v in np.eye(3):
        np.testing.assert_allclose(hvp(rosenbrock)(x, v), expected @ v, rtol=1e-12)


def test_hessian_of_several_arguments():
    """A tuple of tuples, symmetric across its diagonal."""
    (aa, ax), (xa, xx) = hessian(lambda a, x: np.sum(np.sin(a * x)), wrt=(0, 1))(2.0, X)
    np.testing.assert_allclose(aa, -np.sum(X**2 * np.sin(2 * X)))
    np.testing.assert_allclose(ax, np.cos(2 * X) - 2 * X * np.sin(2 * X))
    np.testing.assert_allclose(xa, ax)
    np.testing.assert_allclose(xx, np.diag(-4 * np.sin(2 * X)), atol=1e-15)


def test_hvp_of_several_arguments():
    """The vector and the product have the structure of `wrt`."""
    a_dot, x_dot = hvp(lambda a, x: a**2 * np.sum(x), wrt=("a", "x"))(3.0, X, (1.0, np.ones(4)))
    np.testing.assert_allclose(a_dot, 2 * np.sum(X) + 6 * 4)
    np.testing.assert_allclose(x_dot, np.full(4, 6.0))


def test_what_does_not_fit_is_refused():
    """A vector of another length or number of parts; a result that is no number."""
    with pytest.raises(ArgumentError, match="shape"):
        hvp(rosenbrock)(X, np.ones(3))
    with pytest.raises(ArgumentError, match="2 arguments"):
        hvp(lambda a, x: a * x, wrt=(0, 1))(1.0, 2.0, (1.0,))
    with pytest.raises(ResultError):
        hessian(lambda x: x * 2)(X)
