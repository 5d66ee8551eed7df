"""Generated functions that have one text: one of them takes the place of all."""

import re

import numpy as np

from srcgrad import grad, hessian, source, vjp
from tests import finite_differences as fd

W = [np.array([[0.5, 0.1], [-0.3, 0.8]]), np.array([[1.0, 2.0], [0.0, 1.0], [0.5, -1.0]])]


class Layer:
    """A layer.

    Args:
        w: its weights.
        rate: the rate of ``scaled``.
    """

    def __init__(self, w, rate=1.0):
        self.w, self.rate = w, rate

    def __call__(self, x):
        """Return what it gives."""
        return self.scaled(np.tanh(self.w @ x))

    def scaled(self, x):
        """Return a multiple."""
        return self.rate * x**2


def layered(first, second, x):
    """Go through three layers, two of which have weights of one shape."""
    return np.sum(second(first(first(x))))


def made(k):
    """Return a local function that has captured a number."""

    def power(x, rate=k):
        return np.sum(x**2) * rate * k

    return power


ONE, OTHER = made(2.0), made(3.0)


def of_two_closures(x):
    """Call two functions of one text, which have captured different numbers."""
    return ONE(x) * OTHER(x) + ONE(x, 5.0)


def definitions(text):
    """The names of the functions in a text."""
    return re.findall(r"^def (\w+)", text, re.MULTILINE)


def test_layers_of_one_kind_have_one_pair():
    """Their functions stand there once, under the name without a number."""
    args = Layer(W[0]), Layer(W[1], 0.5), np.array([0.3, 0.6])
    slope = grad(layered, wrt="x")
    np.testing.assert_allclose(slope(*args), fd.gradient(layered, args, 2), rtol=1e-6)
    names = definitions(source(slope))
    assert len(names) == len({re.sub(r"_\d+$", "", name) for name in names}) == 5
    assert not [name for name in names if re.search(r"_\d+$", name)]


def test_second_derivatives_of_layers():
    """Text that is read again calls the functions that stand there."""
    args = Layer(W[0]), Layer(W[1], 0.5), np.array([0.3, 0.6])
    expected = fd.gradient(lambda *a: grad(layered, wrt="x")(*a)[1], args, 2)
    np.testing.assert_allclose(hessian(layered, wrt=2)(*args)[1], expected, rtol=1e-5)
    value, backward = vjp(layered, *args, wrt=2)
    np.testing.assert_allclose(backward(1.0), grad(layered, wrt=2)(*args))
    assert value == layered(*args)


def test_closures_of_one_text_stay_apart():
    """Each has its own numbers, among its defaults as well."""
    x = np.array([0.3, 0.6])
    expected = fd.gradient(of_two_closures, (x,), 0)
    np.testing.assert_allclose(grad(of_two_closures, recorded="refuse")(x), expected, rtol=1e-6)
