"""A backward that returns what a call gives, for several parameters."""

import numpy as np

from srcgrad import formula, grad
from srcgrad.testing import check_formula


def both(bar, x, y):
    """The cotangents of a product."""
    return bar * y, bar * x


def product(x, y):
    """A function of two arguments that are broadcast."""
    return x * y


@formula(product, elementwise=True)
def product_formula(x, y):
    """z = x y."""
    z = product(x, y)

    def backward(z_bar):
        return both(z_bar, x, y)

    return z, backward


def test_each_parameter_has_its_own_cotangent():
    """Both orders agree with differences, with a number and an array."""
    x, y = np.array([1.0, 2.0]), np.array(3.0)
    slopes = grad(lambda x, y: np.sum(product(x, y) ** 2), wrt=(0, 1))(x, y)
    np.testing.assert_allclose(slopes[0], 2 * x * y**2)
    np.testing.assert_allclose(slopes[1], np.sum(2 * x**2 * y))
    check_formula(product, x, y)
