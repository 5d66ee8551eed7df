"""The yardstick itself, on functions whose derivatives are known."""

import numpy as np
import pytest

from tests import finite_differences as fd

pytestmark = pytest.mark.filterwarnings("error")

X = np.array([[0.3, -1.2, 0.8], [2.0, 0.1, -40.0]])


def test_gradient_of_a_float():
    """The derivative of the exponential, to ten digits."""
    result = fd.gradient(np.exp, (0.7,), 0)
    np.testing.assert_allclose(result, np.exp(0.7), rtol=1e-10)
    assert result.shape == ()


def test_gradient_of_a_matrix():
    """Each element has its own, and the step grows with the element."""
    result = fd.gradient(lambda a, x: a * np.sum(np.sin(x)), (2.0, X), 1)
    np.testing.assert_allclose(result, 2 * np.cos(X), rtol=1e-8, atol=1e-9)


def test_gradient_of_an_array_without_dimensions():
    """The function receives an array again, not a NumPy scalar."""
    seen = []

    def f(x):
        seen.append(type(x))
        return x**2

    np.testing.assert_allclose(fd.gradient(f, (np.array(1.5),), 0), 3.0, rtol=1e-9)
    assert set(seen) == {np.ndarray}


def test_gradient_keeps_floats_floats():
    """A Python float is not turned into a NumPy scalar."""
    seen = []

    def f(x):
        seen.append(type(x))
        return x**2

    fd.gradient(f, (1.5,), 0)
    assert set(seen) == {float}


def test_gradient_leaves_the_arguments_alone():
    """What is shifted is a copy."""
    x = X.copy()
    fd.gradient(np.sum, (x,), 0)
    np.testing.assert_array_equal(x, X)


def test_gradient_of_nothing():
    """An array without elements has a gradient without elements."""
    assert fd.gradient(np.sum, (np.zeros((0, 3)),), 0).shape == (0, 3)


def test_directional_derivative():
    """The Jacobian of an elementwise function times a direction."""
    u = np.array([[1.0, -2.0, 0.5], [0.3, 0.0, 1.0]])
    (result,) = fd.directional(lambda x: np.sin(x) * 2, (X,), {0: u})
    np.testing.assert_allclose(result, 2 * np.cos(X) * u, rtol=1e-6, atol=1e-7)


def test_directional_derivative_of_several_arguments_and_results():
    """All arguments move at once; each leaf of the result has a derivative."""

    def f(x, n, y):
        return x**n, (x * y,)

    cube, product = fd.directional(f, (2.0, 3, 5.0), {0: -0.5, 2: 4.0})
    np.testing.assert_allclose(cube, -6.0, rtol=1e-9)
    np.testing.assert_allclose(product, -0.5 * 5 + 2 * 4, rtol=1e-9)


def test_error_is_within_the_tolerance():
    """A large value that is added loses the digits that `tolerance` allows for."""
    error = abs(fd.gradient(lambda x: 1e6 + np.sin(x), (0.7,), 0) - np.cos(0.7))
    assert 0 < error < fd.tolerance(1e6)


def test_trees():
    """Leaves come from left to right, and the structure is kept."""
    tree = (1.0, (X, [np.array(2.0), 3.0]))
    assert [np.shape(leaf) for leaf in fd.leaves(tree)] == [(), (2, 3), (), ()]
    like = fd.random_like(tree, np.random.default_rng(0))
    assert isinstance(like[1][1], list) and like[1][0].shape == (2, 3)
    assert isinstance(like[0], float) and isinstance(like[1][1][0], np.ndarray)


def test_inner_product():
    """The sum of all products of corresponding elements."""
    assert fd.inner((2.0, X), (3.0, X)) == pytest.approx(6 + np.sum(X**2))


def test_inner_product_of_different_structures():
    """A missing leaf is an error, not a zero."""
    with pytest.raises(ValueError, match="shorter"):
        fd.inner((1.0, 2.0), (1.0,))
